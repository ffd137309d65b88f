import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JournalRow } from '../../src/contracts/journal.ts';
import type { JournalRecord } from '../../src/contracts/journal-record.ts';
import { openJournal } from '../../src/persistence/journal-codec.ts';
import { sqliteStore } from '../../src/persistence/sqlite-store.ts';
import type { Json } from '../../src/contracts/json.ts';
import { fixtures } from '../support/fixtures.ts';
import type { RetailTask } from '../support/retail.ts';
import { RetailDesk, retailData, retailTasks } from '../support/retail.ts';
import { numbersFrom } from '../support/stored-runs.ts';
import { AnotherProcess } from './kills/another-process.ts';
import type { Kill } from './kills/kill-point.ts';
import { killPoints } from './kills/kill-point.ts';
import { OutsideLedger } from './kills/outside-ledger.ts';

const isFull = process.env['TROUPE_FULL'] === '1';
const KILLS = isFull ? 200 : 20;
const seed = Number(process.env['TROUPE_SEED'] ?? (isFull ? Date.now() % 100_000 : 20_263));

const HANDBOOK = `# Leave\n\nEverybody has 30 days of leave a year. Leave is asked for two weeks before.\n\n# Travel\n\nTravel is approved by the head of the department.\n`;

/** Who is killed, and what is asked of it. */
interface Subject {
  readonly name: string;
  readonly input: string;
  readonly task?: RetailTask;
}

/** What came of a run, and of the world outside it. */
interface Journey {
  readonly end: Json;
  readonly rows: readonly JournalRow[];
  readonly ledger: OutsideLedger;
  readonly digest: string;
  /** Where it was killed: the rows that were there. */
  readonly stations: readonly (readonly JournalRow[])[];
  /** Calls that had begun outside and had no result on record, by path and call. */
  readonly unclear: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'troupe-kills-'));
const program = new AnotherProcess('child.ts');
// Those who have no fixtures kill the others all the more.
const tasks = existsSync(fixtures('retail', 'tasks.json'))
  ? retailTasks().filter(({ steps }) => steps.length > (isFull ? 0 : 1))
  : [];
const subjects: readonly Subject[] = [
  { name: 'nested', input: 'go' },
  { name: 'desk', input: 'How many days of leave are there?' },
  { name: 'nested', input: 'go' },
  { name: 'troupe', input: 'go' },
  ...tasks.map((task): Subject => ({ name: `retail ${task.id}`, input: task.instruction, task })),
];

beforeAll(async () => {
  await program.build();
  writeFileSync(join(folder, 'handbook.md'), HANDBOOK);
});

afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true, force: true });
});

const recordsOf = (rows: readonly JournalRow[]): readonly JournalRecord[] => {
  const { records, damage } = openJournal('r', rows);
  if (damage !== undefined) throw damage;
  // As the child of this test wrote them.
  return records as unknown as readonly JournalRecord[];
};

const eventsOf = (rows: readonly JournalRow[]) =>
  recordsOf(rows).flatMap((record) => (record.kind === 'event' ? [record.event] : []));

const callsOf = (
  rows: readonly JournalRow[],
  type: 'tool.finished' | 'tool.ambiguous',
): ReadonlySet<string> =>
  new Set(
    eventsOf(rows).flatMap((event) =>
      event.type === type ? [`r/${event.path}#${event.step ?? 0}.${event.callId}`] : [],
    ),
  );

let runs = 0;

