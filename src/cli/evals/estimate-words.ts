import type { Estimate } from '../../testing/statistics/intervals.ts';
import { dollars } from '../words/ending.ts';

/** A share as people read it: `83.3 %`. */
export const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

/** A score, or a coefficient: two digits. */
export const score = (value: number): string => (Math.round(value * 100) / 100).toFixed(2);

/** US dollars with their sign. */
export const signedDollars = (usd: number): string => `${usd < 0 ? '−' : '+'}${dollars(Math.abs(usd))}`;

/** A score with its sign. */
export const signedScore = (value: number): string => `${value < 0 ? '−' : '+'}${score(Math.abs(value))}`;

/** An estimate with its interval: `83.3 % (55.2 % to 95.3 %)`; of one case alone there is no interval. */
export const estimateWords = ({ value, low, high }: Estimate, words: (value: number) => string): string =>
  Number.isFinite(high) ? `${words(value)} (${words(low)} to ${words(high)})` : words(value);
