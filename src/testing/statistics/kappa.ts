import type { Estimate } from './intervals.ts';
import { NORMAL } from './intervals.ts';

/** Verdicts of an evaluator and of a person on the same answers, counted. */
export interface Confusion {
  readonly bothPass: number;
  /** The evaluator passes what the person does not. */
  readonly onlyEvaluator: number;
  readonly onlyPerson: number;
  readonly bothFail: number;
}

/**
 * Estimates the agreement beyond chance of two raters: κ of Cohen (1960), with the interval by the standard error of Fleiss, Cohen and Everitt
 * (1969). 1 is full agreement, 0 what chance gives. Undefined where it is unknown: for none, and where both gave all the same verdict.
 */
export const kappaOf = ({
  bothPass,
  onlyEvaluator,
  onlyPerson,
  bothFail,
}: Confusion): Estimate | undefined => {
  const of = bothPass + onlyEvaluator + onlyPerson + bothFail;
  if (of === 0) return undefined;
  const table = [
    [bothPass / of, onlyEvaluator / of],
    [onlyPerson / of, bothFail / of],
  ] as const;
  const rows = [table[0][0] + table[0][1], table[1][0] + table[1][1]] as const;
  const columns = [table[0][0] + table[1][0], table[0][1] + table[1][1]] as const;
  const agreed = table[0][0] + table[1][1];
  const byChance = rows[0] * columns[0] + rows[1] * columns[1];
  if (byChance === 1) return undefined;
  const value = (agreed - byChance) / (1 - byChance);
  const rest = 1 - value;
  const onDiagonal =
    table[0][0] * (1 - (rows[0] + columns[0]) * rest) ** 2 +
    table[1][1] * (1 - (rows[1] + columns[1]) * rest) ** 2;
  const beside =
    rest ** 2 * (table[0][1] * (columns[0] + rows[1]) ** 2 + table[1][0] * (columns[1] + rows[0]) ** 2);
  const variance = (onDiagonal + beside - (value - byChance * rest) ** 2) / (of * (1 - byChance) ** 2);
  const half = NORMAL * Math.sqrt(Math.max(0, variance));
  return { value, low: Math.max(-1, value - half), high: Math.min(1, value + half) };
};
