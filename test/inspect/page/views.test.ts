import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ActorFilter } from '../../../src/inspect/page/actor-tree.ts';
import {
  actorRows,
  budgetsOf,
  mailboxOf,
  nameOf,
  openBelow,
  stateNames,
  taskOf,
  waitWords,
} from '../../../src/inspect/page/actor-tree.ts';
import { blocksOf, openingBlock } from '../../../src/inspect/page/cost/flame.ts';
import { clockOf, moneyOf, several, spanOf } from '../../../src/inspect/page/figures.ts';
import type { Part } from '../../../src/inspect/page/folds/spending.ts';
import { isSame, jsonRows } from '../../../src/inspect/page/json-changes.ts';
import { arrowHead, crosses, roundedPath } from '../../../src/inspect/drawing/lines.ts';
import { markerOf, thinMarkers } from '../../../src/inspect/page/markers.ts';
import type { Role } from '../../../src/inspect/recording/entry.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';

const all: ActorFilter = {
  text: '',
  run: undefined,
  withEffects: 'all',
  onlyActive: false,
  collapsed: new Set(),
};

const house = (): Tableau => {
  const tableau = new Tableau();
  const come = (actor: string, role: Role, parent?: string): void => {
    const name = actor.split('/').at(-1) ?? actor;
    tableau.apply({
      n: tableau.length,
      at: 0,
      kind: 'actor',
      actor,
      run: actor[0] ?? '',
      name,
      role,
      parent,
    });
  };
  come('r', 'team');
  come('r/ann', 'agent', 'r');
  come('r/ann/ask', 'model', 'r/ann');
  come('r/bob', 'agent', 'r');
  come('r/bob/pay', 'tool', 'r/bob');
  come('s', 'agent');
  const n = tableau.length;
  tableau.apply({
    n,
    at: 0,
    kind: 'moved',
    actor: 'r/bob',
    on: 'e',
    arrows: [],
    states: ['agent.running.ACT'],
  });
  tableau.apply({ n: n + 1, at: 0, kind: 'gone', actor: 'r/ann/ask', status: 'done' });
  tableau.apply({ n: n + 2, at: 0, kind: 'gone', actor: 'r/ann', status: 'failed' });
  return tableau;
};

const rowsOf = (filter: Partial<ActorFilter>): readonly string[] =>
  actorRows(house(), { ...all, ...filter }).map(({ view, depth }) => `${'.'.repeat(depth)}${view.actor}`);

describe('the tree of actors', () => {
  test('has everybody below whom they are, and nobody below who is closed', () => {
    expect(rowsOf({})).toEqual(['r', '.r/ann', '..r/ann/ask', '.r/bob', '..r/bob/pay', 's']);
    expect(rowsOf({ collapsed: new Set(['r/ann']) })).toEqual(['r', '.r/ann', '.r/bob', '..r/bob/pay', 's']);
    expect(rowsOf({ collapsed: new Set(['r']) })).toEqual(['r', 's']);
  });

  test('leaves out who is not wanted, but not who is above somebody that is', () => {
    expect(rowsOf({ text: 'pay', collapsed: new Set(['r']) })).toEqual(['r', '.r/bob', '..r/bob/pay']);
    expect(rowsOf({ text: 'act', withEffects: 'none' })).toEqual(['r', '.r/bob']);
    expect(rowsOf({ withEffects: 'open' })).toEqual(['r', '.r/ann', '.r/bob', '..r/bob/pay', 's']);
    expect(rowsOf({ onlyActive: true, withEffects: 'none', run: 'r' })).toEqual(['r', '.r/bob']);
    expect(rowsOf({ text: 'nobody' })).toEqual([]);
  });

  test('says where somebody is, how their budgets stand, and what waits in their mailbox', () => {
    expect(stateNames({ states: ['agent.running.OBSERVE.looking', 'x'] })).toBe('looking · x');
    const line = (fraction: number) => ({ limit: 10, used: 10 * fraction, fraction, path: 'r' });
    const context = { tally: { budget: { steps: line(0.1), tokens: line(0.9), at: 5 } }, inbox: [1, 2] };
    expect(budgetsOf({ context }).map(({ name, used }) => `${name} ${used}`)).toEqual([
      'tokens 9',
      'steps 1',
    ]);
    expect(mailboxOf({ context })).toBe(2);
    expect(mailboxOf({ context: { inbox: { length: 7 } } })).toBe(7);
    const call = {
      actor: 'r/ann/call-1',
      role: 'call' as const,
      name: 'ann',
      context: { of: { call: { name: 'pay' } } },
    };
    expect([call, { ...call, context: {} }, { ...call, role: 'agent' as const }].map(nameOf)).toEqual([
      'call of pay',
      'call of a model',
      'ann',
    ]);
    expect([budgetsOf({ context: {} }), mailboxOf({ context: {} })]).toEqual([[], undefined]);
  });
});

