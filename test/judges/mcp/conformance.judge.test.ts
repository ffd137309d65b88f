import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { judge } from './conformance-suite.ts';
import type { Expectation, Revision, Side } from './conformance-table.ts';
import { conformanceTable } from './conformance-table.ts';

const cases: readonly (readonly [Side, Revision])[] = [
  ['client', '2025-11-25'],
  ['client', '2026-07-28'],
  ['server', '2025-11-25'],
  ['server', '2026-07-28'],
];

/** The scenarios and single checks that are expected to fail. */
const expectedFailures = ({ fails }: Expectation): readonly string[] =>
  fails.flatMap(({ of }) => of).toSorted();

/** All scenarios that are expected to be run. */
const scenariosOf = (expectation: Expectation): readonly string[] => {
  const failing = expectedFailures(expectation).map((name) => name.replace(/:.*/, ''));
  return [...new Set([...expectation.passes, ...failing])].toSorted();
};

test.each(cases)(
  'the %s passes the scenarios of %s, but those that are expected to fail, and no other is run',
  async (side, revision) => {
    const expectation = conformanceTable[side][revision];
    const expected = expectedFailures(expectation);
    const failures = await judge(side, revision);
    const found = [...failures].flatMap(([scenario, checks]) => {
      if (checks.length === 0) return [];
      return expected.includes(scenario) ? [scenario] : checks.map((check) => `${scenario}:${check}`);
    });
    expect({ failures: found.toSorted(), scenarios: [...failures.keys()].toSorted() }).toEqual({
      failures: expected,
      scenarios: scenariosOf(expectation),
    });
  },
  300_000,
);

test('no scenario is expected both to pass and to fail', () => {
  for (const [side, revision] of cases) {
    const { passes, fails } = conformanceTable[side][revision];
    const names = [...passes, ...fails.flatMap(({ of }) => of)];
    expect(names).toEqual([...new Set(names)]);
  }
});

test('the guide says how many scenarios pass', () => {
  const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/guide/mcp.md'), 'utf8');
  for (const [side, revision] of cases) {
    const expectation = conformanceTable[side][revision];
    const all = scenariosOf(expectation).length;
    expect(guide).toMatch(new RegExp(`\\b${expectation.passes.length} of ${all}\\b`));
  }
});
