import type { Estimate } from '../statistics/intervals.ts';
import { shareOf } from '../statistics/intervals.ts';
import type { Confusion } from '../statistics/kappa.ts';
import { kappaOf } from '../statistics/kappa.ts';
import type { GradedCase } from './graded-run.ts';

/** The agreement of an evaluator with people on the same answers. */
export interface Agreement extends Confusion {
  readonly labelled: number;
  /** The share of equal verdicts. */
  readonly agreed: Estimate;
  /** The agreement beyond chance; undefined where all verdicts are the same, and it is unknown. */
  readonly kappa: Estimate | undefined;
}

/** Compares the verdicts of an evaluator with the labels of what it judged: those for it, else those for the whole. Undefined without labels. */
export const agreementOf = (evaluator: string, cases: readonly GradedCase[]): Agreement | undefined => {
  const pairs = cases.flatMap(({ case: row, tries, isLabelled }) => {
    const label = row.labels?.[evaluator] ?? row.label;
    if (label === undefined || !isLabelled) return [];
    return tries.flatMap(({ evaluations }) => {
      const found = evaluations.find((each) => each.evaluator === evaluator);
      // What it could not judge is no verdict.
      return found === undefined || found.error !== undefined ? [] : [{ found: found.passed, label }];
    });
  });
  const count = (found: boolean, label: boolean): number =>
    pairs.filter((pair) => pair.found === found && pair.label === label).length;
  const confusion: Confusion = {
    bothPass: count(true, true),
    onlyEvaluator: count(true, false),
    onlyPerson: count(false, true),
    bothFail: count(false, false),
  };
  const agreed = shareOf(confusion.bothPass + confusion.bothFail, pairs.length);
  return agreed === undefined
    ? undefined
    : { labelled: pairs.length, agreed, kappa: kappaOf(confusion), ...confusion };
};
