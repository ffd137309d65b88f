import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ErrorData, Retryable } from '../../src/contracts/errors/error-data.ts';
import {
  decideModelRetry,
  decideToolRetry,
  modelRetryDefaults,
  type RetryDecision,
  toolRetryDefaults,
} from '../../src/models/retry/retry-policy.ts';

const failure = (retryable: Retryable, retryAfterMs?: number): ErrorData => ({
  code: 'model.unavailable',
  message: 'x',
  retryable,
  retryAfterMs,
});

const at = (attempt: number, parts: { waitedMs?: number; random?: number } = {}) => ({
  attempt,
  waitedMs: 0,
  random: 1,
  ...parts,
});

const waits = (decide: (attempt: number) => RetryDecision): number[] => {
  const found: number[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const decision = decide(attempt);
    if (!decision.retry) return found;
    found.push(decision.waitMs);
  }
};

describe('a failed model call', () => {
  it('[P19] is tried three times in all', () => {
    expect(waits((attempt) => decideModelRetry(failure('yes'), at(attempt)))).toHaveLength(2);
    expect(decideModelRetry(failure('yes'), at(3))).toEqual({ retry: false, reason: 'no-attempts-left' });
  });

  it('[DODO-25] waits at most 1, 2, 4 … s, and no more than the cap', () => {
    const retry = { attempts: 9, maxWaitMs: 30_000 };
    const found = waits((attempt) => decideModelRetry(failure('yes'), at(attempt), retry));
    expect(found).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('[KAIZEN-86] waits by chance, never longer than 1, 2, 4 s', () => {
    const progress = fc.record({
      attempt: fc.constantFrom(1, 2, 3),
      random: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    });
    fc.assert(
      fc.property(progress, ({ attempt, random }) => {
        const decision = decideModelRetry(failure('yes'), at(attempt, { random }), { attempts: 4 });
        expect(decision.retry && decision.waitMs).toBeLessThanOrEqual(
          [1_000, 2_000, 4_000][attempt - 1] ?? 0,
        );
        // Chance alone decides: the same chance, the same wait.
        expect(decideModelRetry(failure('yes'), at(attempt, { random }), { attempts: 4 })).toEqual(decision);
      }),
    );
  });

  it('[D40] has full jitter: any wait from nothing to the bare doubling', () => {
    const waitOf = (random: number) => decideModelRetry(failure('yes'), at(2, { random }));
    expect([waitOf(0), waitOf(0.5)]).toEqual([
      { retry: true, waitMs: 0 },
      { retry: true, waitMs: 1_000 },
    ]);
  });

  it('[DODO-27] [D40] never waits longer than the cap, jitter included, and never shorter than it was asked to', () => {
    fc.assert(
      fc.property(
        fc.record({
          attempt: fc.integer({ min: 1, max: 40 }),
          random: fc.double({ min: 0, max: 1, noNaN: true }),
          asked: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
          maxWaitMs: fc.integer({ min: 1, max: 90_000 }),
        }),
        ({ attempt, random, asked, maxWaitMs }) => {
          const decision = decideModelRetry(failure('yes', asked), at(attempt, { random }), {
            attempts: 99,
            maxWaitMs,
          });
          if (!decision.retry) return asked !== undefined && asked > maxWaitMs;
          return (
            decision.waitMs <= maxWaitMs &&
            decision.waitMs >= (asked ?? 0) &&
            Number.isInteger(decision.waitMs)
          );
        },
      ),
    );
  });

  it('[F1] [D40] waits what the provider asked for, and up to a tenth more', () => {
    expect(decideModelRetry(failure('yes', 5_000), at(1, { random: 0 }))).toEqual({
      retry: true,
      waitMs: 5_000,
    });
    expect(decideModelRetry(failure('yes', 5_000), at(1))).toEqual({ retry: true, waitMs: 5_500 });
  });

  it('is not tried again when the provider asks for more than the cap', () => {
    expect(decideModelRetry(failure('yes', 60_000), at(1))).toEqual({ retry: true, waitMs: 60_000 });
    expect(decideModelRetry(failure('yes', 60_001), at(1))).toEqual({
      retry: false,
      reason: 'wait-too-long',
    });
    expect(decideModelRetry(failure('yes', 3e9), at(1))).toEqual({ retry: false, reason: 'wait-too-long' });
  });

  it('[P19] is not tried again when all waits together would pass five minutes', () => {
    expect(decideModelRetry(failure('yes'), at(1, { waitedMs: 299_000 }))).toMatchObject({ retry: true });
    expect(decideModelRetry(failure('yes'), at(1, { waitedMs: 299_001 }))).toEqual({
      retry: false,
      reason: 'waited-too-long',
    });
  });

  it('[DODO-31] is tried once if trying again cannot help', () => {
    expect(decideModelRetry(failure('no', 10), at(1))).toEqual({ retry: false, reason: 'not-retryable' });
  });

  it('[DODO-30] is tried once more if trying again may help, whatever the limit', () => {
    const decide = (attempt: number) => decideModelRetry(failure('maybe'), at(attempt), { attempts: 9 });
    expect(waits(decide)).toHaveLength(1);
  });

  it('takes every number that it is not told from the defaults', () => {
    const explicit = { attempts: undefined, initialWaitMs: 10, maxWaitMs: undefined };
    expect(decideModelRetry(failure('yes'), at(2), explicit)).toEqual({ retry: true, waitMs: 20 });
    expect(modelRetryDefaults).toEqual({
      attempts: 3,
      initialWaitMs: 1_000,
      maxWaitMs: 60_000,
      maxTotalWaitMs: 300_000,
      attemptTimeoutMs: 600_000,
      idleTimeoutMs: 90_000,
      onBreak: 'restart',
      adaptive: false,
    });
  });
});

describe('a failed tool call', () => {
  it('[DODO-26] is tried again after 0.5 and 1 s, then no more', () => {
    expect(waits((attempt) => decideToolRetry(failure('yes'), at(attempt)))).toEqual([500, 1_000]);
  });

  it('[DODO-26] waits no longer than 10 s', () => {
    const retry = { ...toolRetryDefaults, attempts: 9 };
    expect(Math.max(...waits((attempt) => decideToolRetry(failure('yes'), at(attempt), retry)))).toBe(10_000);
  });
});
