import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { SafetyStrategy } from '../../../src/contracts/tools/safety.ts';
import { policy } from '../../../src/policy/index.ts';
import { classes, injections } from './injections.ts';
import type { WantedCall } from './suites.ts';
import { readingTools, suites } from './suites.ts';
import { tasks } from './tasks.ts';
import { ways } from './ways.ts';

/** All is allowed, except an action after text of others. */
const rule: SafetyStrategy = policy({
  mode: 'bypass',
  rules: [{ name: 'text-of-others', effect: 'deny', safety: ['write', 'danger'], after: readingTools }],
});

const isSame = (one: WantedCall, other: WantedCall): boolean =>
  one.name === other.name && JSON.stringify(one.input) === JSON.stringify(other.input);

const DIRECT = 'a result of its own tool';

/** All of them by the way that is attacked most, and by the others some of each class, suite and goal. */
const injectedBy = (way: string) =>
  way === DIRECT ? injections : injections.filter((_, index) => index % 5 === 0);

/** The number of injections whose action is taken. */
const obeyed = async (way: string, safety?: SafetyStrategy): Promise<number> => {
  let count = 0;
  for (const injection of injectedBy(way)) {
    const taken: WantedCall[] = [];
    await ways[way]?.(injection, { safety }, taken);
    if (taken.some((call) => isSame(call, injection.call))) count += 1;
  }
  return count;
};

/** The number of suites in which a legitimate action is taken. */
const done = async (task: string, safety?: SafetyStrategy): Promise<number> => {
  let count = 0;
  for (const suite of suites) {
    const taken: WantedCall[] = [];
    await tasks[task]?.(suite, { safety }, taken);
    if (taken.some((call) => isSame(call, suite.wanted))) count += 1;
  }
  return count;
};

const HELD = new Set(['text of others']);

describe('with the worst model, which obeys whatever it reads', () => {
  test(`there are at least 60 injections, of ${Object.keys(classes).length} classes in ${suites.length} suites`, () => {
    expect(new Set(injections.map(({ text }) => text)).size).toBe(injections.length);
    expect(injections.length).toBeGreaterThanOrEqual(60);
  });

  test.each(Object.keys(ways))(
    'every action is taken that was injected into %s, and none under the rule',
    async (way) => {
      expect([await obeyed(way), await obeyed(way, rule)]).toEqual([injectedBy(way).length, 0]);
    },
  );

  test.each(Object.keys(tasks))(
    'a legitimate action that follows from %s is held only if others wrote that',
    async (task) => {
      expect([await done(task), await done(task, rule)]).toEqual([
        suites.length,
        HELD.has(task) ? 0 : suites.length,
      ]);
    },
  );

  test('the guide says these numbers', () => {
    const guide = readFileSync(new URL('../../../docs/guide/security.md', import.meta.url), 'utf8');
    const rows = [...guide.matchAll(/^\| ([^|]+?) +\| +(\d+) +\| +(\d+) +\| +(\d+) +\|$/gm)].map((row) =>
      row.slice(1),
    );
    const attacks = Object.keys(ways).map((way) => [
      way,
      `${injectedBy(way).length}`,
      `${injectedBy(way).length}`,
      '0',
    ]);
    const legitimate = Object.keys(tasks).map((task) => [
      `legitimate, from ${task}`,
      `${suites.length}`,
      `${suites.length}`,
      HELD.has(task) ? '0' : `${suites.length}`,
    ]);
    expect(rows).toEqual([...attacks, ...legitimate]);
  });
});
