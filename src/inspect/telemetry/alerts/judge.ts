import type { Judged } from './alert.ts';
import type { AlertRule } from './alert-rule.ts';
import { isLatency, WINDOW_MS } from './alert-rule.ts';
import type { Sample } from './read-measure.ts';

/** Values before the newest that a deviation is judged by. */
export const MOST_BEFORE = 1_000;
/** Values that a mean must rest on before a deviation from it means anything. */
const LEAST_BEFORE = 10;
/** Equal values have no deviation: this part of the mean, or this number of ms or tokens, is none either. */
const NOISE = 0.01;
const GRAIN = 1;

/** Values of a group of work by now: samples in order of arrival, and how much is in progress. */
export interface Judgeable {
  readonly samples: readonly Sample[];
  readonly level: number;
}

/** Judges a rule by the values that it has at a moment; undefined where there are too few. */
export const judge = (rule: AlertRule, { samples, level }: Judgeable, now: number): Judged | undefined => {
  const { windowMs = WINDOW_MS, least = 1 } = rule;
  if (rule.metric === 'queue.depth') return compare(rule, level);
  const within = samples.filter(({ at }) => at > now - windowMs && at <= now);
  if (within.length < least) return undefined;
  if (rule.deviation !== undefined) return deviate(rule.deviation, rule, samples);
  const value = valueOf(rule, within);
  if (value === undefined) return undefined;
  if (rule.rise === undefined) return compare(rule, value);
  const before = samples.filter(({ at }) => at > now - 2 * windowMs && at <= now - windowMs);
  const earlier = before.length < least ? undefined : valueOf(rule, before);
  if (earlier === undefined || earlier === 0) return undefined;
  const rise = value / earlier - 1;
  return { value: rise, isMet: rise > rule.rise };
};

const compare = ({ over = Infinity, under = -Infinity }: AlertRule, value: number): Judged => ({
  value,
  isMet: value > over || value < under,
});

const sum = (samples: readonly Sample[], of: 'value' | 'weight' = 'value'): number =>
  samples.reduce((total, sample) => total + sample[of], 0);

/** The figure that the values of a window come to. */
const valueOf = (rule: AlertRule, samples: readonly Sample[]): number | undefined => {
  const { metric, budget, windowMs = WINDOW_MS } = rule;
  if (isLatency(metric)) return latencyOf(rule, samples);
  switch (metric) {
    case 'error.rate':
    case 'retry.rate': {
      const weight = sum(samples, 'weight');
      return weight === 0 ? undefined : sum(samples) / weight;
    }
    case 'budget.used':
      return samples.reduce((most, { value }) => Math.max(most, value), 0);
    case 'budget.burn':
      return budget && sum(samples) / ((budget.usd * windowMs) / budget.perMs);
    default:
      return sum(samples);
  }
};

const latencyOf = (
  { percentile, rise, under }: AlertRule,
  samples: readonly Sample[],
): number | undefined => {
  if (rise !== undefined) return sum(samples) / samples.length;
  const sorted = samples.map(({ value }) => value).toSorted((one, other) => one - other);
  if (percentile === undefined) return under === undefined ? sorted.at(-1) : sorted[0];
  return sorted[Math.max(0, Math.ceil(percentile * sorted.length) - 1)];
};

/** The newest value, measured in standard deviations of those before it. */
const deviate = (limit: number, { metric }: AlertRule, samples: readonly Sample[]): Judged | undefined => {
  const newest = samples.at(-1);
  const before = samples.slice(-1 - MOST_BEFORE, -1);
  if (newest === undefined || before.length < LEAST_BEFORE) return undefined;
  const mean = sum(before) / before.length;
  const spread = Math.sqrt(
    before.reduce((total, { value }) => total + (value - mean) ** 2, 0) / before.length,
  );
  const distance = Math.abs(newest.value - mean);
  const noise = Math.max(mean * NOISE, metric === 'cost' ? 0 : GRAIN);
  if (distance <= noise) return { value: 0, isMet: false };
  const value = distance / Math.max(spread, Number.EPSILON);
  return { value, isMet: value > limit };
};
