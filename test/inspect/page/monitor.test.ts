import { expect, test } from 'vitest';
import type { WorkRow } from '../../../src/inspect/recording/report/work-report.ts';
import {
  figureRows,
  openingMonitor,
  proofsOf,
  turnFigures,
} from '../../../src/inspect/page/monitor/monitor-query.ts';

const row = (name: string, given: Partial<WorkRow> = {}): WorkRow => ({
  kind: 'agent',
  name,
  count: 1,
  failed: 0,
  retries: 0,
  tokens: 0,
  costUsd: 0,
  unpriced: 0,
  p50: 0,
  p95: 0,
  slowest: [{ run: 'slow', seq: 1, value: 9 }],
  dearest: [{ run: 'dear', seq: 2, value: 1 }],
  failing: [{ run: 'bad', seq: 3, value: 1 }],
  ...given,
});

const namesBy = (query: Partial<typeof openingMonitor>) =>
  figureRows(
    [
      row('ann', { p95: 5, costUsd: 3 }),
      row('ben', { p95: 9 }),
      row('cid', { p95: 5, costUsd: 4, failed: 2 }),
      row('look', { kind: 'tool', p95: 99 }),
    ],
    { ...openingMonitor, ...query },
  ).map(({ name }) => name);

test('the slowest agents are first, and equal ones are by name', () => {
  expect(namesBy({})).toEqual(['ben', 'ann', 'cid']);
});

test('the rows are those of one kind, in the order of any column, either way', () => {
  expect(namesBy({ by: 'tool' })).toEqual(['look']);
  expect(namesBy({ sort: 'cost' })).toEqual(['cid', 'ann', 'ben']);
  expect(namesBy({ sort: 'failed', isDescending: false })).toEqual(['ann', 'ben', 'cid']);
  expect(namesBy({ sort: 'name', isDescending: true })).toEqual(['cid', 'ben', 'ann']);
});

test('the runs behind a figure are those of the column of the order', () => {
  const runOf = (sort: typeof openingMonitor.sort) =>
    proofsOf(row('ann'), { ...openingMonitor, sort }).map(({ run }) => run);
  expect([runOf('p95'), runOf('cost'), runOf('failed')]).toEqual([['slow'], ['dear'], ['bad']]);
});

test('a column that is chosen again turns round; the first time the most is on top, and names from the first letter on', () => {
  const cost = turnFigures(openingMonitor, 'cost');
  expect(cost).toMatchObject({ sort: 'cost', isDescending: true });
  expect(turnFigures(cost, 'cost').isDescending).toBe(false);
  expect(turnFigures(cost, 'name').isDescending).toBe(false);
});
