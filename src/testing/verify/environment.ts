import type { Json } from '../../base/json/json.ts';
import { NEVER_AT } from '../../base/clock.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { callIdOf } from '../../contracts/runs/effect.ts';
import type { Decided } from '../../machines/agent/agent-context.ts';
import type { PlannedCall } from '../../machines/agent/call-plan.ts';
import type { Ask, AskOf } from '../../machines/asks.ts';
import type { PossibleCall } from './cast.ts';
import type { Stage } from './stage.ts';
import type { Fault, ProofOptions } from './verify-options.ts';
import { faults } from './verify-options.ts';
import type { Player, World } from './world.ts';

/** One thing that the environment of a run may do: a model, a tool, a person or the clock. */
export interface Move {
  /** The actor that it happens to. */
  readonly path: string;
  readonly by: 'model' | 'tool' | 'critic' | 'person' | 'clock' | 'caller';
  /** What it does, in words: `calls pay`. */
  readonly does: string;
  /** What a genuine run is told to do the same. */
  readonly said: Said;
  act(stage: Stage): void;
}

/** What is said of a move to a genuine run. */
export type Said =
  | { readonly kind: 'calls'; readonly calls: readonly { readonly name: string; readonly input: Json }[] }
  | { readonly kind: 'answers'; readonly answer: Json }
  | { readonly kind: 'refuses' }
  | { readonly kind: 'fails' | 'limit' | 'yes' | 'no' | 'abort' | 'other' }
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'finishes'; readonly tool: string; readonly callId: string; readonly ok: boolean };

const NO_USAGE = { input: 0, output: 0 };

/** The environment of a run, as far as a proof has to know it: everything that it may do at a world. */
export class Environment {
  readonly #faults: ReadonlySet<Fault>;
  readonly #callsAtOnce: number;

  constructor({ faults: given, callsAtOnce = 1 }: ProofOptions) {
    this.#faults = new Set(given ?? faults.filter((fault) => fault !== 'abort'));
    this.#callsAtOnce = callsAtOnce;
  }

  /** All moves at a world, in a fixed order. */
  movesAt({ players, ended }: World): readonly Move[] {
    if (ended !== undefined) return [];
    const moves: Move[] = [];
    for (const player of players.values())
      for (const ask of player.pending) moves.push(...this.#answersTo(player, ask));
    const [root] = players.values();
    if (root !== undefined && this.#faults.has('abort')) moves.push(abortOf(root));
    return moves;
  }

  #answersTo(player: Player, ask: Ask): readonly Move[] {
    switch (ask.port) {
      case 'decide':
        return this.#decisions(player, ask);
      case 'act':
      case 'tool':
        return this.#ends(player, ask);
      case 'approve':
        return this.#approvals(player, ask);
      case 'critique':
        return critiques(player, ask);
      case 'recover':
        return recoveries(player, ask);
      case 'wake':
      case 'pause':
        return ask.input.dueAt >= NEVER_AT ? [] : [timer(player, ask, ask.input.dueAt)];
      default:
        return [];
    }
  }

  #decisions(player: Player, ask: AskOf<'decide'>): readonly Move[] {
    const { part, path } = player;
    const decide = (does: string, said: Said, output: Decided): Move => ({
      path,
      by: 'model',
      does,
      said,
      act: (stage) => {
        publishAnswer(stage, player, ask, output);
        stage.answer(path, ask, 'answered', { output });
      },
    });
    const acting = combinations(part.calls, this.#callsAtOnce).map((calls) =>
      decide(
        `calls ${calls.map(({ name }) => name).join(' and ')}`,
        { kind: 'calls', calls: calls.map(({ name, input }) => ({ name, input })) },
        actBy(calls, ask.step),
      ),
    );
    const answering = part.answers.map((answer) =>
      decide(
        part.answers.length === 1 ? 'answers' : `answers ${JSON.stringify(answer)}`,
        { kind: 'answers', answer },
        {
          kind: 'decided',
          decision: { kind: 'answer', answer },
          turn: { role: 'assistant', text: typeof answer === 'string' ? answer : JSON.stringify(answer) },
          usage: NO_USAGE,
        },
      ),
    );
    const refusing = this.#faults.has('refusal')
      ? [decide('refuses', { kind: 'refuses' }, { kind: 'refused', text: 'I will not.', usage: NO_USAGE })]
      : [];
    const failing: readonly Move[] = this.#faults.has('model')
      ? [
          {
            path,
            by: 'model',
            does: 'fails',
            said: { kind: 'fails' },
            act: (stage) => {
              publishFailure(stage, player, ask);
              stage.answer(path, ask, 'failed', { error: MODEL_FAILED });
            },
          },
        ]
      : [];
    const stopReason = { kind: 'budget', budget: 'steps', limit: ask.step, used: ask.step, path } as const;
    const limiting: readonly Move[] = this.#faults.has('limit')
      ? [
          {
            path,
            by: 'clock',
            does: 'a limit is reached',
            said: { kind: 'limit' },
            act: (stage) => {
              stage.answer(path, ask, 'answered', { output: { kind: 'spent', stopReason, isUnbegun: true } });
            },
          },
        ]
      : [];
    return [...acting, ...answering, ...refusing, ...failing, ...limiting];
  }

