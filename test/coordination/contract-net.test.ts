import { expect, test } from 'vitest';
import { agent } from '../../src/runtime/define/agent.ts';
import { contractNet } from '../../src/patterns/index.ts';
import type { ContractNetSetup } from '../../src/patterns/contract-net.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, ofType, phasesOf, settled, start } from '../support/runs.ts';
import { turnsOf } from './turns.ts';

const says = (name: string, ...script: readonly ScriptedReply[]) =>
  agent({ name, failures: { retry: { attempts: 1 } }, model: scriptedModel(script, name) });

const bid = (cost: number, confidence = 1, estimateMs: number | null = null): string =>
  JSON.stringify({ cost, confidence, estimateMs });

const late =
  (clock: VirtualClock, ms: number, text: string): ScriptedReply =>
  () =>
    new Promise((resolve) => {
      clock.setTimeout(() => {
        resolve(text);
      }, ms);
    });

const market = (
  contractors: ContractNetSetup<string>['contractors'],
  given: Partial<ContractNetSetup<string>> = {},
  clock = virtualClock(1_000),
) =>
  letTimePass(
    clock,
    settled(start(contractNet({ name: 'market', contractors, ...given }), 'Paint it.', { clock })),
  );

test('all bid at the same time, the best bid gets the work, and nobody else does any', async () => {
  const ann = scriptedModel([bid(5, 0.5), 'by ann']);
  const result = await market({
    ann: agent({ name: 'ann', model: ann }),
    bob: says('bob', `Well: ${bid(6, 0.9)}`, 'by bob'),
    carl: says('carl', bid(9, 1)),
  });
  expect(result.output).toBe('by bob');
  expect(turnsOf(result, 'market')).toEqual(['ann', 'bob', 'carl', 'bob']);
  expect(phasesOf(result.events, 'market')).toEqual([
    'announcing',
    'weighing',
    'executing',
    'judging',
    'completed',
  ]);
  expect(ann.requests[0]?.messages[0]?.text).toContain('Work: Paint it.');
  expect(ofType(result.events, 'bid.made').map(({ member, cost }) => [member, cost])).toEqual([
    ['ann', 5],
    ['bob', 6],
    ['carl', 9],
  ]);
  expect(ofType(result.events, 'contract.awarded')).toMatchObject([{ member: 'bob', byRule: true }]);
});

test.each([
  ['best', 'b'],
  ['cheapest', 'a'],
  ['surest', 'c'],
  ['fastest', 'd'],
] as const)('by %s it is %s', async (award, expected) => {
  const contractors = {
    a: says('a', bid(1, 0.1), 'a'),
    b: says('b', bid(2, 0.9), 'b'),
    c: says('c', bid(3, 1), 'c'),
    d: says('d', bid(4, 0.9, 10), 'd'),
  };
  expect((await market(contractors, { award })).output).toBe(expected);
});

test('a rule of one’s own names the order; whom it does not name gets nothing', async () => {
  const contractors = () => ({ a: says('a', bid(1), new Error('fell')), b: says('b', bid(2), 'b') });
  const result = await market(contractors(), { award: (bids) => bids.map(({ member }) => member) });
  expect(result.output).toBe('b');
  expect((await market(contractors(), { award: () => ['a', 'nobody'] })).status).toBe('failed');
  expect((await market(contractors(), { award: () => [] })).stopReason).toMatchObject({ rule: 'award' });
  const thrown = await market(contractors(), {
    award: () => {
      throw new Error('lost');
    },
  });
  expect(thrown).toMatchObject({ status: 'failed', error: { code: 'agent.threw' } });
});

test('if the best one fails the next best does it', async () => {
  const result = await market({
    a: says('a', bid(1), new Error('fell')),
    b: says('b', bid(3), 'b'),
    c: says('c', bid(2), new Error('fell')),
  });
  expect(result).toMatchObject({
    output: 'b',
    state: { failed: [{ member: 'a' }, { member: 'c' }] },
  });
  expect(turnsOf(result, 'market')).toEqual(['a', 'b', 'c', 'a', 'c', 'b']);
});

test('what is no valid bid is none, and so is one after the deadline; all of it is said', async () => {
  const clock = virtualClock(1_000);
  const result = await market(
    {
      a: says('a', bid(-1)),
      b: says('b', bid(1, 2)),
      c: says('c', '{"bid": false}'),
      d: says('d', 'I would love to'),
      e: says('e', late(clock, 6_000, bid(1)), 'never'),
      f: says('f', new Error('ill')),
      g: says('g', late(clock, 4_000, bid(100)), 'by g'),
    },
    { bidTimeMs: 5_000 },
    clock,
  );
  expect(result.output).toBe('by g');
  expect(result.state).toMatchObject({
    bids: [{ member: 'g' }],
    noBids: [
      { member: 'a', reason: 'invalid bid' },
      { member: 'b', reason: 'invalid bid' },
      { member: 'c', reason: 'no bid' },
      { member: 'd', reason: 'no bid' },
      { member: 'e', reason: 'too late' },
      { member: 'f' },
    ],
  });
  const [awarded] = ofType(result.events, 'contract.awarded');
  expect((awarded?.at ?? 0) - (result.events[0]?.at ?? 0)).toBe(5_000);
});

test('without bids it stops, and does nothing', async () => {
  const result = await market({ a: says('a', 'no'), b: says('b', 'no') });
  expect(result).toMatchObject({
    status: 'stopped',
    stopReason: { kind: 'rule', rule: 'bids', detail: 'nobody bid: a (no bid), b (no bid)' },
  });
  expect(turnsOf(result, 'market')).toEqual(['a', 'b']);
});

test('a manager says who gets it; what it says without sense is left to the rule', async () => {
  const contractors = () => ({ a: says('a', bid(1), 'a'), b: says('b', bid(2), 'b') });
  const manager = (text: ScriptedReply) => says('boss', text);
  const chosen = await market(contractors(), { manager: manager('{"contractors": ["b"]}') });
  expect(chosen.output).toBe('b');
  expect(phasesOf(chosen.events, 'market').slice(1, 5)).toEqual([
    'weighing',
    'consulting',
    'awarding',
    'executing',
  ]);
  expect(ofType(chosen.events, 'contract.awarded')).toMatchObject([{ member: 'b', byRule: false }]);
  for (const nonsense of ['whoever', '{"contractors": ["z"]}', new Error('ill')]) {
    const lost = await market(contractors(), { manager: manager(nonsense) });
    expect(lost).toMatchObject({ output: 'a', state: { isManagerLost: true } });
    expect(ofType(lost.events, 'contract.awarded')).toMatchObject([{ byRule: true }]);
  }
});

test('the bid may be somebody else’s to make', async () => {
  const result = await market({
    a: { agent: says('a', 'by a'), bidder: says('prices', bid(1)) },
    b: says('b', bid(2)),
  });
  expect(result.output).toBe('by a');
  expect(turnsOf(result, 'market')).toEqual(['a-bidder', 'b', 'a']);
});

test.each([
  [{ contractors: {} }, 'needs contractors'],
  [{ contractors: { manager: says('a') } }, "called 'manager'"],
  [{ contractors: { a: says('a') }, award: 'dearest' as never }, "'dearest'"],
  [{ contractors: { a: says('a') }, bidTimeMs: 0 }, 'bidTimeMs'],
])('what cannot be meant is refused where it is defined: %#', (given, found) => {
  expect(() => contractNet({ name: 'market', ...given })).toThrow(
    expect.objectContaining({ code: 'team.invalid', message: expect.stringContaining(found) }),
  );
});
