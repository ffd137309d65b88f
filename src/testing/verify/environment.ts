import type { Json } from '../../base/json/json.ts';
import { NEVER_AT } from '../../base/clock.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { callIdOf } from '../../contracts/runs/effect.ts';
import type { Decided } from '../../machines/agent/agent-context.ts';
import type { PlannedCall } from '../../machines/agent/call-plan.ts';
import type { Ask, AskOf } from '../../machines/asks.ts';
import type { Part, PossibleCall } from './cast.ts';
import type { CallEnd } from './call-end.ts';
import { DONE, FAILED } from './call-end.ts';
import type { Floor } from './floor.ts';
import type { Fault, ProofOptions } from './verify-options.ts';
import { faults } from './verify-options.ts';
import type { Player, World } from './world.ts';
import { principalOf } from './world.ts';

/** One thing that the environment of a run may do: a model, a tool, a person or the clock. */
export interface Move {
  /** The actor that it happens to. */
  readonly path: string;
  readonly by: 'model' | 'tool' | 'critic' | 'person' | 'clock' | 'caller';
  /** Its words: `calls pay`. */
  readonly does: string;
  /** The same for a genuine run. */
  readonly said: Said;
  /** The actor as it was found, and what it asked for. */
  readonly player: Player;
  readonly ask: Ask | undefined;
  /** Does it to an actor of the same key; of several asks of one port, that of the same index. */
  act(stage: Floor, player: Player, ask: Ask | undefined): void;
}

/** The effect of a move on an ask of a port. */
type Doing<Port extends Ask['port']> = (
  stage: Floor,
  player: Player,
  ask: AskOf<Port>,
  token: object,
) => void;

/** A move that answers an ask of its port. */
const moveOn = <Port extends Ask['port']>(
  player: Player,
  ask: AskOf<Port>,
  { by, does, said }: Pick<Move, 'by' | 'does' | 'said'>,
  doing: Doing<Port>,
): Move => {
  const move: Move = {
    path: player.path,
    by,
    does,
    said,
    player,
    ask,
    act: (stage, found, pending) => {
      // Found by the port of this one.
      if (pending !== undefined) doing(stage, found, pending as AskOf<Port>, move);
    },
  };
  return move;
};

/** A move, as a genuine run makes it. */
export type Said =
  | { readonly kind: 'calls'; readonly calls: readonly { readonly name: string; readonly input: Json }[] }
  | { readonly kind: 'answers'; readonly answer: Json }
  | { readonly kind: 'refuses' }
  | { readonly kind: 'fails' | 'limit' | 'yes' | 'no' | 'abort' | 'other' }
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'finishes'; readonly tool: string; readonly callId: string; readonly result: CallEnd };

const NO_USAGE = { input: 0, output: 0 };

/** The environment of a run, as far as a proof has to know it: everything that it may do at a world. */
export class Environment {
  readonly #faults: ReadonlySet<Fault>;
  readonly #callsAtOnce: number;
  readonly #known = new WeakMap<Player, readonly Move[]>();

  constructor({ faults: given, callsAtOnce = 1 }: ProofOptions) {
    this.#faults = new Set(given ?? faults.filter((fault) => fault !== 'abort'));
    this.#callsAtOnce = callsAtOnce;
  }

