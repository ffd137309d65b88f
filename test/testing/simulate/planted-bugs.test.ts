import { describe, expect, test } from 'vitest';
import { simulate } from '../../../src/testing/index.ts';
import { allRows } from '../../coordination/all-rows.ts';
import { isThorough, sized } from '../../support/thorough.ts';
import { planted, simulationOf, unbroken } from './planted.ts';

/** Seeds by which each mistake is found in each pattern. */
const SEEDS = 150;

/** Each mistake in each pattern; in the ordinary gate each in one, another for each. */
const cases = planted
  .map((bug, index) => {
    const rows = allRows.filter(({ isParallel }) => isParallel || bug.isOfOrder !== true);
    return isThorough
      ? rows.map((row) => ({ bug, row }))
      : rows.slice(index, index + 1).map((row) => ({ bug, row }));
  })
  .flat();

describe('a planted mistake is found by a seed, and shrunk to the decisions that it needs', () => {
  test.each(cases.map(({ bug, row }) => [bug.name, row.name, bug, row] as const))(
    '%s, in %s',
    async (_, __, bug, row) => {
      const { make, options } = simulationOf(row, bug);
      const found = new AbortController();
      const report = await simulate(make, {
        ...options,
        runs: SEEDS,
        shrinking: sized(40, 300),
        signal: found.signal,
        onProgress: (_runs, failures) => {
          if (failures > 0) found.abort();
        },
      });
      const failure = report.failures.find(({ rule }) => rule === bug.rule);
      expect(report.failures.map(({ rule }) => rule)).toContain(bug.rule);
      if (failure === undefined) return;
      expect(failure.script.decisions.length).toBeLessThanOrEqual(4);
      // The script alone makes it happen again.
      const again = await simulate(make, { ...options, script: failure.script, shrinking: 0 });
      expect(again.failures.map(({ rule }) => rule)).toContain(bug.rule);
    },
    120_000,
  );
});

describe('where nothing is planted, nothing is found', () => {
  const rows = allRows.filter((_, index) => isThorough || index % 3 === 0);
  test.each(rows.map((row) => [row.name, row] as const))(
    'in %s, whatever happens in whatever order, with the same log for the same seed',
    async (_, row) => {
      const logs: string[][] = [];
      for (let time = 0; time < 2; time += 1) {
        const { make, options } = simulationOf(row, unbroken);
        const log: string[] = [];
        logs.push(log);
        const report = await simulate(make, {
          ...options,
          runs: sized(3, 150),
          check: (run) => {
            log.push(JSON.stringify(run.events));
            return options.check?.(run);
          },
        });
        expect(report.failures.map(({ rule, reason, script }) => ({ rule, reason, script }))).toEqual([]);
        expect(report.runs).toBe(log.length);
      }
      expect(logs[0]).toEqual(logs[1]);
    },
    120_000,
  );
});
