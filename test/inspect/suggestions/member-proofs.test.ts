import { describe, expect, test } from 'vitest';
import { suggestions } from '../../../src/inspect/suggestions/suggestions.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { letTimePass } from '../../support/runs.ts';
import { sampled } from '../../support/thorough.ts';
import type { TriedType } from './planted-runs.ts';
import { plantedWorkers, teams } from './planted-teams.ts';

const types = Object.keys(plantedWorkers) as TriedType[];
const patterns = Object.keys(teams) as (keyof typeof teams)[];

/** Records runs of a team, and looks for what is planted in one of its members, with trials on two of them. */
const foundIn = async (
  pattern: keyof typeof teams,
  type: TriedType,
  trial: 'good' | 'worse',
  unproven: boolean,
) => {
  const planted = plantedWorkers[type];
  const { target, runs, recorded, question = (index: number) => `question ${index}` } = planted;
  const worker = trial === 'worse' ? (planted.worseRecorded ?? recorded) : recorded;
  const clock = virtualClock();
  const store = memoryStore();
  for (let index = 0; index < runs; index += 1)
    await letTimePass<unknown>(
      clock,
      teams[pattern](worker(clock, index)).run(question(index), { store, clock }),
    );
  const now = (trial === 'worse' ? planted.worseNow : undefined) ?? ((of: typeof clock) => worker(of, 0));
  const found = await letTimePass(
    clock,
    suggestions(store, {
      target,
      unproven,
      prove: { agent: teams[pattern](now(clock)), model: planted[trial](clock), runs: 2, clock },
    }),
  );
  return found.filter((each) => each.type === type && each.agent === 'clerk');
};

describe.each(sampled(patterns, 2))('for a member of a %s', (pattern) => {
  test.each(types)('a %s is found, proven by forks of the team, and offered', async (type) => {
    const [found] = await foundIn(pattern, type, 'good', false);
    expect(found).toMatchObject({ type, agent: 'clerk', proven: { by: 'forks', runs: 2 } });
  });

  test.each(types)('a %s that makes things worse is refuted, and not offered', async (type) => {
    const found = await foundIn(pattern, type, 'worse', true);
    expect(found.map(({ proven }) => proven)).toContain(false);
    expect(found[0]?.basis).toMatch(/^\d of \d forks/);
    expect((await foundIn(pattern, type, 'worse', false)).length).toBeLessThan(found.length);
  });
});
