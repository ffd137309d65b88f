import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import type { EventOf } from '../../contracts/events/event.ts';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import type { RunEntry } from '../../contracts/journals/journal.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { copyRun } from '../../persistence/copy-run.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { partingAt } from '../../runtime/journal/resume/run-point.ts';
import type { RunDifference } from './difference.ts';
import type { LiveBudget } from './live-budget.ts';
import { RecordedEffects, recordingOf } from './recorded-effects.ts';
import type { LiveOptions, RehearseOptions } from './rehearse-options.ts';
import { Shadow } from './shadow.ts';
import { shadowFork } from './shadow-fork.ts';
import { writingMember } from './writing-member.ts';

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
): Promise<LiveRun> => {
  const writer = writingMember(candidate);
  if (writer !== undefined)
    return { end: unbegun(`'${writer}' has memories, which a rehearsal would write to`) };
  // After the input: the first event is that the run has begun.
  const at = { seq: Math.max(1, seq) };
  const { runId } = entry;
  for (const record of records)
    if (record.kind === 'event' && record.event.type === 'model.answered')
      budget.expect(record.event.costUsd);
  const shared = partingAt(records, at).records;
  const shadow = new Shadow(new RecordedEffects(recordingOf(runId, records), shared), budget, tools);
  try {
    const store = await copyRun(from, entry);
    const { result } = await shadowFork(agent, runId, shadow, {
      store,
      at,
      secrets,
      secretKey,
      context,
      safety,
      prices,
      signal,
      ...(model === undefined ? {} : { change: { model } }),
    });
    if (result === undefined) return { end: unbegun('it failed') };
    const { status, output } = result;
    const { stopped: why, modelCalls, costUsd } = shadow;
    const isSame = why === undefined && isSameEnd(ended, { status, output: toJson(output) });
    const end = { status, output: toJson(output), isSame, stopped: why };
    return { end: { ...end, modelCalls, costUsd, wholeUsd: result.totals.costUsd }, result };
  } catch (thrown) {
    const { modelCalls, costUsd } = shadow;
    return { end: { ...unbegun(messageOf(thrown)), modelCalls, costUsd } };
  }
};

/** A run that went on live, with its result if it came to one. */
export interface LiveRun {
  readonly end: LiveEnd;
  readonly result?: RunResult<unknown, unknown> | undefined;
}

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
