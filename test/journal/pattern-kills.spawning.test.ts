import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allRows, rowFiles } from '../coordination/all-rows.ts';
import { rowIn } from '../coordination/row-in.ts';
import { numbersFrom } from '../support/stored-runs.ts';
import { isThorough, sampled, sized } from '../support/thorough.ts';
import type { Journey, Subject, Tally } from './kills/journey.ts';
import { expectUnharmed, Journeys } from './kills/journey.ts';
import type { Kill } from './kills/kill-point.ts';
import { commitPoints, killPoints } from './kills/kill-point.ts';

/** How often each pattern is killed, on its own. */
const KILLS = 24;
/** Those that are killed, and how many stand in a line: each process replays all that stand before the one in which it is killed. */
const files = sampled(rowFiles, 6);
const patterns = sampled(allRows, 6);
const LINE = sized(4, files.length);
const seed = Number(process.env['TROUPE_SEED'] ?? 20_264);

const points = [...killPoints, ...commitPoints];
const journeys = new Journeys();

beforeAll(() => journeys.begin());
afterAll(() => {
  journeys.end();
});

/** All kills that there are in a stage of a run: each time that it came by a point, or those times of the first `part`. */
const killsIn = ({ visits }: Journey, stage: string, part = 1): readonly Kill[] =>
  points.flatMap((point) =>
    Array.from({ length: Math.ceil((visits[stage]?.[point] ?? 0) * part) }, (_, index) => ({
      point,
      time: index + 1,
      stage,
    })),
  );

/** So many of them, spread over all; in an order that follows from the seed. */
const spread = <Item>(all: readonly Item[], count: number, random: (below: number) => number): Item[] => {
  const wanted = Math.min(count, all.length);
  const chosen = Array.from({ length: wanted }, (_, index) =>
    Math.min(all.length - 1, Math.floor(((index + random(1_000) / 1_000) * all.length) / wanted)),
  );
  return [...new Set(chosen)].flatMap((index) => all.slice(index, index + 1));
};

const expectNoHarm = (tally: Tally): void => {
  expect(tally).toMatchObject({ doubled: 0, lost: 0 });
};

/** Has a subject killed at points that are spread over all that it comes by, a journey for each. */
const killedAt = async (
  count: number,
  subject: Subject,
): Promise<{ readonly plain: Journey; readonly tally: Tally }> => {
  const random = numbersFrom(seed);
  const plain = await journeys.travel(subject, []);
  const tally: Tally = { kills: 0, unclear: 0, doubled: 0, lost: 0 };
  const all = killsIn(plain, '');
  for (const [index, first] of spread(all, count, random).entries()) {
    // One in three is killed once more, as soon as it goes on.
    const point = points[random(points.length)] ?? 'before a commit';
    const kills = [first, ...(index % 3 === 0 ? [{ point, time: 1 + random(3) }] : [])];
    const found = await journeys.travel(subject, kills);
    expectUnharmed(found, plain, JSON.stringify(kills), tally);
  }
  console.info(
    `${subject.rows?.join(', ') ?? ''}: ${tally.kills} kills, ${all.length} points, ${tally.unclear} unclear calls`,
  );
  expectNoHarm(tally);
  return { plain, tally };
};

describe('[P11] a pattern whose process is killed in the middle', () => {
  test(`resumes: patterns in a line, each killed once (seed ${seed})`, async () => {
    const random = numbersFrom(seed);
    const tally: Tally = { kills: 0, unclear: 0, doubled: 0, lost: 0 };
    for (let start = 0; start < files.length; start += LINE) {
      const subject: Subject = { name: 'patterns', input: 'go', rows: files.slice(start, start + LINE) };
      const plain = await journeys.travel(subject, []);
      const kills = patterns.slice(start, start + LINE).map(({ name }) => {
        // What is written together is another matter each time: those at the end may not come.
        const chances = killsIn(plain, name, 0.5);
        return chances[random(chances.length)] ?? ({ point: 'before a commit', time: 1 } as const);
      });
      const found = await journeys.travel(subject, kills);
      expectUnharmed(found, plain, JSON.stringify(kills), tally);
    }
    expectNoHarm(tally);
    expect(tally.kills).toBe(patterns.length);
  });

  test.each(isThorough ? rowFiles : [])(
    `%s resumes, killed at ${KILLS} of its points (seed ${seed})`,
    async (file) => {
      const { output } = await rowIn(file);
      const { plain, tally } = await killedAt(KILLS, { name: 'patterns', input: 'go', rows: [file] });
      expect(plain.end).toMatchObject({ status: 'completed', output });
      expect(tally.kills).toBeGreaterThanOrEqual(20);
    },
    1_200_000,
  );

  test.each(isThorough ? rowFiles : [])(
    `%s with a member that breaks for good comes to the same, killed at ${KILLS / 2} of its points (seed ${seed})`,
    async (file) => {
      const { tally } = await killedAt(KILLS / 2, { name: 'broken patterns', input: 'go', rows: [file] });
      expect(tally.kills).toBeGreaterThanOrEqual(10);
    },
    600_000,
  );
});
