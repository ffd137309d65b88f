import type { Estimate } from './intervals.ts';
import { NORMAL } from './intervals.ts';
import { normalQuantile, normalShare } from './normal.ts';

/** Samples that are drawn. */
const RESAMPLES = 2_000;

/**
 * Estimates a mean by the bootstrap, bias-corrected and accelerated (BCa; Efron 1987, as in Efron and Tibshirani, An Introduction to the
 * Bootstrap, 1993, chapter 14). Draws follow from a fixed seed: equal values have equal intervals. Undefined for less than two values.
 *
 * Where all values are the same, so are all samples, and the interval is one point: what it is worth depends on their number alone.
 */
export const bootstrapMean = (values: readonly number[]): Estimate | undefined => {
  const { length } = values;
  if (length < 2) return undefined;
  const total = values.reduce((sum, each) => sum + each, 0);
  const value = total / length;
  if (values.every((each) => each === values[0])) return { value, low: value, high: value };
  const random = seededRandom();
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let index = 0; index < length; index += 1) sum += values[Math.floor(random() * length)] ?? 0;
    return sum / length;
  }).toSorted();
  const below = means.reduce((count, mean) => count + (mean < value ? 1 : mean === value ? 0.5 : 0), 0);
  const bias = normalQuantile(below / RESAMPLES);
  const acceleration = accelerationOf(values, total);
  const end = (z: number): number => {
    const shifted = bias + z;
    const share = normalShare(bias + shifted / (1 - acceleration * shifted));
    return means[Math.min(RESAMPLES - 1, Math.max(0, Math.floor(share * RESAMPLES)))] ?? value;
  };
  return { value, low: end(-NORMAL), high: end(NORMAL) };
};

/** The skewness of what the mean is without each of the values (the jackknife). */
const accelerationOf = (values: readonly number[], total: number): number => {
  const without = values.map((each) => (total - each) / (values.length - 1));
  const middle = without.reduce((sum, each) => sum + each, 0) / without.length;
  const squares = without.reduce((sum, each) => sum + (middle - each) ** 2, 0);
  const cubes = without.reduce((sum, each) => sum + (middle - each) ** 3, 0);
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
};

/** Draws that are the same each time: mulberry32, with a period of 2^32. */
const seededRandom = (): (() => number) => {
  let state = 0x9e37_79b9;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
