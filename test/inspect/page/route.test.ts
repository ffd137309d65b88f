import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { RunsQuery } from '../../../src/inspect/page/home/runs-query.ts';
import {
  openingQuery,
  rowStatus,
  spareColumns,
  statusesOf,
  turnColumn,
  turnOrder,
  wantedRows,
} from '../../../src/inspect/page/home/runs-query.ts';
import { withChanges } from '../../../src/inspect/page/home/runs-feed.ts';
import { dayOf } from '../../../src/inspect/page/home/day-of.ts';
import { figureColumns, openingMonitor } from '../../../src/inspect/page/monitor/monitor-query.ts';
import type { RunRow } from '../../../src/inspect/page/session.ts';
import type { Route, RunRoute } from '../../../src/inspect/page/state/route.ts';
import { hashOf, isStep, openingRoute, routeOf } from '../../../src/inspect/page/state/route.ts';
import { newlyWaiting, titleOf } from '../../../src/inspect/page/state/wait-words.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a/b?c#d&e=f', '%', '%2F', 'run 1', '#/run/x', '__proto__', '..'),
);
const name = text.filter((each) => each !== '');
const words = text;

const runRoute: fc.Arbitrary<Route> = fc
  .record({
    run: fc.option(name, { nil: undefined }),
    view: fc.constantFrom('chart', 'sequence', 'events' as const),
    side: fc.constantFrom('transcript', 'context', 'breakpoints', 'run' as const),
    thread: fc.constantFrom('team', 'agent' as const),
    isVerbatim: fc.boolean(),
    path: fc.option(name, { nil: undefined }),
    isFile: fc.boolean(),
    n: fc.option(fc.nat(), { nil: undefined }),
    find: words,
    effects: fc.constantFrom('open', 'all', 'none' as const),
    onlyActive: fc.boolean(),
  })
  .map(({ path, ...rest }): RunRoute => {
    const actor = path === undefined || rest.run === undefined ? path : `${rest.run}/${path}`;
    return { screen: 'run', ...rest, isFile: rest.isFile && rest.run !== undefined, actor };
  });

const runsRoute: fc.Arbitrary<Route> = fc.record({
  screen: fc.constant('runs' as const),
  find: words,
  status: fc.option(words, { nil: undefined }),
  sort: fc.constantFrom(...(['status', 'agent', 'begun', 'cost'] as const)),
  isDescending: fc.boolean(),
  hidden: fc.subarray([...spareColumns]),
});

const runKey = fc.record({ run: name, isFile: fc.boolean() });

const monitorRoute: fc.Arbitrary<Route> = fc.record({
  screen: fc.constant('monitor' as const),
  by: fc.constantFrom('agent', 'tool', 'model' as const),
  sort: fc.constantFrom(...figureColumns),
  isDescending: fc.boolean(),
});

const compareRoute: fc.Arbitrary<Route> = fc.record({
  screen: fc.constant('compare' as const),
  left: runKey,
  right: runKey,
});

