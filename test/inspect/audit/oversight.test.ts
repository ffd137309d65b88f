import { expect, test } from 'vitest';
import type { RuntimeEvent } from '../../../src/index.ts';
import type { AuditEntry } from '../../../src/inspect/audit/audit-entry.ts';
import { AuditFold } from '../../../src/inspect/audit/audit-fold.ts';
import { oversightOf } from '../../../src/inspect/audit/oversight.ts';

/** Events of a run at times of their own, with the person that a later release may name. */
const entriesOf = (bodies: readonly object[]): readonly AuditEntry[] => {
  const fold = new AuditFold('genesis');
  return bodies.flatMap((body, seq) =>
    // Of the form that the runtime writes.
    fold.take({ v: 1, runId: 'r', path: 'desk', agent: 'desk', seq, at: 0, ...body } as RuntimeEvent),
  );
};

const call = (id: string) => ({ id, callId: `call-${id}`, tool: 'pay' });
const asked = (id: string, at: number) => ({
  type: 'tool.approval-requested',
  at,
  ...call(id),
  input: { sum: 5 },
  description: `Paying for ${id}`,
  // The role that may answer, and not a person.
  by: 'cfo',
});

test('[KAIZEN-61] a report says what was asked of whom, what they saw, decided, and how fast; approvals in under 2 s are counted', () => {
  const entries = entriesOf([
    { type: 'run.started', input: 'x' },
    asked('a', 1_000),
    { type: 'tool.approved', at: 2_999, ...call('a'), by: { name: 'ada', roles: ['cfo'] } },
    asked('b', 3_000),
    { type: 'tool.approved', at: 5_000, ...call('b'), by: 'ada', input: { sum: 4 } },
    asked('c', 6_000),
    { type: 'tool.denied', at: 16_000, ...call('c'), by: 'bob', reason: 'no', rule: 'sums' },
    asked('d', 20_000),
    { type: 'tool.denied', at: 30_000, ...call('d'), reason: 'nobody answered in time' },
    { type: 'person.asked', at: 31_000, id: 'e', question: 'To whom?' },
    { type: 'person.answered', at: 33_000, id: 'e', text: 'To Bob.' },
    { type: 'tool.denied', at: 34_000, callId: 'x', tool: 'wipe', reason: 'read only' },
    asked('f', 40_000),
    { type: 'request.withdrawn', at: 41_000, id: 'f', reason: 'the run was aborted' },
    asked('g', 42_000),
  ]);
  const report = oversightOf(entries);
  expect(report.counts).toEqual({ granted: 2, denied: 1, answered: 1, expired: 1, withdrawn: 1, open: 1 });
  expect(report).toMatchObject({ grantedAtOnce: 1, deniedByRule: 1, medianMs: 2_000 });
  expect(report.people).toEqual([
    { person: 'ada', decided: 2, granted: 2, grantedAtOnce: 1, medianMs: 1_999 },
    { person: 'bob', decided: 1, granted: 0, grantedAtOnce: 0, medianMs: 10_000 },
    { person: undefined, decided: 1, granted: 0, grantedAtOnce: 0, medianMs: 2_000 },
  ]);
  expect(report.requests[0]).toMatchObject({
    tool: 'pay',
    shown: { input: { sum: 5 }, description: 'Paying for a' },
    outcome: 'granted',
    people: ['ada'],
    afterMs: 1_999,
  });
  expect(report.requests[1]).toMatchObject({ isChanged: true, afterMs: 2_000 });
  expect(report.requests[2]).toMatchObject({ outcome: 'denied', rule: 'sums' });
});

test('an erased request is reported without what was shown', () => {
  const entries = entriesOf([asked('a', 1), { type: 'tool.approved', at: 9, ...call('a') }]);
  const erased = entries.map((entry) => ({ ...entry, content: undefined }));
  expect(oversightOf(erased).requests).toMatchObject([{ outcome: 'granted', afterMs: 8 }]);
  expect(oversightOf(erased).requests[0]?.shown).toBeUndefined();
});

test('a report on a person, a rule or a time has each request that it is about as a whole, with all who approved it', () => {
  const given = (id: string, at: number, name: string) => ({
    type: 'tool.approval-given',
    at,
    ...call(id),
    by: { name },
  });
  const entries = entriesOf([
    { type: 'run.started', input: 'x' },
    { ...asked('a', 1_000), rule: 'two-leads' },
    given('a', 2_000, 'ada'),
    { type: 'tool.approved', at: 6_000, ...call('a'), by: { name: 'ben' } },
    { ...asked('b', 10_000), rule: 'two-leads' },
    given('b', 15_000, 'ada'),
    asked('c', 20_000),
    { type: 'tool.approved', at: 29_000, ...call('c'), by: { name: 'ben' } },
    { type: 'tool.denied', at: 34_000, callId: 'x', tool: 'wipe', reason: 'read only', rule: 'no-wipe' },
  ]);
  const ada = oversightOf(entries, { person: 'ada' });
  expect(ada.requests).toMatchObject([
    { people: ['ada', 'ben'], outcome: 'granted', afterMs: 5_000 },
    { people: ['ada'], outcome: 'open' },
  ]);
  expect(ada).toMatchObject({ counts: { granted: 1, open: 1 }, deniedByRule: 0 });
  expect(ada.people).toEqual([
    { person: 'ada', decided: 2, granted: 2, grantedAtOnce: 1, medianMs: 1_000 },
    { person: 'ben', decided: 1, granted: 1, grantedAtOnce: 0, medianMs: 5_000 },
  ]);
  expect(oversightOf(entries, { person: 'ben' }).requests).toHaveLength(2);
  expect(oversightOf(entries, { rule: 'two-leads' }).requests).toHaveLength(2);
  expect(oversightOf(entries, { rule: 'no-wipe' })).toMatchObject({ requests: [], deniedByRule: 1 });
  expect(oversightOf(entries, { since: 28_000 }).requests).toMatchObject([
    { outcome: 'granted', people: ['ben'] },
  ]);
});