  /** All moves at a world, in a fixed order. */
  movesAt({ players, ended }: World): readonly Move[] {
    if (ended !== undefined) return [];
    const moves: Move[] = [];
    for (const player of players.values())
      for (const move of this.#movesOf(player, principalOf(player, players))) moves.push(move);
    return moves;
  }

  /** The same moves for the same actor: by them it is known that they were made before. */
  #movesOf(player: Player, principal: Player): readonly Move[] {
    let moves = this.#known.get(player);
    if (moves !== undefined) return moves;
    moves = player.pending.flatMap((ask) => this.#answersTo(player, ask, principal));
    if (player.sponsor === undefined && this.#faults.has('abort')) moves = [...moves, abortOf(player)];
    this.#known.set(player, moves);
    return moves;
  }

  #answersTo(player: Player, ask: Ask, principal: Player): readonly Move[] {
    switch (ask.port) {
      case 'decide':
        return this.#decisions(player, ask);
      case 'act':
      case 'tool':
        return this.#ends(player, ask, principal.part);
      case 'approve':
        return this.#approvals(player, ask);
      case 'critique':
        return critiques(player, ask);
      case 'recover':
        return recoveries(player, ask);
      case 'wake':
      case 'pause':
        return ask.input.dueAt >= NEVER_AT ? [] : [timer(player, ask)];
      default:
        return [];
    }
  }

  #decisions(player: Player, ask: AskOf<'decide'>): readonly Move[] {
    const { part } = player;
    const decide = (does: string, said: Said, outputAt: (step: number) => Decided): Move =>
      moveOn<'decide'>(player, ask, { by: 'model', does, said }, (stage, found, asked, token) => {
        const output = outputAt(asked.step);
        publishAnswer(stage, found, asked, output, token);
        stage.answer(found.path, asked, 'answered', { output }, token);
      });
    const acting = combinations(part.calls, this.#callsAtOnce).map((calls) =>
      decide(
        `calls ${calls.map(({ name }) => name).join(' and ')}`,
        { kind: 'calls', calls: calls.map(({ name, input }) => ({ name, input })) },
        (step) => actBy(calls, step),
      ),
    );
    const answering = part.answers.map((answer) =>
      decide(
        part.answers.length === 1 ? 'answers' : `answers ${JSON.stringify(answer)}`,
        { kind: 'answers', answer },
        () => answerBy(answer),
      ),
    );
    const refused: Decided = { kind: 'refused', text: 'I will not.', usage: NO_USAGE };
    return [
      ...acting,
      ...answering,
      ...(this.#faults.has('refusal') ? [decide('refuses', { kind: 'refuses' }, () => refused)] : []),
      ...(this.#faults.has('model') ? [failing(player, ask)] : []),
      ...(this.#faults.has('limit') ? [limiting(player, ask)] : []),
    ];
  }

  #ends(player: Player, ask: AskOf<'act' | 'tool'>, { results }: Part): readonly Move[] {
    const { id: callId, name: tool } = ask.input.call;
    const possible = results.get(tool) ?? DONE;
    const succeeds = (result: Json): string =>
      possible.length === 1 ? `${tool} succeeds` : `${tool} returns ${JSON.stringify(result)}`;
    const end = (result: CallEnd): Move =>
      moveOn<'act' | 'tool'>(
        player,
        ask,
        {
          by: 'tool',
          does: result === FAILED ? `${tool} fails` : succeeds(result),
          said: { kind: 'finishes', tool, callId, result },
        },
        (stage, found, asked, token) => {
          stage.finishCall(found, asked, result, token);
        },
      );
    const ends: readonly CallEnd[] = this.#faults.has('tool') ? [...possible, FAILED] : possible;
    return ends.map(end);
  }

  #approvals(player: Player, ask: AskOf<'approve'>): readonly Move[] {
    const say = (isYes: boolean): Move =>
      moveOn<'approve'>(
        player,
        ask,
        {
          by: 'person',
          does: `${isYes ? 'approves' : 'denies'} ${ask.input.call.name}`,
          said: { kind: isYes ? 'yes' : 'no' },
        },
        (stage, found, asked, token) => {
          stage.approveCall(found, asked, isYes, token);
        },
      );
    return this.#faults.has('denial') ? [say(true), say(false)] : [say(true)];
  }
}

const failing = (player: Player, ask: AskOf<'decide'>): Move =>
  moveOn<'decide'>(
    player,
    ask,
    { by: 'model', does: 'fails', said: { kind: 'fails' } },
    (stage, found, asked, token) => {
      publishFailure(stage, found, asked, token);
      stage.answer(found.path, asked, 'failed', { error: MODEL_FAILED }, token);
    },
  );

const limiting = (player: Player, ask: AskOf<'decide'>): Move =>
  moveOn<'decide'>(
    player,
    ask,
    { by: 'clock', does: 'a limit is reached', said: { kind: 'limit' } },
    (stage, { path }, asked, token) => {
      // Whatever the limit is: with its number in it, each step would be a state of its own.
      const stopReason = { kind: 'budget', budget: 'steps', limit: 1, used: 1, path } as const;
      stage.answer(
        path,
        asked,
        'answered',
        { output: { kind: 'spent', stopReason, isUnbegun: true } },
        token,
      );
    },
  );

const answerBy = (answer: Json): Decided => ({
  kind: 'decided',
  decision: { kind: 'answer', answer },
  turn: { role: 'assistant', text: typeof answer === 'string' ? answer : JSON.stringify(answer) },
  usage: NO_USAGE,
});

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
  const calls = wanted.map(({ name, tool, input }, index): PlannedCall => ({
    id: callIdOf(step, index),
    name,
    input,
    exclusive: tool.exclusive,
  }));
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

const publishAnswer = (
  stage: Floor,
  player: Player,
  { key, step }: Ask,
  output: Decided,
  token: object,
): void => {
  if (!asksModel(player)) return;
  const calls = output.kind === 'decided' ? (output.calls?.length ?? 0) : 0;
  stage.emit(
    { type: 'model.asked', model: MODEL, key, messages: 1, attempt: 1 },
    player,
    token,
    step,
    'DECIDE',
  );
  const answer = { text: '', calls, finish: 'stop', usage: NO_USAGE, costUsd: 0, durationMs: 0 };
  stage.emit({ type: 'model.answered', model: MODEL, key, ...answer }, player, token, step, 'DECIDE');
};

const publishFailure = (stage: Floor, player: Player, { key, step }: Ask, token: object): void => {
  if (!asksModel(player)) return;
  stage.emit(
    { type: 'model.asked', model: MODEL, key, messages: 1, attempt: 1 },
    player,
    token,
    step,
    'DECIDE',
  );
  stage.emit({ type: 'model.failed', model: MODEL, key, error: MODEL_FAILED }, player, token, step, 'DECIDE');
};

const MODEL_FAILED: ErrorData = {
  code: 'model.unavailable',
  message: 'Cannot answer as the model is unavailable',
  retryable: 'no',
};

const critiques = (player: Player, ask: AskOf<'critique'>): readonly Move[] => {
  const critic = player.part.definition.agent?.critics[0]?.name ?? 'critic';
  return (['accept', 'revise', 'stop'] as const).map((verdict) => {
    const said = verdict === 'accept' ? ({ verdict } as const) : ({ verdict, note: 'no' } as const);
    const facts = { by: 'critic', does: `${critic}: ${verdict}`, said: { kind: 'other' } } as const;
    return moveOn<'critique'>(player, ask, facts, (stage, { path }, asked, token) => {
      const output = { critiques: [{ critic, ...said }], verdict: said };
      stage.answer(path, asked, 'answered', { output }, token);
    });
  });
};

const recoveries = (player: Player, ask: AskOf<'recover'>): readonly Move[] =>
  (['retry', 'skip', 'giveUp'] as const).map((decision) => {
    const facts = { by: 'caller', does: `after the failure: ${decision}`, said: { kind: 'other' } } as const;
    return moveOn<'recover'>(player, ask, facts, (stage, { path }, asked, token) => {
      stage.answer(path, asked, 'answered', { output: { decision } }, token);
    });
  });

const timer = (player: Player, ask: AskOf<'wake' | 'pause'>): Move => {
  const { dueAt } = ask.input;
  const does = ask.port === 'pause' ? 'a wait is over' : 'a time is up';
  const facts = { by: 'clock', does, said: { kind: 'time', at: dueAt } } as const;
  return moveOn<'wake' | 'pause'>(player, ask, facts, (stage, { path }, asked, token) => {
    stage.passUntil(asked.input.dueAt);
    stage.answer(path, asked, 'answered', {}, token);
  });
};

const abortOf = (player: Player): Move => ({
  path: player.path,
  by: 'caller',
  does: 'aborts the run',
  said: { kind: 'abort' },
  player,
  ask: undefined,
  act: (stage, { path }) => {
    stage.deliver(path, { type: 'abort', at: stage.now, reason: 'it was aborted' });
  },
});
