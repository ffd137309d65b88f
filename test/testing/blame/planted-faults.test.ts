import { expect, test } from 'vitest';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { blame } from '../../../src/testing/blame/blame.ts';
import { sized } from '../../support/thorough.ts';
import { planFor } from './planted-plans.ts';
import { PlantedTeam } from './planted-teams.ts';

/** Who, in which step, and what: of a key such as `team/ma-1#0.DECIDE.0.1`. */
const placeOf = ({ key, kind }: { readonly key: string; readonly kind: string }): string => {
  const [address = '', rest = ''] = key.split('#');
  return `${address} ${Number.parseInt(rest, 10)} ${kind}`;
};

/** Plants a fault, and has it looked for. */
const blamed = async (seed: number) => {
  const planted = new PlantedTeam(planFor(seed));
  const store = memoryStore();
  const team = planted.team();
  const recorded = await team.run('Report all facts.', { store, runId: 'r' });
  expect(planted.fails(recorded), `of seed ${seed}`).toBe(true);
  const calls = planted.asked;
  planted.isOver = true;
  const found = await blame(team, {
    store,
    runId: 'r',
    fails: planted.fails,
    live: { tools: 'read' },
  });
  const wanted = planted.planted.map(placeOf).toSorted();
  const got = found.changes.map(({ path, step = 0, kind }) => `${path} ${step} ${kind}`).toSorted();
  const agents = (places: readonly string[]) => new Set(places.map((place) => place.split(' ')[0]));
  return {
    seed,
    wanted,
    got,
    calls,
    blamed: planted.asked - calls,
    modelCalls: found.tried.modelCalls,
    isAgent: [...agents(wanted)].join() === [...agents(got)].join(),
    isStep: wanted.join() === got.join(),
  };
};

type Blamed = Awaited<ReturnType<typeof blamed>>;

const count = sized(24, 300);

test(`finds the right agent of ${count} planted faults in 95 of 100, and the right step in 85`, async () => {
  const all: Blamed[] = [];
  for (let seed = 0; seed < count; seed += 1) all.push(await blamed(seed));
  const share = (holds: (one: Blamed) => boolean): number => all.filter(holds).length / count;
  const mean = (of: (one: Blamed) => number): number => all.reduce((sum, one) => sum + of(one), 0) / count;
  const agents = share(({ isAgent }) => isAgent);
  const steps = share(({ isStep }) => isStep);
  console.info(
    `${count} planted faults: agent ${(agents * 100).toFixed(1)} %, step ${(steps * 100).toFixed(1)} %;`,
    `${mean(({ calls }) => calls).toFixed(1)} model calls in a run, ${mean(({ modelCalls }) => modelCalls).toFixed(1)} to blame it`,
  );
  for (const { seed, wanted, got, isStep } of all)
    if (!isStep) console.info(`seed ${seed}: planted at ${wanted.join()}, found ${got.join()}`);
  expect(all.map(({ blamed }) => blamed)).toEqual(all.map(({ modelCalls }) => modelCalls));
  expect(agents).toBeGreaterThanOrEqual(0.95);
  expect(steps).toBeGreaterThanOrEqual(0.85);
}, 900_000);
