import type { GateResult } from './gate.ts';
import { judgeGate } from './gate.ts';
import type { GradedCase } from './graded-run.ts';
import type { EvalSummary, SkippedEvaluator } from './summary.ts';
import { summaryOf } from './summary.ts';
import type { EvalOptions } from './eval-options.ts';

/** A run that could not be graded, and why. */
export interface LeftRun {
  readonly runId: string;
  readonly reason: string;
}

/** The outcome of an eval: plain JSON. */
export interface EvalReport {
  readonly name: string;
  /** The agent or team; absent where answers on record were graded. */
  readonly agent?: string | undefined;
  /** The place of the cases. */
  readonly dataset: string;
  /** `passed` or `failed` by its gates; `measured` without any. */
  readonly verdict: 'passed' | 'failed' | 'measured';
  readonly summary: EvalSummary;
  readonly gates: readonly GateResult[];
  readonly cases: readonly GradedCase[];
  /** Recorded runs that could not be graded. */
  readonly left: readonly LeftRun[];
  /** The reason why not all cases were run; such an eval has failed. */
  readonly stopped?: string | undefined;
}

/** The parts that a report is made of. */
export interface ReportParts {
  readonly agent: string | undefined;
  readonly dataset: string;
  readonly cases: readonly GradedCase[];
  readonly skipped?: readonly SkippedEvaluator[] | undefined;
  readonly left?: readonly LeftRun[] | undefined;
  readonly stopped?: string | undefined;
  /** True for runs that are on record. */
  readonly isRecorded?: boolean | undefined;
}

/** Makes the report of graded cases, and judges the gates. */
export const reportOf = (
  { name, gates = [] }: Pick<EvalOptions, 'name' | 'gates'>,
  { agent, dataset, cases, skipped = [], left = [], stopped, isRecorded }: ReportParts,
): EvalReport => {
  const summary = summaryOf(cases, skipped, isRecorded);
  const judged = gates.map((gate) => judgeGate(gate, summary));
  const isFailed = stopped !== undefined || judged.some(({ passed }) => !passed);
  return {
    name,
    ...(agent === undefined ? {} : { agent }),
    dataset,
    verdict: isFailed ? 'failed' : judged.length === 0 ? 'measured' : 'passed',
    summary,
    gates: judged,
    cases,
    left,
    ...(stopped === undefined ? {} : { stopped }),
  };
};
