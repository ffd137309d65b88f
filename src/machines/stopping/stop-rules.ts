import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { atOnce } from '../rules.ts';
import type { StopRule, StopView } from '../../contracts/agents/stop-rule.ts';

/**
 * Stops after a number of steps (`>=`). An agent without a limit of its own stops after 50.
 *
 * @example agent({ name: 'a', stop: maxSteps(5) })
 * @throws {TroupeError} `agent.invalid` for what is neither a whole number from 1 nor Infinity, which is no limit.
 */
export const maxSteps = (limit: number): StopRule => {
  checkLimit('maxSteps', limit);
  return {
    name: 'maxSteps',
    limitsSteps: true,
    check: ({ step }) => (step >= limit ? { kind: 'maxSteps', limit } : undefined),
    pressure: ({ step }) => (step + 1 >= limit ? 1 : step / limit),
  };
};

/**
 * Stops when more than `limitMs` milliseconds (`>`) have passed since the agent started, also within a step: pending effects are aborted,
 * and abandoned if they do not end.
 *
 * @throws {TroupeError} `agent.invalid` for what is no number from 0.
 */
export const maxTime = (limitMs: number): StopRule => {
  // A comparison with NaN is never true: the rule would never stop anything.
  if (!(typeof limitMs === 'number' && limitMs >= 0)) throw badLimit('maxTime', 'number from 0', limitMs);
  return {
    name: 'maxTime',
    deadline: { afterMs: limitMs, reason: { kind: 'maxTime', limitMs } },
    check: ({ tally }) => (tally.now - tally.startedAt > limitMs ? { kind: 'maxTime', limitMs } : undefined),
    pressure: ({ tally }) => share(tally.now - tally.startedAt, limitMs),
  };
};

/**
 * Stops when a number of tokens (`>=`), input and output together, is used.
 *
 * @throws {TroupeError} `agent.invalid` for what is neither a whole number from 1 nor Infinity.
 */
export const maxTokens = (limit: number): StopRule => {
  checkLimit('maxTokens', limit);
  return {
    name: 'maxTokens',
    check: ({ tally }) =>
      tally.inputTokens + tally.outputTokens >= limit ? { kind: 'maxTokens', limit } : undefined,
    pressure: ({ tally }) => share(tally.inputTokens + tally.outputTokens, limit),
  };
};

/**
 * Stops after a number of tool calls (`>=`).
 *
 * @throws {TroupeError} `agent.invalid` for what is neither a whole number from 1 nor Infinity.
 */
export const maxToolCalls = (limit: number): StopRule => {
  checkLimit('maxToolCalls', limit);
  return {
    name: 'maxToolCalls',
    check: ({ tally }) => (tally.toolCalls >= limit ? { kind: 'maxToolCalls', limit } : undefined),
    pressure: ({ tally }) => share(tally.toolCalls, limit),
  };
};

/**
 * Stops as soon as `test` returns true or a text, which is the detail.
 *
 * @example stopWhen('found', ({ results }) => results.some((result) => result.text.includes('42')))
 */
export const stopWhen = (name: string, test: (view: StopView) => string | boolean | undefined): StopRule => ({
  name,
  check: (view) => {
    const found = atOnce(test(view));
    return found === false || found === undefined
      ? undefined
      : { kind: 'rule', rule: name, detail: found === true ? name : found };
  },
});

/** The used share of a limit; 1 for a limit of 0. */
const share = (used: number, limit: number): number => (limit > 0 ? used / limit : 1);

/** Unknown, as limits come from settings and JavaScript. */
const checkLimit = (rule: string, limit: unknown): void => {
  const isWhole = Number.isInteger(limit) || limit === Infinity;
  if (!isWhole || typeof limit !== 'number' || limit < 1) throw badLimit(rule, 'whole number from 1', limit);
};

const badLimit = (rule: string, wanted: string, limit: unknown): TroupeError =>
  new TroupeError(
    'agent.invalid',
    `Cannot stop by ${rule} as its limit is not a ${wanted}: found ${foundText(limit)}`,
  );
