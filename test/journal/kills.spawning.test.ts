import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtures } from '../support/fixtures.ts';
import { retailTasks } from '../support/retail.ts';
import { numbersFrom } from '../support/stored-runs.ts';
import { isThorough, sized } from '../support/thorough.ts';
import type { Journey, Subject, Tally } from './kills/journey.ts';
import { expectUnharmed, Journeys } from './kills/journey.ts';
import { killPoints } from './kills/kill-point.ts';

// In the gate the patterns are killed, too: in a file of their own.
const KILLS = sized(3, 200);
const seed = Number(process.env['TROUPE_SEED'] ?? (isThorough ? Date.now() % 100_000 : 20_263));

const journeys = new Journeys();
// Those who have no fixtures kill the others all the more.
const tasks = isThorough && existsSync(fixtures('retail', 'tasks.json')) ? retailTasks() : [];
const subjects: readonly Subject[] = [
  { name: 'nested', input: 'go' },
  { name: 'troupe', input: 'go' },
  { name: 'desk', input: 'How many days of leave are there?' },
  ...tasks.map((task): Subject => ({ name: `retail ${task.id}`, input: task.instruction, task })),
];

beforeAll(() => journeys.begin());
afterAll(() => {
  journeys.end();
});

describe('[P11] a stored run whose process is killed', () => {
  test(`[TENEX-98] [TENEX-87] loses no step and doubles no effect, ${KILLS} times over or more (seed ${seed})`, async () => {
    const random = numbersFrom(seed);
    const plain = new Map<string, Journey>();
    const tally: Tally = { kills: 0, unclear: 0, doubled: 0, lost: 0 };
    const met = new Set<string>();
    // As often as that, and at each point at least once, whoever there is to kill.
    const isEnough = (): boolean => tally.kills >= KILLS && met.size > killPoints.length;
    for (let journey = 0; !isEnough() && journey < 4 * KILLS; journey += 1) {
      const subject = subjects[journey % subjects.length];
      if (subject === undefined) break;
      const expected = plain.get(subject.name) ?? (await journeys.travel(subject, []));
      plain.set(subject.name, expected);
      const kills = Array.from({ length: 3 }, (_, index) => {
        const point = killPoints[(journey * 3 + index) % (killPoints.length + 1)];
        return point === undefined || subject.name === 'desk'
          ? { afterMs: random(subject.name === 'desk' ? 250 : 120) }
          : { point, time: journey < 6 ? 1 : 1 + random(3) };
      });
      const found = await journeys.travel(subject, kills);
      for (const kill of kills.slice(0, found.stations.length))
        met.add('point' in kill ? kill.point : 'any time');
      expectUnharmed(found, expected, `${subject.name}, killed ${JSON.stringify(kills)}`, tally);
    }
    console.info(
      `kills: ${tally.kills} of seed ${seed}; ${tally.unclear} calls were unclear and surfaced, ${tally.doubled} effects doubled, ${tally.lost} stations lost`,
    );
    expect(tally).toMatchObject({ doubled: 0, lost: 0 });
    expect([...met].sort()).toEqual([...killPoints, 'any time'].sort());
  }, 600_000);
});