describe('for whom an actor waits', () => {
  const wordsIn = (tableau: Tableau): Readonly<Record<string, string | undefined>> => {
    const open = openBelow(tableau);
    return Object.fromEntries(
      [...tableau.actors.values()].map((view) => [view.actor, waitWords(view, open.get(view.actor))]),
    );
  };

  test('is said by the members that are still at work, of whom a few are named, and by the person that is asked', () => {
    const tableau = house();
    expect(wordsIn(tableau)).toEqual({
      r: 'waits for bob',
      'r/ann': undefined,
      'r/ann/ask': undefined,
      'r/bob': undefined,
      'r/bob/pay': undefined,
      s: undefined,
    });
    const come = (actor: string, role: Role, parent: string): void => {
      tableau.apply({
        n: tableau.length,
        at: 0,
        kind: 'actor',
        actor,
        run: 'r',
        name: actor.slice(-3),
        role,
        parent,
      });
    };
    come('r/bob/who', 'person', 'r/bob');
    for (const name of ['cat', 'dan', 'eve']) come(`r/${name}`, 'agent', 'r');
    expect(wordsIn(tableau)).toMatchObject({
      r: 'waits for bob, cat and 2 more',
      'r/bob': 'waits for a person',
    });
  });

  test('a call says its arguments as an agent says its task', () => {
    const context = { input: { to: 'ben' } };
    expect(taskOf({ role: 'tool', context })).toBe('{"to":"ben"}');
    expect(taskOf({ role: 'model', context })).toBeUndefined();
  });
});

test('the cost opens at all that there is in the whole, and at the whole where that is of several', () => {
  const part = (id: string, parts: readonly Part[] = []): Part => ({
    id,
    name: id,
    kind: 'agent',
    actor: undefined,
    n: undefined,
    count: 1,
    spent: { ms: 1 + parts.length, tokens: 1, costUsd: 1 },
    parts,
  });
  const opening = (...parts: readonly Part[]): string | undefined =>
    openingBlock(blocksOf(part('all', parts), 'ms'))?.part.id;
  expect(opening(part('team', [part('ann'), part('ben')]))).toBe('team');
  expect(opening(part('one'), part('two'))).toBe('all');
  expect(opening()).toBe('all');
});

describe('what an actor knows', () => {
  test('is marked where it changed, and everywhere above that, and nowhere else', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (now, before) => {
          const known = JSON.parse(JSON.stringify(now)) as Record<string, unknown>;
          const rows = jsonRows(
            known,
            () => true,
            new Set(Object.keys(before)),
            new Map(Object.entries(before)),
          );
          const changed = rows.filter(({ depth, isChanged }) => depth === 0 && isChanged);
          const expected = Object.keys(known).filter(
            (key) => Object.hasOwn(before, key) && !isSame(before[key], known[key]),
          );
          expect(changed.map(({ key }) => key)).toEqual(expected);
        },
      ),
    );
    const rows = jsonRows(
      { a: { b: [1, 2], c: 3 }, d: 4 },
      () => true,
      new Set(['a']),
      new Map([['a', { b: [1, 9], c: 3 }]]),
    );
    expect(rows.map(({ path, isChanged }) => `${path} ${isChanged}`)).toEqual([
      'a true',
      'a/b true',
      'a/b/0 false',
      'a/b/1 true',
      'a/c false',
      'd false',
    ]);
  });

  test('is shown closed where it is closed, and no longer than can be read', () => {
    const value = { list: Array.from({ length: 2_000 }, (_, index) => index) };
    expect(jsonRows(value, () => false)).toHaveLength(1);
    const rows = jsonRows(value, () => true);
    expect(rows).toHaveLength(502);
    expect(rows.at(-1)?.value).toBe('and 1500 more');
  });
});

