import { messageOf } from '../../contracts/errors/error.ts';
import type { Evaluator } from '../../contracts/tasks/evaluator.ts';
import { storedCases } from '../datasets/stored-cases.ts';
import { KnownCases } from './eval-cases.ts';
import type { EvalOptions, GradeOptions } from './eval-options.ts';
import type { EvalReport, LeftRun } from './eval-report.ts';
import { reportOf } from './eval-report.ts';
import { examinedRun } from './examined-run.ts';
import type { GradedCase } from './graded-run.ts';
import { gradeRun } from './graded-run.ts';
import type { SkippedEvaluator } from './summary.ts';

/** The evaluators that are asked about recorded runs, and those that are not. */
export interface EvaluatorsAsked {
  readonly asked: readonly Evaluator[];
  readonly skipped: readonly SkippedEvaluator[];
}

/** Leaves out the evaluators that ask a model, unless judges are wanted. */
export const withoutJudges = (evaluators: readonly Evaluator[], judges = false): EvaluatorsAsked => {
  const left = judges ? [] : evaluators.filter(({ asksModel = false }) => asksModel);
  return {
    asked: evaluators.filter((each) => !left.includes(each)),
    skipped: left.map(({ name }) => ({
      evaluator: name,
      reason: 'it asks a model, which costs: ask for judges, too',
    })),
  };
};

/**
 * Grades recorded runs from their journals: no agent is run, and no model asked unless judges are. What the dataset expects of an equal input is
 * expected of them.
 */
export const gradeRuns = async (definition: EvalOptions, options: GradeOptions): Promise<EvalReport> => {
  const { store, runs, limit, judges, signal } = options;
  const { asked, skipped } = withoutJudges(definition.evaluators, judges);
  const agent = definition.agent?.name;
  const cases: GradedCase[] = [];
  const left: LeftRun[] = [];
  const known = await KnownCases.of(definition);
  for (const { stored, row: found } of await storedCases({ store, agent, runs, limit })) {
    if (signal?.aborted === true) break;
    const row = known.complete(found);
    try {
      const run = await gradeRun(examinedRun(stored), row, asked, signal);
      cases.push({ case: row, tries: [run], isLabelled: true });
    } catch (thrown) {
      left.push({ runId: row.id, reason: messageOf(thrown) });
    }
  }
  const stopped = signal?.aborted === true ? `it was aborted: ${cases.length} runs` : undefined;
  return reportOf(definition, {
    agent,
    dataset: store.name,
    cases,
    skipped,
    left,
    stopped,
    isRecorded: true,
  });
};
