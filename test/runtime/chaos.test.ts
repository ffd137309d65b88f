import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chaos, endure } from '../support/chaos.ts';
import { isThorough } from '../support/thorough.ts';

/** Enough to meet each fault in many places; the full gate looks much longer, and elsewhere each time. */
const search = isThorough ? { numRuns: 5_000 } : { numRuns: 100, seed: 20_260 };

test('[P7] [P1] [P18] whatever breaks, and whenever it is aborted: one end, last; whole logs; nothing escapes', async () => {
  const escaped: unknown[] = [];
  const note = (error: unknown): void => void escaped.push(error);
  process.on('unhandledRejection', note).on('uncaughtException', note);
  const ends = new Set<string>();
  try {
    await fc.assert(
      fc.asyncProperty(chaos, async (plan) => {
        const { result, problems } = await endure(plan);
        ends.add(result.status);
        expect(problems).toEqual([]);
        expect(escaped).toEqual([]);
      }),
      search,
    );
  } finally {
    process.off('unhandledRejection', note).off('uncaughtException', note);
  }
  expect(ends).toEqual(new Set(['completed', 'stopped', 'aborted', 'failed']));
}, 600_000);
