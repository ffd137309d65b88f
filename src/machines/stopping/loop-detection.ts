import type { LoopLimits } from '../../contracts/agents/ending.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { PlannedCall } from '../agent/call-plan.ts';

/** A loop: a number of steps, and how often they were repeated. */
export interface Loop {
  readonly period: number;
  readonly repeats: number;
}

/** Limits that distinguish a loop from patience in practice (warn at 3, stop at 5, patterns of up to 4 steps). */
export const defaultLoopLimits: LoopLimits = { warnAt: 3, stopAt: 5 };

const MAX_PERIOD = 4;

/**
 * A fingerprint of a step: its calls, their inputs and results.
 *
 * Results count, as repeating a request whose result changes is waiting, not a loop. Input keys in `ignore` do not.
 */
export const fingerprint = (
  calls: readonly PlannedCall[],
  results: readonly ToolResult[],
  ignore: readonly string[] = [],
): number =>
  printOf(
    JSON.stringify(
      calls.map(({ name, input }, index) => [name, input, results[index]?.text ?? '']),
      ignore.length === 0 ? undefined : (key, value: unknown) => (ignore.includes(key) ? undefined : value),
    ),
  );

/** Appends a fingerprint, and keeps as many as loop detection needs. */
export const remember = <Print>(
  recent: readonly Print[],
  print: Print,
  { stopAt }: LoopLimits,
): readonly Print[] => {
  const kept = recent.slice(recent.length < MAX_PERIOD * stopAt ? 0 : 1);
  kept.push(print);
  return kept;
};

/** The loop at the end of `recent` with at least `warnAt` repetitions, if any; the shortest period counts. */
export const findLoop = (recent: readonly unknown[], { warnAt }: LoopLimits): Loop | undefined => {
  for (let period = 1; period <= MAX_PERIOD; period += 1) {
    const repeats = roundsAtEnd(recent, period);
    if (repeats >= warnAt) return { period, repeats };
  }
  return undefined;
};

const roundsAtEnd = (recent: readonly unknown[], period: number): number => {
  let equal = 0;
  for (let index = recent.length - 1; index - period >= 0; index -= 1) {
    if (recent[index] !== recent[index - period]) break;
    equal += 1;
  }
  return Math.floor(equal / period) + 1;
};

/** FNV-1a in two halves (http://www.isthe.com/chongo/tech/comp/fnv/), 53 bits of them as a number: sufficient to distinguish steps. */
export const printOf = (text: string): number => {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + index), 0x01000193);
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11);
};
