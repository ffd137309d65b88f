/** An estimate, and the interval that it is in with a confidence of 95 %. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The two-sided 95 % quantile of the normal distribution. */
export const NORMAL = 1.959964;

/** The same of Student's t, for 1 to 30 degrees of freedom. */
const STUDENT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/**
 * Estimates a share from `count` of `of`, by the interval of Wilson (1927), which holds for few and for extreme counts, too. Undefined for
 * none.
 */
export const shareOf = (count: number, of: number): Estimate | undefined => {
  if (of === 0) return undefined;
  const value = count / of;
  const z2 = NORMAL ** 2;
  const middle = (value + z2 / (2 * of)) / (1 + z2 / of);
  const half = (NORMAL / (1 + z2 / of)) * Math.sqrt((value * (1 - value)) / of + z2 / (4 * of ** 2));
  return { value, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
};

/** Estimates a mean, by Student's t. Undefined for less than two values, which say nothing about how far they vary. */
export const meanOf = (values: readonly number[]): Estimate | undefined => {
  const { length } = values;
  if (length < 2) return undefined;
  const value = values.reduce((sum, each) => sum + each, 0) / length;
  const variance = values.reduce((sum, each) => sum + (each - value) ** 2, 0) / (length - 1);
  const half = (STUDENT[length - 2] ?? NORMAL) * Math.sqrt(variance / length);
  return { value, low: value - half, high: value + half };
};
