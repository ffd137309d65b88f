import type { Evaluation, RunMetrics } from '../../contracts/tasks/evaluator.ts';
import { bootstrapMean } from '../statistics/bootstrap.ts';
import type { Estimate } from '../statistics/intervals.ts';
import { meanOf, shareOf } from '../statistics/intervals.ts';
import type { RunSummary } from '../evaluators/summarise-runs.ts';
import { summariseRuns } from '../evaluators/summarise-runs.ts';
import { passPower } from '../statistics/pass-power.ts';
import type { Agreement } from './agreement.ts';
import { agreementOf } from './agreement.ts';
import type { GradedCase, GradedRun } from './graded-run.ts';

/** One evaluator over all runs. */
export interface EvaluatorSummary {
  readonly name: string;
  readonly passRate: Estimate;
  /** The mean score; its interval is that of a rate where all scores are 0 or 1, or the same. */
  readonly score: Estimate;
  /** Number of runs that it could not judge. */
  readonly errors: number;
  /** Its agreement with the labels of people; absent where there are none. */
  readonly agreement?: Agreement | undefined;
}

/** An evaluator that was not asked, and why. */
export interface SkippedEvaluator {
  readonly evaluator: string;
  readonly reason: string;
}

/** All runs of an eval together. Each estimate has the interval of 95 %, over cases: runs of the same case say less than runs of others. */
export interface EvalSummary {
  readonly cases: number;
  readonly runs: number;
  /** The share of runs that pass each evaluator; undefined where there is none. */
  readonly passRate: Estimate | undefined;
  /** The mean of all scores. */
  readonly score: Estimate | undefined;
  /** pass^k for each k that all cases have runs for: the chance that k runs of a case in a row pass. */
  readonly passPower: readonly Estimate[];
  readonly evaluators: readonly EvaluatorSummary[];
  readonly skipped: readonly SkippedEvaluator[];
  /** The mean of a run; undefined where a price is not known. */
  readonly costUsd: Estimate | undefined;
  readonly durationMs: Estimate | undefined;
  readonly steps: Estimate | undefined;
  /** The mean reward that the environments of runs gave; absent if none did. */
  readonly reward?: number | undefined;
  readonly stops: RunSummary['stops'];
  /** The cost of grading: of all runs together, 0 for recorded ones, and of judging them; undefined where a price is not known. */
  readonly spent: { readonly runsUsd: number | undefined; readonly judgesUsd: number };
}

/** Sums up graded cases. Runs that are `isRecorded` were paid when they ran: grading them has spent nothing on them. */
export const summaryOf = (
  cases: readonly GradedCase[],
  skipped: readonly SkippedEvaluator[],
  isRecorded = false,
): EvalSummary => {
  const runs = cases.flatMap(({ tries }) => tries);
  const metrics = runs.flatMap((run) => run.metrics ?? []);
  const names = [
    ...new Set(runs.flatMap(({ evaluations }) => evaluations.map(({ evaluator }) => evaluator))),
  ];
  const counted = runs.flatMap((run) =>
    run.metrics === undefined ? [] : [{ success: run.passed, metrics: run.metrics }],
  );
  const { stops = {}, meanReward } = counted.length === 0 ? {} : summariseRuns(counted);
  return {
    cases: cases.length,
    runs: runs.length,
    passRate: rateOver(cases, ({ passed }) => (passed ? 1 : 0)),
    score: scoreOver(cases, ({ evaluations }) => mean(evaluations.map(({ score }) => score))),
    passPower: passPowersOf(cases),
    evaluators: names.flatMap((name) => evaluatorSummary(name, cases)),
    skipped,
    costUsd: overCases(cases, ({ costUsd }) => costUsd),
    durationMs: overCases(cases, ({ durationMs }) => durationMs),
    steps: overCases(cases, ({ steps }) => steps),
    ...(meanReward === undefined ? {} : { reward: meanReward }),
    stops,
    spent: {
      runsUsd: isRecorded
        ? 0
        : metrics.some(({ costUsd }) => costUsd === undefined)
          ? undefined
          : metrics.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
      judgesUsd: runs
        .flatMap(({ evaluations }) => evaluations)
        .reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
    },
  };
};

const evaluatorSummary = (name: string, cases: readonly GradedCase[]): readonly EvaluatorSummary[] => {
  const of = ({ evaluations }: GradedRun): Evaluation | undefined =>
    evaluations.find(({ evaluator }) => evaluator === name);
  const passRate = rateOver(cases, (run) => (of(run)?.passed === true ? 1 : 0));
  const score = scoreOver(cases, (run) => of(run)?.score ?? 0);
  if (passRate === undefined || score === undefined) return [];
  const errors = cases.flatMap(({ tries }) => tries).filter((run) => of(run)?.error !== undefined).length;
  const agreement = agreementOf(name, cases);
  return [{ name, passRate, score, errors, ...(agreement === undefined ? {} : { agreement }) }];
};

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, each) => sum + each, 0) / values.length;

const perCase = (cases: readonly GradedCase[], valueOf: (run: GradedRun) => number): readonly number[] =>
  cases.filter(({ tries }) => tries.length > 0).map(({ tries }) => mean(tries.map(valueOf)));

/**
 * A share, by the interval of Wilson for as many trials as there are cases: no values from 0 to 1 with that mean vary more than those of 0 and 1
 * alone, so it is never too narrow, however alike the runs of a case are.
 */
const rateOver = (
  cases: readonly GradedCase[],
  valueOf: (run: GradedRun) => number,
): Estimate | undefined => {
  const values = perCase(cases, valueOf);
  return shareOf(mean(values) * values.length, values.length);
};

/** A mean score, by the bootstrap over cases; where scores are verdicts, or all the same, so that there is nothing to draw from, by Wilson. */
const scoreOver = (
  cases: readonly GradedCase[],
  valueOf: (run: GradedRun) => number,
): Estimate | undefined => {
  const values = perCase(cases, valueOf);
  const isVaried = values.some((each) => each !== values[0] && each > 0 && each < 1);
  return isVaried ? bootstrapMean(values) : shareOf(mean(values) * values.length, values.length);
};

const overCases = (
  cases: readonly GradedCase[],
  valueOf: (metrics: RunMetrics) => number | undefined,
): Estimate | undefined => {
  const values: number[] = [];
  for (const { tries } of cases) {
    const found = tries.flatMap(({ metrics }) => (metrics === undefined ? [] : [valueOf(metrics)]));
    if (found.length === 0) continue;
    const known = found.filter((each) => each !== undefined);
    if (known.length < found.length) return undefined;
    values.push(mean(known));
  }
  const [only] = values;
  if (only === undefined) return undefined;
  return meanOf(values) ?? { value: only, low: -Infinity, high: Infinity };
};

const passPowersOf = (cases: readonly GradedCase[]): readonly Estimate[] => {
  const counted = cases.filter(({ tries }) => tries.length > 0);
  const fewest = Math.min(...counted.map(({ tries }) => tries.length));
  if (counted.length === 0) return [];
  return Array.from({ length: fewest }, (_, index) => {
    const powers = counted.map(({ tries }) =>
      passPower(tries.length, tries.filter(({ passed }) => passed).length, index + 1),
    );
    return shareOf(mean(powers) * powers.length, powers.length) ?? { value: 0, low: 0, high: 1 };
  });
};