/** Has a subject run, killed as planned and gone on with by another process each time, until it ends. */
const travel = async (
  { name, input, task }: Subject,
  kills: readonly (Kill | { readonly afterMs: number })[],
): Promise<Journey> => {
  const desk = task === undefined ? undefined : new RetailDesk(retailData(), task.steps);
  const ledger = new OutsideLedger((tool, given, key) => desk?.call(tool, given, key) ?? `did ${key}`);
  const port = await ledger.open();
  const file = join(folder, `${(runs += 1)}.db`);
  const stations: (readonly JournalRow[])[] = [];
  const unclear: string[] = [];
  const order = { subject: name, input, file, folder, port, tasks: task === undefined ? [] : [task] };
  const rowsThere = async (): Promise<readonly JournalRow[]> => {
    const store = sqliteStore(file);
    try {
      return (await store.entry('r')) === undefined ? [] : await store.read('r');
    } finally {
      await store.close();
    }
  };
  try {
    for (const kill of [...kills, undefined]) {
      const isRandom = kill !== undefined && 'afterMs' in kill;
      const { wasKilled, lines, failure } = await program.run(
        { ...order, ...(kill === undefined || isRandom ? {} : { kill }) },
        isRandom ? { killAfterMs: kill.afterMs } : {},
      );
      if (!wasKilled) {
        const said = lines[1];
        if (said === undefined) throw new Error(`the run of ${name} broke: ${failure}`);
        return {
          end: JSON.parse(said) as Json,
          rows: await rowsThere(),
          ledger,
          digest: desk?.digest() ?? '',
          stations,
          unclear,
        };
      }
      const rows = await rowsThere();
      stations.push(rows);
      const finished = rows.length === 0 ? new Set() : callsOf(rows, 'tool.finished');
      for (const [key, { name: tool }] of ledger.entries)
        if (tool === 'pay' && !finished.has(key)) unclear.push(key);
    }
    throw new Error('it was not to be killed any more, and was');
  } finally {
    await ledger.close();
  }
};

describe('[P11] a stored run whose process is killed', () => {
  test(`[TENEX-98] [TENEX-87] loses no step and doubles no effect, ${KILLS} times over (seed ${seed})`, async () => {
    const random = numbersFrom(seed);
    const plain = new Map<string, Journey>();
    const count = { kills: 0, unclear: 0, doubled: 0, lost: 0 };
    const met = new Set<string>();
    for (let journey = 0; count.kills < KILLS; journey += 1) {
      const subject = subjects[journey % subjects.length];
      if (subject === undefined) break;
      const expected = plain.get(subject.name) ?? (await travel(subject, []));
      plain.set(subject.name, expected);
      const kills = Array.from({ length: 3 }, (_, index) => {
        const point = killPoints[(journey * 3 + index) % (killPoints.length + 1)];
        return point === undefined || subject.name === 'desk'
          ? { afterMs: random(subject.name === 'desk' ? 250 : 120) }
          : { point, time: journey < 6 ? 1 : 1 + random(3) };
      });
      const what = `${subject.name}, killed ${JSON.stringify(kills)}`;
      const found = await travel(subject, kills);
      count.kills += found.stations.length;
      for (const kill of kills.slice(0, found.stations.length))
        met.add('point' in kill ? kill.point : 'any time');
      expect(found.end, what).toEqual(expected.end);
      expect(found.digest, what).toBe(expected.digest);
      // Nothing that was written is lost.
      for (const station of found.stations) {
        if (JSON.stringify(found.rows.slice(0, station.length)) !== JSON.stringify(station)) count.lost += 1;
      }
      // Each thing is done, and once.
      expect([...found.ledger.entries.keys()].sort(), what).toEqual(
        [...expected.ledger.entries.keys()].sort(),
      );
      for (const [key, { begun, ended }] of found.ledger.entries) {
        if (begun !== 1 || ended !== 1) count.doubled += 1;
        expect({ key, begun, ended }, what).toEqual({ key, begun: 1, ended: 1 });
      }
      const surfaced = callsOf(found.rows, 'tool.ambiguous');
      for (const key of new Set(found.unclear)) {
        count.unclear += 1;
        expect(surfaced, what).toContain(key);
      }
    }
    console.info(
      `kills: ${count.kills} of seed ${seed}; ${count.unclear} calls were unclear and surfaced, ${count.doubled} effects doubled, ${count.lost} stations lost`,
    );
    expect(count).toMatchObject({ doubled: 0, lost: 0 });
    expect([...met].sort()).toEqual([...killPoints, 'any time'].sort());
  }, 600_000);
});
