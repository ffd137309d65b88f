import { expect, test } from 'vitest';
import type { EndingView } from '../../src/contracts/agents/ending.ts';
import { bySupervisor } from '../../src/machines/endings/supervised-ending.ts';

const never = { name: 'never', check: () => 'Not yet.' };

const verdict = (given: Partial<EndingView>): string => {
  const judged = { agent: 'a', step: 1, phase: null, state: {}, answer: 'x', text: 'x', said: '' };
  const before = { results: [], sentBack: 0, stuck: 0, spoken: [], isLast: false };
  const used = { modelCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  const tally = { ...used, retries: 0, startedAt: 0, now: 0 };
  return bySupervisor([never]).answered({ ...judged, ...before, tally, ...given }).kind;
};

test.each([
  [{ sentBack: 29 }, 'goOn'],
  [{ sentBack: 30 }, 'giveUp'],
  [{ sentBack: 2, stuck: 2 }, 'goOn'],
  [{ sentBack: 3, stuck: 3 }, 'giveUp'],
])('[TENEX-U2] unless said otherwise a supervisor makes of an answer at %j: %s', (given, kind) => {
  expect(verdict(given)).toBe(kind);
});

test('[TENEX-U2] an answer that was asked for as the last is not sent back', () => {
  expect(verdict({ isLast: true })).toBe('end');
});
