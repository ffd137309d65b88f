import { expect, test } from 'vitest';
import { approvalWords, asksForName } from '../../../src/inspect/drawing/approval-words.ts';

test('[KAIZEN-62] a person reads by which rule a call is asked about, what it needs, and who has approved it', () => {
  const terms = {
    rule: 'large-payments',
    reason: 'more than 1,000',
    by: 'lead',
    approvals: 2,
    also: [{ by: 'security' }, { rule: 'odd' }],
    approvedBy: [{ name: 'Ada' }],
  };
  expect(approvalWords(terms)).toEqual([
    'large-payments: more than 1,000 · needs 2 people with the role lead',
    'needs a person with the role security',
    'odd',
    'approved by Ada',
  ]);
  expect(approvalWords({})).toEqual([]);
  expect(
    [{}, { rule: 'a' }, { by: 'lead' }, { approvals: 2 }, { also: [{ by: 'lead' }] }].map(asksForName),
  ).toEqual([false, false, true, true, true]);
});