describe('the address of the page', () => {
  test('says all that is shown: what it is read from is what it was written from', () => {
    fc.assert(
      fc.property(fc.oneof(runRoute, runsRoute, monitorRoute, compareRoute), (route) => {
        expect(routeOf(hashOf(route))).toEqual(route);
      }),
    );
  });

  test('reads as a person would say it', () => {
    const route: Route = { ...openingRoute, run: 'r1', view: 'sequence', actor: 'r1/desk/writer', n: 12 };
    expect(hashOf(route)).toBe('#/run/r1/sequence?actor=desk/writer&n=12');
    expect(hashOf(openingRoute)).toBe('#/live/chart');
    expect(hashOf({ screen: 'runs', ...openingQuery, find: 'ann', sort: 'cost', isDescending: true })).toBe(
      '#/runs?find=ann&sort=-cost',
    );
  });

  test('of any text is never an error: what it does not name is as it opens', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          text.map((each) => `#/run/${each}`),
          text.map((each) => `#/runs?${each}`),
          text.map((each) => `#/monitor?${each}`),
          text.map((each) => `#/compare/run/a/${each}`),
        ),
        (hash) => {
          const route = routeOf(hash);
          expect(route && routeOf(hashOf(route))).toEqual(route);
        },
      ),
    );
    expect(hashOf({ ...openingRoute, run: 'half \ud800' })).toBe('#/run/half%20%EF%BF%BD/chart');
    expect(routeOf('')).toBeUndefined();
    expect(routeOf('#/run/%E0%A4%A')).toBeUndefined();
    expect(routeOf('#/run/r/nothing?side=no&n=-3&effects=toString')).toEqual({ ...openingRoute, run: 'r' });
    expect(routeOf('#/monitor?by=toString&sort=-constructor')).toEqual({
      screen: 'monitor',
      ...openingMonitor,
    });
    expect(hashOf({ screen: 'monitor', by: 'tool', sort: 'cost', isDescending: true })).toBe(
      '#/monitor?by=tool&sort=-cost',
    );
    expect(routeOf('#/runs?sort=constructor')).toEqual({ screen: 'runs', ...openingQuery });
  });

  test('is a step back for another run, view and actor, and none for a place in time, a filter or the first actor', () => {
    const at: Route = { ...openingRoute, run: 'r' };
    const runs: Route = { screen: 'runs', ...openingQuery };
    expect(isStep(runs, at)).toBe(true);
    expect(isStep(runs, { screen: 'monitor', ...openingMonitor })).toBe(true);
    expect(isStep(at, { ...at, run: 's' })).toBe(true);
    expect(isStep(at, { ...at, view: 'events' })).toBe(true);
    expect(isStep({ ...at, actor: 'r/a' }, { ...at, actor: 'r/b' })).toBe(true);
    expect(isStep(at, { ...at, thread: 'agent' })).toBe(true);
    expect(isStep(at, { ...at, actor: 'r/a' })).toBe(false);
    expect(isStep(at, { ...at, n: 4, find: 'x', effects: 'all', onlyActive: true, isVerbatim: true })).toBe(
      false,
    );
    expect(isStep(runs, { ...runs, find: 'x' })).toBe(false);
    const [left, right] = [
      { run: 'a', isFile: false },
      { run: 'b', isFile: false },
    ];
    const pair: Route = { screen: 'compare', left, right };
    expect(hashOf(pair)).toBe('#/compare/run/a/run/b');
    expect(isStep(runs, pair)).toBe(true);
    expect(isStep(pair, { ...pair })).toBe(false);
    expect(isStep(pair, { ...pair, right: { ...right, isFile: true } })).toBe(true);
  });
});

const row = (run: string, rest: Partial<RunRow> = {}): RunRow => ({
  run,
  agent: 'ann',
  title: `Task ${run}`,
  status: 'completed',
  isLive: false,
  source: 'stored',
  startedAt: 1,
  ...rest,
});

const idsOf = (rows: readonly RunRow[], query: Partial<RunsQuery> = {}): readonly string[] =>
  wantedRows(rows, { ...openingQuery, ...query }).map(({ run }) => run);