describe('lines of a chart', () => {
  test('come into a box, or do not, as many points of them tell', () => {
    const point = fc.record({ x: fc.integer({ min: -20, max: 20 }), y: fc.integer({ min: -20, max: 20 }) });
    const box = { x: -5, y: -5, width: 10, height: 10 };
    fc.assert(
      fc.property(point, point, (from, to) => {
        const isIn = Array.from({ length: 2_001 }, (_, step) => step / 2_000).some((part) => {
          const [x, y] = [from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part];
          return x > -5 && x < 5 && y > -5 && y < 5;
        });
        // Between points that were looked at it may come in at a corner.
        const smaller = { x: -4.9, y: -4.9, width: 9.8, height: 9.8 };
        expect(crosses(from, to, isIn ? box : smaller)).toBe(isIn);
      }),
    );
  });

  test('begin and end where they should, and are round in between', () => {
    const points = [
      { x: 0, y: 0 },
      { x: 100, y: 0 },
      { x: 100, y: 100 },
    ];
    expect(roundedPath(points)).toBe('M0.0 0.0L86.0 0.0Q100.0 0.0 100.0 14.0L100.0 100.0');
    expect(arrowHead(points)).toMatch(/^M100.0 100.0L/);
    expect([roundedPath([]), arrowHead([])]).toEqual(['', '']);
  });
});

describe('markers of a timeline', () => {
  test('are kept for each kind in each part, however many there are', () => {
    const markers = Array.from({ length: 10_000 }, (_, n) => ({
      n,
      kind: n === 5_000 ? ('error' as const) : ('approval' as const),
      text: '',
    }));
    const kept = thinMarkers(markers, 0, 10_000, 100);
    expect(kept).toHaveLength(101);
    expect(kept.some(({ kind }) => kind === 'error')).toBe(true);
    expect(thinMarkers(markers, 9_990, 10_000, 100)).toHaveLength(10);
  });

  test('tell of failures, ends, and of what waited for a person', () => {
    const about = { v: 1 as const, at: 0, runId: 'r', path: 'a', agent: 'a', seq: 0 };
    const kindOf = (event: Parameters<typeof markerOf>[0]): string | undefined => markerOf(event)?.kind;
    const told = { n: 3, at: 0, kind: 'published' as const, actor: 'r/a' };
    const asked = { ...about, type: 'person.asked' as const, id: 'q', question: '?' };
    const call = { ...about, callId: 'c', tool: 't', text: '', durationMs: 1 };
    expect(kindOf({ ...told, event: asked })).toBe('approval');
    expect(kindOf({ ...told, event: { ...call, type: 'tool.finished', ok: false } })).toBe('error');
    expect(kindOf({ ...told, event: { ...call, type: 'tool.finished', ok: true } })).toBeUndefined();
    expect(kindOf({ n: 0, at: 0, kind: 'gone', actor: 'a', status: 'failed' })).toBeUndefined();
  });
});

test('figures are said as people say them', () => {
  expect([0.2, 12, 1_234, 61_000, 3_720_000].map(spanOf)).toEqual([
    '<1 ms',
    '12 ms',
    '1.2 s',
    '1 min 1 s',
    '1 h 2 min',
  ]);
  expect([0, 0.000_123, 0.5, 12].map(moneyOf)).toEqual(['$0', '$0.00012', '$0.500', '$12.00']);
  expect([several(1, 'message'), several(2_000, 'message')]).toEqual(['1 message', '2,000 messages']);
  expect(clockOf(new Date(2024, 0, 1, 9, 5, 7, 42).getTime())).toBe('09:05:07.042');
});