  #ends(player: Player, ask: AskOf<'act' | 'tool'>): readonly Move[] {
    const { path } = player;
    const { id: callId, name: tool } = ask.input.call;
    const end = (ok: boolean): Move => ({
      path,
      by: 'tool',
      does: `${tool} ${ok ? 'succeeds' : 'fails'}`,
      said: { kind: 'finishes', tool, callId, ok },
      act: (stage) => {
        stage.finishCall(player, ask, ok);
      },
    });
    return this.#faults.has('tool') ? [end(true), end(false)] : [end(true)];
  }

  #approvals(player: Player, ask: AskOf<'approve'>): readonly Move[] {
    const { path } = player;
    const say = (isYes: boolean): Move => ({
      path,
      by: 'person',
      does: `${isYes ? 'approves' : 'denies'} ${ask.input.call.name}`,
      said: { kind: isYes ? 'yes' : 'no' },
      act: (stage) => {
        stage.approveCall(player, ask, isYes);
      },
    });
    return this.#faults.has('denial') ? [say(true), say(false)] : [say(true)];
  }
}

/** Lists of calls, from one call to that many: the order matters, as calls start in it. */
const combinations = (calls: readonly PossibleCall[], most: number): readonly (readonly PossibleCall[])[] => {
  let last: readonly (readonly PossibleCall[])[] = [[]];
  const all: (readonly PossibleCall[])[] = [];
  for (let count = 0; count < most; count += 1) {
    last = last.flatMap((before) => calls.map((call) => [...before, call]));
    all.push(...last);
  }
  return all;
};

const actBy = (wanted: readonly PossibleCall[], step: number): Decided => {
  const calls = wanted.map(
    ({ name, tool, input }, index): PlannedCall => ({
      id: callIdOf(step, index),
      name,
      input,
      exclusive: tool.exclusive,
    }),
  );
  return {
    kind: 'decided',
    decision: { kind: 'act', calls: wanted.map(({ name, input }) => ({ name, input })) },
    calls,
    turn: { role: 'assistant', text: '', calls },
    usage: NO_USAGE,
  };
};

/** An agent with a decision of its own asks no model. */
const asksModel = ({ part }: Player): boolean => part.definition.agent?.decide === undefined;

const MODEL = 'any:model';

const publishAnswer = (stage: Stage, player: Player, { key, step }: Ask, output: Decided): void => {
  if (!asksModel(player)) return;
  const calls = output.kind === 'decided' ? (output.calls?.length ?? 0) : 0;
  stage.emit({ type: 'model.asked', model: MODEL, key, messages: 1, attempt: 1 }, player, step, 'DECIDE');
  const answer = { text: '', calls, finish: 'stop', usage: NO_USAGE, costUsd: 0, durationMs: 0 };
  stage.emit({ type: 'model.answered', model: MODEL, key, ...answer }, player, step, 'DECIDE');
};

const publishFailure = (stage: Stage, player: Player, { key, step }: Ask): void => {
  if (!asksModel(player)) return;
  stage.emit({ type: 'model.asked', model: MODEL, key, messages: 1, attempt: 1 }, player, step, 'DECIDE');
  stage.emit({ type: 'model.failed', model: MODEL, key, error: MODEL_FAILED }, player, step, 'DECIDE');
};

const MODEL_FAILED: ErrorData = {
  code: 'model.unavailable',
  message: 'Cannot answer as the model is unavailable',
  retryable: 'no',
};

const critiques = ({ path, part }: Player, ask: AskOf<'critique'>): readonly Move[] => {
  const critic = part.definition.agent?.critics[0]?.name ?? 'critic';
  return (['accept', 'revise', 'stop'] as const).map((verdict) => {
    const said = verdict === 'accept' ? ({ verdict } as const) : ({ verdict, note: 'no' } as const);
    return {
      path,
      by: 'critic',
      does: `${critic}: ${verdict}`,
      said: { kind: 'other' },
      act: (stage) => {
        stage.answer(path, ask, 'answered', { output: { critiques: [{ critic, ...said }], verdict: said } });
      },
    };
  });
};

const recoveries = ({ path }: Player, ask: AskOf<'recover'>): readonly Move[] =>
  (['retry', 'skip', 'giveUp'] as const).map((decision) => ({
    path,
    by: 'caller',
    does: `after the failure: ${decision}`,
    said: { kind: 'other' },
    act: (stage) => {
      stage.answer(path, ask, 'answered', { output: { decision } });
    },
  }));

const timer = ({ path }: Player, ask: Ask, dueAt: number): Move => ({
  path,
  by: 'clock',
  does: ask.port === 'pause' ? 'a wait is over' : 'a time is up',
  said: { kind: 'time', at: dueAt },
  act: (stage) => {
    stage.passUntil(dueAt);
    stage.answer(path, ask, 'answered', {});
  },
});

const abortOf = ({ path }: Player): Move => ({
  path,
  by: 'caller',
  does: 'aborts the run',
  said: { kind: 'abort' },
  act: (stage) => {
    stage.deliver(path, { type: 'abort', at: stage.now, reason: 'it was aborted' });
  },
});
