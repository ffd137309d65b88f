import { several } from '../../base/text/number-words.ts';
import { bootstrapMean } from '../statistics/bootstrap.ts';
import type { Estimate } from '../statistics/intervals.ts';
import { meanOf } from '../statistics/intervals.ts';
import { mcNemar } from '../statistics/mcnemar.ts';
import type { EvalReport, LeftRun } from './eval-report.ts';
import type { GradedCase, GradedRun } from './graded-run.ts';

/** The probability below which chance is not taken for the reason of a difference. */
const LEVEL = 0.05;

/** Fewer cases that differ establish nothing, even if all go the same way: 2 · 0.5^5 is above 0.05. */
const FEWEST = 6;

/** The verdict on a candidate: a difference that chance alone may make is not established. */
export type Finding = 'better' | 'worse' | 'not established';

/** Cases by whether they pass with the baseline and with the candidate; of several runs, most have to. */
export interface PairedPasses {
  readonly both: number;
  readonly onlyBaseline: number;
  readonly onlyCandidate: number;
  readonly neither: number;
  /** The exact test of McNemar: the chance of this number of cases on one side, if the candidate were no different. */
  readonly pValue: number;
  readonly finding: Finding;
}

/** The mean difference of the scores of an evaluator, candidate minus baseline, by the paired bootstrap. */
export interface ScoreDifference {
  readonly name: string;
  readonly difference: Estimate | undefined;
  readonly finding: Finding;
}

/** Two candidates on the same cases. */
export interface Comparison {
  readonly name: string;
  /** The names of both. */
  readonly candidates: { readonly baseline: string; readonly candidate: string };
  readonly pairs: number;
  readonly finding: Finding;
  /** The finding in a sentence. */
  readonly summary: string;
  readonly passes: PairedPasses;
  readonly scores: readonly ScoreDifference[];
  /** Mean differences of a run, candidate minus baseline; undefined where they are unknown. */
  readonly costUsd: Estimate | undefined;
  readonly durationMs: Estimate | undefined;
  readonly baseline: EvalReport;
  readonly candidate: EvalReport;
  /** Runs that have no pair, and why. */
  readonly left: readonly LeftRun[];
  /** Over stored runs: live calls of models, and what they cost; all else was answered from the journals. */
  readonly spent?: { readonly modelCalls: number; readonly costUsd: number | undefined } | undefined;
}

/** Everything that is compared. */
export interface ComparedReports extends Pick<
  Comparison,
  'name' | 'candidates' | 'baseline' | 'candidate' | 'spent'
> {
  readonly left: readonly LeftRun[];
  /** False where times are those of forks, which are not the time of a run. */
  readonly hasTimes: boolean;
}

type Pair = readonly [baseline: readonly GradedRun[], candidate: readonly GradedRun[]];

/** Compares what two candidates did, case by case. */
export const comparisonOf = ({ hasTimes, ...reports }: ComparedReports): Comparison => {
  const pairs = pairsOf(reports.baseline.cases, reports.candidate.cases);
  const passes = pairedPasses(pairs);
  const names = reports.baseline.summary.evaluators.map(({ name }) => name);
  return {
    ...reports,
    pairs: pairs.length,
    finding: passes.finding,
    summary: sentenceOf(passes, pairs.length),
    passes,
    scores: names.map((name) => scoreDifference(name, pairs)),
    costUsd: meanDifference(pairs, (run) => run.metrics?.costUsd),
    durationMs: hasTimes ? meanDifference(pairs, (run) => run.metrics?.durationMs) : undefined,
  };
};

const pairsOf = (baseline: readonly GradedCase[], candidate: readonly GradedCase[]): readonly Pair[] => {
  const others = new Map(candidate.map((each) => [each.case.id, each.tries]));
  return baseline.flatMap((each): readonly Pair[] => {
    const other = others.get(each.case.id) ?? [];
    return each.tries.length === 0 || other.length === 0 ? [] : [[each.tries, other]];
  });
};

const isPass = (tries: readonly GradedRun[]): boolean =>
  tries.filter(({ passed }) => passed).length * 2 > tries.length;

const pairedPasses = (pairs: readonly Pair[]): PairedPasses => {
  const count = (before: boolean, after: boolean): number =>
    pairs.filter(([one, other]) => isPass(one) === before && isPass(other) === after).length;
  const [onlyBaseline, onlyCandidate] = [count(true, false), count(false, true)];
  const pValue = mcNemar(onlyCandidate, onlyBaseline);
  const finding = pValue >= LEVEL ? 'not established' : onlyCandidate > onlyBaseline ? 'better' : 'worse';
  return {
    both: count(true, true),
    onlyBaseline,
    onlyCandidate,
    neither: count(false, false),
    pValue,
    finding,
  };
};

const scoreDifference = (name: string, pairs: readonly Pair[]): ScoreDifference => {
  const scoreOf = (run: GradedRun): number =>
    run.evaluations.find(({ evaluator }) => evaluator === name)?.score ?? 0;
  const differences = pairs.map(([one, other]) => mean(other.map(scoreOf)) - mean(one.map(scoreOf)));
  const difference = bootstrapMean(differences);
  const differing = differences.filter((each) => each !== 0).length;
  if (difference === undefined || differing < FEWEST) return { name, difference, finding: 'not established' };
  const finding = difference.low > 0 ? 'better' : difference.high < 0 ? 'worse' : 'not established';
  return { name, difference, finding };
};

const meanDifference = (
  pairs: readonly Pair[],
  valueOf: (run: GradedRun) => number | undefined,
): Estimate | undefined => {
  const differences: number[] = [];
  for (const [one, other] of pairs) {
    const [before, after] = [one.map(valueOf), other.map(valueOf)];
    if ([...before, ...after].includes(undefined)) return undefined;
    differences.push(mean(after.map((each) => each ?? 0)) - mean(before.map((each) => each ?? 0)));
  }
  return meanOf(differences);
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

const sentenceOf = (
  { onlyBaseline, onlyCandidate, pValue, finding }: PairedPasses,
  pairs: number,
): string => {
  const differing = onlyBaseline + onlyCandidate;
  const counts = `${onlyCandidate} of ${several(pairs, 'case')} pass only with the candidate, ${onlyBaseline} only with the baseline`;
  if (finding !== 'not established')
    return `The candidate is ${finding}: ${counts} (p = ${pValue.toPrecision(2)}).`;
  if (differing < FEWEST)
    return `Not established: ${counts}. At least ${FEWEST} have to differ, all in the same way; try more cases.`;
  return `Not established: ${counts}, which chance alone does, too (p = ${pValue.toPrecision(2)}).`;
};