describe('the table of runs', () => {
  const rows = [
    row('old', { startedAt: 1, costUsd: 0.5, errors: 0 }),
    row('new', { startedAt: 9, status: 'failed', costUsd: 0.02, errors: 1 }),
    row('busy', { startedAt: 5, status: 'running', isLive: true, source: 'live', agent: 'ben' }),
    row('asks', {
      startedAt: 2,
      status: 'running',
      isLive: true,
      source: 'live',
      requests: 2,
      agent: 'cara',
    }),
  ];

  test('begins with what waits for a person, then with what is at work, then with the newest', () => {
    expect(idsOf(rows)).toEqual(['asks', 'busy', 'new', 'old']);
    expect(rows.map(rowStatus)).toEqual(['completed', 'failed', 'running', 'waits for you']);
  });

  test('is in the order of any column, and what is not known is last in either direction', () => {
    expect(idsOf(rows, { sort: 'cost' })).toEqual(['new', 'old', 'busy', 'asks']);
    expect(idsOf(rows, { sort: 'cost', isDescending: true })).toEqual(['old', 'new', 'busy', 'asks']);
    expect(idsOf(rows, { sort: 'agent', isDescending: true }).slice(0, 2)).toEqual(['asks', 'busy']);
    const byCost = turnOrder(openingQuery, 'cost');
    expect(byCost).toMatchObject({ sort: 'cost', isDescending: true });
    expect(turnOrder(byCost, 'cost')).toMatchObject({ isDescending: false });
  });

  test('has what was interrupted after what is at work, by its own status, also where it waited for a person', () => {
    const left = row('left', { startedAt: 7, status: 'interrupted', requests: 1 });
    expect(rowStatus(left)).toBe('interrupted');
    expect(idsOf([...rows, left])).toEqual(['asks', 'busy', 'left', 'new', 'old']);
    const queued = row('queued', { startedAt: 1, status: 'queued' });
    expect(idsOf([...rows, left, queued])).toEqual(['asks', 'busy', 'queued', 'left', 'new', 'old']);
    expect(idsOf([...rows, left], { status: 'interrupted' })).toEqual(['left']);
    expect(statusesOf([...rows, left]).map(([status]) => status)).toEqual([
      'waits for you',
      'running',
      'interrupted',
      'failed',
      'completed',
    ]);
  });

  test('is filtered by words in any order, and by status', () => {
    expect(idsOf(rows, { find: 'task OLD ann' })).toEqual(['old']);
    expect(idsOf(rows, { find: 'waits' })).toEqual(['asks']);
    expect(idsOf(rows, { status: 'failed' })).toEqual(['new']);
    expect(idsOf(rows, { status: 'failed', find: 'old' })).toEqual([]);
  });

  test('leaves out the columns that are not wanted, by its address too, and always has the title', () => {
    const query = turnColumn(turnColumn(openingQuery, 'cost'), 'agent');
    expect(query.hidden).toEqual(['agent', 'cost']);
    expect(hashOf({ screen: 'runs', ...query })).toBe('#/runs?hide=agent%2Ccost');
    expect(turnColumn(query, 'agent').hidden).toEqual(['cost']);
    const said = routeOf('#/runs?hide=cost,title,nothing,agent,cost');
    expect(said).toEqual({ screen: 'runs', ...query });
  });

  test('takes the rows that have changed, and keeps the others', () => {
    const changed = withChanges(rows, { isWhole: false, rows: [row('old', { tokens: 7 }), row('next')] });
    expect(changed.map(({ run }) => run)).toEqual(['old', 'new', 'busy', 'asks', 'next']);
    expect(changed[0]?.tokens).toBe(7);
    expect(withChanges(rows, { isWhole: true, rows: [row('only')] }).map(({ run }) => run)).toEqual(['only']);
  });

  test('says the day of what did not begin today', () => {
    const noon = new Date(2026, 4, 3, 12, 0, 5).getTime();
    expect(dayOf(noon, noon + 60_000)).toBe('12:00:05');
    expect(dayOf(noon, noon + 86_400_000)).toBe('2026-05-03 12:00');
  });
});

describe('what waits', () => {
  const writer = { run: row('w', { agent: 'writer', title: 'A poem' }), count: 2 };

  test('is first in the title of the window; without it the run that is shown', () => {
    expect(titleOf([writer], writer.run)).toBe('(2) waits · writer');
    expect(titleOf([writer, { run: row('x'), count: 1 }], undefined)).toBe('(3) waits · writer, ann');
    expect(titleOf([], writer.run)).toBe('writer · A poem · troupe');
    expect(titleOf([], undefined)).toBe('troupe: inspector');
  });

  test('is told once for each request, and not again when another is answered', () => {
    expect(newlyWaiting(new Map(), [writer])).toEqual([writer]);
    expect(newlyWaiting(new Map([['w', 2]]), [writer])).toEqual([]);
    expect(newlyWaiting(new Map([['w', 3]]), [writer])).toEqual([]);
    expect(newlyWaiting(new Map([['w', 1]]), [writer])).toEqual([writer]);
  });
});
