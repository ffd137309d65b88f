import { noTotals } from '../../contracts/events/no-totals.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { EvalCase } from '../../contracts/tasks/eval-case.ts';
import type {
  Evaluation,
  Evaluator,
  Examined,
  ExaminedRun,
  RunMetrics,
} from '../../contracts/tasks/evaluator.ts';
import { evaluate } from '../evaluators/evaluate.ts';
import { metricsOf } from '../evaluators/run-metrics.ts';

/** A run that was graded, or an answer on record. */
export interface GradedRun {
  /** Absent for an answer on record, and for a run that could not be started. */
  readonly runId?: string | undefined;
  /** True if each evaluator passes. */
  readonly passed: boolean;
  readonly output: Json | undefined;
  readonly evaluations: readonly Evaluation[];
  /** Absent where there is no run. */
  readonly metrics?: RunMetrics | undefined;
  /** The reason why there is no run: it could not be started. */
  readonly error?: string | undefined;
}

/** A case with its runs. */
export interface GradedCase {
  readonly case: EvalCase;
  readonly tries: readonly GradedRun[];
  /** True if what was graded is what people labelled: an answer on record, or a recorded run. */
  readonly isLabelled: boolean;
}

/** Grades a run of a case. */
export const gradeRun = async (
  result: ExaminedRun,
  row: EvalCase,
  evaluators: readonly Evaluator[],
  signal?: AbortSignal,
): Promise<GradedRun> => {
  const examined = { result, input: row.input, task: result.task, case: row, signal };
  const evaluations = await gradeBy(evaluators, examined);
  return {
    runId: result.runId,
    passed: evaluations.every(({ passed }) => passed),
    output: result.output === undefined ? undefined : toJson(result.output),
    evaluations,
    metrics: metricsOf(result),
  };
};

/** Grades an answer on record. There is no journal of it: evaluators of calls, cost and time fail. */
export const gradeAnswer = async (
  row: EvalCase,
  evaluators: readonly Evaluator[],
  signal?: AbortSignal,
): Promise<GradedRun> => {
  const result = answerOnly(row);
  const evaluations = await gradeBy(evaluators, {
    result,
    input: row.input,
    case: row,
    isAnswerOnly: true,
    signal,
  });
  return { passed: evaluations.every(({ passed }) => passed), output: row.output, evaluations };
};

/** A run that could not be started passes nothing. */
export const ungradedRun = (error: string, evaluators: readonly Evaluator[]): GradedRun => ({
  passed: false,
  output: undefined,
  error,
  evaluations: evaluators.map(({ name }) => ({ evaluator: name, passed: false, score: 0, error })),
});

const gradeBy = (evaluators: readonly Evaluator[], examined: Examined): Promise<readonly Evaluation[]> =>
  Promise.all(evaluators.map((each) => evaluate(each, examined)));

const answerOnly = ({ id, output }: EvalCase): ExaminedRun => ({
  runId: id,
  status: 'completed',
  output,
  stopReason: { kind: 'answered' },
  error: undefined,
  records: [],
  events: [],
  // What the answer cost is not on record.
  totals: { ...noTotals, costUsd: undefined },
});
