import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { StoredStatus } from '../../contracts/journals/journal.ts';
import type { RunDifference } from './difference.ts';
import type { Estimate } from '../statistics/intervals.ts';
import { meanOf, shareOf } from '../statistics/intervals.ts';
import type { LiveEnd, RecordedEnd } from './live-run.ts';

/**
 * One recorded run under the candidate.
 *
 * - `same`: the candidate does what is on record, and sends its models the same.
 * - `differs`: from `difference` on it does something else.
 * - `unseen`: no difference was found, but not all could be compared: `unseen` says why.
 * - `failed`: it cannot be replayed: `error` says why.
 */
export interface RehearsedRun {
  readonly runId: string;
  readonly verdict: 'same' | 'differs' | 'unseen' | 'failed';
  /** That of the recorded run. */
  readonly status: StoredStatus;
  readonly difference?: RunDifference | undefined;
  readonly unseen?: readonly string[] | undefined;
  readonly error?: ErrorData | undefined;
  /** The end of the recorded run; absent while it is under way. */
  readonly ended?:
    | (RecordedEnd & { readonly modelCalls: number; readonly costUsd: number | undefined })
    | undefined;
  /** The end that the candidate came to; absent if nothing went live. */
  readonly live?: LiveEnd | undefined;
}

/** The outcome of a rehearsal. */
export interface Rehearsal {
  readonly runs: readonly RehearsedRun[];
  readonly same: number;
  readonly differs: number;
  readonly unseen: number;
  readonly failed: number;
  /** Live model calls, and what they cost; undefined where a price is not known. */
  readonly spent: { readonly modelCalls: number; readonly costUsd: number | undefined };
  /** The calls of the same runs when they were recorded: all of that again, without a rehearsal. */
  readonly recorded: { readonly modelCalls: number; readonly costUsd: number | undefined };
  /** The share of all runs that end otherwise; undefined if nothing went live, or some of it was stopped. */
  readonly changedOutcomes: Estimate | undefined;
  /** The mean difference in cost of the runs that differ, in US dollars: above 0, the candidate is dearer. */
  readonly costChange: Estimate | undefined;
}

/** Sums up rehearsed runs. */
export const summaryOf = (runs: readonly RehearsedRun[]): Rehearsal => {
  const count = (verdict: RehearsedRun['verdict']): number =>
    runs.filter((run) => run.verdict === verdict).length;
  const lives = runs.flatMap(({ live }) => live ?? []);
  const ends = runs.flatMap(({ ended }) => ended ?? []);
  const differing = runs.filter(({ verdict, ended }) => verdict === 'differs' && ended !== undefined);
  const isWhole = differing.every(({ live }) => live !== undefined && live.stopped === undefined);
  const ended = runs.filter((run) => run.ended !== undefined && run.verdict !== 'failed');
  const changed = lives.filter(({ isSame }) => !isSame).length;
  return {
    runs,
    same: count('same'),
    differs: count('differs'),
    unseen: count('unseen'),
    failed: count('failed'),
    spent: { modelCalls: sum(lives.map(({ modelCalls }) => modelCalls)), costUsd: total(lives) },
    recorded: { modelCalls: sum(ends.map(({ modelCalls }) => modelCalls)), costUsd: total(ends) },
    changedOutcomes: isWhole && lives.length > 0 ? shareOf(changed, ended.length) : undefined,
    costChange: meanOf(
      runs.flatMap(({ ended: before, live }) =>
        live === undefined ||
        live.stopped !== undefined ||
        before?.costUsd === undefined ||
        live.wholeUsd === undefined
          ? []
          : [live.wholeUsd - before.costUsd],
      ),
    ),
  };
};

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

/** The cost of all, unless that of one is unknown. */
const total = (parts: readonly { readonly costUsd: number | undefined }[]): number | undefined =>
  parts.some(({ costUsd }) => costUsd === undefined)
    ? undefined
    : sum(parts.map(({ costUsd = 0 }) => costUsd));
