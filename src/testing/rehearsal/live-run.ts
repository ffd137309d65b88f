import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { EventOf, Hook } from '../../contracts/events/event.ts';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import type { RunEntry } from '../../contracts/journals/journal.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { Person } from '../../contracts/people/person.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import type { SharedResource } from '../../contracts/runs/run-options.ts';
import type { ToolExecutor } from '../../contracts/tools/executor.ts';
import { copyRun } from '../../persistence/copy-run.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { settledResult } from '../../runtime/journal/replay/replay.ts';
import { forkAs } from '../../runtime/journal/resume/fork.ts';
import { partingAt } from '../../runtime/journal/resume/run-point.ts';
import type { RunDifference } from './difference.ts';
import type { LiveBudget } from './live-budget.ts';
import { RecordedEffects } from './recorded-effects.ts';
import type { LiveOptions, RehearseOptions } from './rehearse-options.ts';

/** The end of a run as a candidate would have led to it. */
export interface LiveEnd {
  readonly status: RunResult['status'];
  readonly output: Json | undefined;
  /** True if status and output are those of the recorded run. */
  readonly isSame: boolean;
  /** The reason for which it was stopped before its end: it needs what only the world could answer, or the budget is spent. */
  readonly stopped: string | undefined;
  /** Live model calls, and what they cost; all other calls were answered from the journal. */
  readonly modelCalls: number;
  readonly costUsd: number | undefined;
  /** The cost of the whole run, as if none of it had been on record. */
  readonly wholeUsd: number | undefined;
}

/** The run as it ended. */
export type RecordedEnd = Pick<EventOf<'run.ended'>, 'status' | 'output'>;

/**
 * Goes on live in a fork, from the first difference: what is asked for as in the run is answered from its journal, whichever agent asks, and
 * only the rest goes to models. No tool is executed that could change anything.
 */
export const liveFrom = async (
  { agent, candidate }: { readonly agent: { readonly name: string }; readonly candidate: Definition },
  { entry, records, ended }: RecordedRun,
  { seq }: RunDifference,
  { store: from, model, secrets, secretKey, context, safety, signal }: RehearseOptions,
  { tools, prices }: LiveOptions,
  budget: LiveBudget,
): Promise<LiveEnd> => {
  const writer = writingMember(candidate);
  if (writer !== undefined) return unbegun(`'${writer}' has memories, which a rehearsal would write to`);
  // After the input: the first event is that the run has begun.
  const at = { seq: Math.max(1, seq) };
  const { runId } = entry;
  for (const record of records)
    if (record.kind === 'event' && record.event.type === 'model.answered')
      budget.expect(record.event.costUsd);
  const shadow = new Shadow(
    new RecordedEffects(runId, records, partingAt(records, at).records),
    budget,
    tools,
  );
  const stopped = AbortSignal.any([shadow.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    const store = await copyRun(from, entry);
    const handle = await forkAs(agent, runId, {
      store,
      at,
      ...(model === undefined ? {} : { change: { model } }),
      secrets,
      secretKey,
      context,
      safety,
      prices,
      signal: stopped,
      resources: [shadow.models],
      executor: shadow.execute,
      person: shadow.person,
      hooks: [shadow.hook],
    });
    const result = await settledResult(handle.result);
    if (result === undefined) return unbegun('it failed');
    const { status, output } = result;
    const { stopped: why, modelCalls, costUsd } = shadow;
    const isSame = why === undefined && isSameEnd(ended, { status, output: toJson(output) });
    const end = { status, output: toJson(output), isSame, stopped: why };
    return { ...end, modelCalls, costUsd, wholeUsd: result.totals.costUsd };
  } catch (thrown) {
    return { ...unbegun(messageOf(thrown)), modelCalls: shadow.modelCalls, costUsd: shadow.costUsd };
  }
};

/** A recorded run that has ended. */
export interface RecordedRun {
  readonly entry: RunEntry;
  readonly records: readonly JournalRecord[];
  readonly ended: RecordedEnd;
}

const unbegun = (stopped: string): LiveEnd => ({
  status: 'failed',
  output: undefined,
  isSame: false,
  stopped,
  modelCalls: 0,
  costUsd: 0,
  wholeUsd: undefined,
});

const isSameEnd = (one: RecordedEnd, other: RecordedEnd): boolean =>
  one.status === other.status &&
  canonical(toJson(one.output ?? null)) === canonical(toJson(other.output ?? null));

/** An agent of the team whose memories outlive its runs. */
const writingMember = ({ name, agent, members }: Definition): string | undefined => {
  if (agent !== undefined && agent.memories.length > 0) return name;
  for (const member of members.values()) {
    const found = writingMember(member);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Stands between a fork and the world. */
class Shadow {
  readonly #recorded: RecordedEffects;
  readonly #budget: LiveBudget;
  readonly #tools: LiveOptions['tools'];
  readonly #controller = new AbortController();
  /** Keys of calls that went to a model. */
  readonly #live = new Set<string>();
  stopped: string | undefined;
  costUsd: number | undefined = 0;

  constructor(recorded: RecordedEffects, budget: LiveBudget, tools: LiveOptions['tools']) {
    this.#recorded = recorded;
    this.#budget = budget;
    this.#tools = tools;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get modelCalls(): number {
    return this.#live.size;
  }

  readonly models: SharedResource = {
    around: (own: Model) =>
      wrapModel(own, (request, call) => {
        const known = this.#recorded.answer(`${own.provider}:${own.id}`, request);
        if (known !== undefined) return known;
        const refused = this.#budget.begin(call.key);
        if (refused !== undefined) throw this.#stop(refused);
        this.#live.add(call.key);
        return own.answer(request, call);
      }),
  };

  readonly execute: ToolExecutor = ({ tool, facts, input, run }) => {
    const known = this.#recorded.result(tool, input);
    if (known !== undefined) return known.play();
    if (this.#tools === 'read' && facts.safety === 'read' && facts.undeclared !== true) return run();
    throw this.#stop(`it calls '${tool}' with ${short(input)}, which is not on record`);
  };

  readonly person: Person = {
    answer: (question) => {
      const known = this.#recorded.text(question);
      if (known === undefined) throw this.#stop(`it asks a person what is not on record: ${short(question)}`);
      return known;
    },
    approve: ({ tool, input }) => {
      if (this.#recorded.has(tool, input)) return true;
      throw this.#stop(`a person has to approve '${tool}' with ${short(input)}, which is not on record`);
    },
  };

  readonly hook: Hook = {
    name: 'rehearsal',
    on: 'model.answered',
    handle: (event) => {
      if (event.type !== 'model.answered' || !this.#live.has(event.key)) return;
      const { costUsd } = event;
      this.#budget.settle(event.key, costUsd);
      this.costUsd = this.costUsd === undefined || costUsd === undefined ? undefined : this.costUsd + costUsd;
    },
  };

  #stop(why: string): TroupeError {
    this.stopped ??= why;
    this.#controller.abort(why);
    return new TroupeError('run.aborted', `Cannot go on with the rehearsal as ${why}`);
  }
}

/** Characters of an input in the reason why a run is stopped. */
const LONGEST = 120;

const short = (value: unknown): string => {
  const text = JSON.stringify(toJson(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};
