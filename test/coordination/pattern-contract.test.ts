import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chartOf, statesWithin } from '../../src/machines/diagrams/chart.ts';
import * as house from '../../src/patterns/house.ts';
import * as entry from '../../src/patterns/index.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { patternLaws } from '../../src/testing/pattern-laws.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, ofType, quiet, settled, start } from '../support/runs.ts';
import { sampled } from '../support/thorough.ts';
import { allRows } from './all-rows.ts';
import type { Member, PatternRow } from './patterns/pattern-row.ts';
import { parrot } from './patterns/pattern-row.ts';

/** What rows of the mission each law holds. */
const HOLDS: Readonly<Record<string, string>> = {
  'one member that fails leaves what the others have': '[P1]',
  'all members that fail are an end, and no hang': '[P1]',
  'a member that never answers has had its time': '[P9]',
  'members none of which ever answers are an end, and no hang': '[P9]',
  'members that answer nonsense are an end, too (1 of 4)': '[F]',
  'members that answer nonsense are an end, too (2 of 4)': '[F]',
  'members that answer nonsense are an end, too (3 of 4)': '[F]',
  'members that answer nonsense are an end, too (4 of 4)': '[F]',
  'under a policy a member that fails once is restarted, and the team does not notice': '[P3]',
  'aborted while nobody answers, it ends at once, and all members with it': '[P8]',
  'the hooks of a member see that member and nobody else': '[QITOS-53]',
  'it is bounded: one that would go on for ever stops': '[P10]',
};

const two = ({ says }: PatternRow): Record<string, Member> => ({
  ann: parrot('ann', says('ann')),
  bob: parrot('bob', says('bob')),
});

const run = (team: ReturnType<PatternRow['make']>) => {
  const clock = virtualClock(1_000);
  return letTimePass(clock, settled(start(team, 'go', { runId: 'r', clock })), 1_000);
};

test('a pattern is registered by existing: each file that makes one is in the index, under its name', () => {
  const folder = join(import.meta.dirname, '../../src/patterns');
  const made = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /^export const (\w+) = pattern\(\{\n  name: '(\w+)'/gm,
      ),
    ])
    .map(([, exported, name]) => [exported, name]);
  expect(made).toEqual(Object.entries(house).map(([exported, { name }]) => [exported, name]));
  expect(made.length).toBeGreaterThan(16);
  expect(entry).toMatchObject({ ...house });
});

test('every pattern has its row in this table', () => {
  const known = new Set(allRows.map(({ machine }) => machine()));
  const missing = Object.entries(house).filter(([, { machine }]) => !known.has(machine()));
  expect(missing.map(([name]) => name)).toEqual([]);
});

test('no pattern is another one under a new name: each has states that no other has', () => {
  const statesOf = (row: PatternRow): readonly string[] =>
    statesWithin(chartOf(row.machine())).map(({ key }) => key);
  const shared = allRows.flatMap((row) => {
    const others = allRows.filter((other) => other.machine() !== row.machine()).flatMap(statesOf);
    const own = row.ownStates.filter((state) => statesOf(row).includes(state) && !others.includes(state));
    return own.length === 0 ? [row.name] : [];
  });
  expect(shared).toEqual([]);
});

test('the laws are those that rows of the mission name', () => {
  const names = allRows.flatMap((row) => patternLaws(row).map(({ name }) => name));
  expect(Object.keys(HOLDS).filter((name) => !names.includes(name))).toEqual([]);
});

describe.each(allRows.map((row, index) => ({ ...row, row, index })))('$name', ({ row, index }) => {
  const { make, says, isParallel } = row;

  test.each(
    patternLaws(row).map(({ name, check }) => ({ title: `${HOLDS[name] ?? ''} ${name}`.trim(), check })),
  )('$title', async ({ check }) => {
    await expect(check()).resolves.toBeUndefined();
  });

  test('[FIND-38] its composition shows every member, and a way from its input to its output', () => {
    const text = make(two(row)).diagram({ of: 'composition' });
    const arrows = Array.from(text.matchAll(/^ {2}(\w+) (<?)-->(?:\|[^|]*\|)? (\w+)$/gm));
    const ways = arrows.flatMap(([, from = '', back, to = '']) => [
      [from, to] as const,
      ...(back === '' ? [] : [[to, from] as const]),
    ]);
    const reached = new Set(['input']);
    for (const at of reached) for (const [from, to] of ways) if (from === at) reached.add(to);
    for (const each of ['ann', 'bob', 'output']) expect(reached).toContain(each);
  });

  test.each(isParallel ? [make] : [])('its members work at the same time', async (parallel) => {
    const peak = { now: 0, most: 0 };
    const busy = (name: string): Member => {
      const model = scriptedModel(Array.from({ length: 9 }, () => says(name)));
      return agent({
        name,
        model: {
          ...model,
          answer: async (request, call) => {
            peak.now += 1;
            peak.most = Math.max(peak.most, peak.now);
            await quiet();
            peak.now -= 1;
            return model.answer(request, call);
          },
        },
      });
    };
    await run(parallel({ ann: busy('ann'), bob: busy('bob') }));
    expect(peak.most).toBe(2);
  });

  // Some of them in each, others in the next.
  test.each(sampled(allRows, 9, index))('[KAIZEN-47] $name nests in it', async (inner) => {
    const within = inner.make(two(inner), { name: 'inner' });
    const result = await run(make({ ...two(row), ann: within as Member }));
    const engaged = ofType(result.events, 'member.engaged').map(({ path }) => path);
    expect(engaged.some((path) => /\/(ann|inner)-\d+\/.+-\d+$/.test(path))).toBe(true);
    const ended = ofType(result.events, 'member.ended').map(({ path }) => path);
    expect(ended.toSorted()).toEqual(engaged.toSorted());
    expect(result.events.at(-1)).toMatchObject({ type: 'run.ended', status: result.status });
    expect(['internal', 'machine.threw']).not.toContain(result.error?.code);
  });
});
