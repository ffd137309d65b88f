import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { callInKey } from '../../../src/actors/acting/call-key.ts';
import type { JournalRow } from '../../../src/contracts/journals/journal.ts';
import type { JournalRecord } from '../../../src/contracts/journals/journal-record.ts';
import type { Json } from '../../../src/base/json/json.ts';
import { openJournal } from '../../../src/persistence/journal-codec.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import type { RetailTask } from '../../support/retail.ts';
import { RetailDesk, retailData } from '../../support/retail.ts';
import { AnotherProcess } from './another-process.ts';
import type { ChildOrder } from './child.ts';
import type { Kill, Visits } from './kill-point.ts';
import { OutsideLedger } from './outside-ledger.ts';

const HANDBOOK = `# Leave\n\nEverybody has 30 days of leave a year. Leave is asked for two weeks before.\n\n# Travel\n\nTravel is approved by the head of the department.\n`;

/** Who is killed, and what is asked of it. */
export interface Subject {
  readonly name: string;
  readonly input: string;
  readonly task?: RetailTask;
  /** The rows of the pattern contract that it is made of. */
  readonly rows?: readonly string[];
}

/** A kill at a point, or so long after the process has begun. */
export type AnyKill = Kill | { readonly afterMs: number };

/** What came of a run, and of the world outside it. */
export interface Journey {
  readonly end: Json;
  readonly rows: readonly JournalRow[];
  readonly ledger: OutsideLedger;
  readonly digest: string;
  /** By which points the last process came. */
  readonly visits: Visits;
  /** Where it was killed: the rows that were there. */
  readonly stations: readonly (readonly JournalRow[])[];
  /** Calls that had begun outside and had no result on record, by path and call. */
  readonly unclear: readonly string[];
}

/** What a number of journeys met with. */
export interface Tally {
  kills: number;
  unclear: number;
  doubled: number;
  lost: number;
}

const recordsOf = (rows: readonly JournalRow[]): readonly JournalRecord[] => {
  const { records, damage } = openJournal('r', rows);
  if (damage !== undefined) throw damage;
  // As the child of this test wrote them.
  return records as unknown as readonly JournalRecord[];
};

/** The calls of which something is on record, by path and call. */
const callsOf = (
  rows: readonly JournalRow[],
  type: 'tool.finished' | 'tool.ambiguous',
): ReadonlySet<string> =>
  new Set(
    recordsOf(rows).flatMap((record) =>
      record.kind === 'event' && record.event.type === type
        ? [`r/${record.event.path}#${record.event.step ?? 0}.${record.event.callId}`]
        : [],
    ),
  );

const rowsIn = async (file: string): Promise<readonly JournalRow[]> => {
  const store = sqliteStore(file);
  try {
    return (await store.entry('r')) === undefined ? [] : await store.read('r');
  } finally {
    await store.close();
  }
};

/** Times that an output tells are another matter in each run. */
const withoutTimes = (name: string, value: unknown): unknown => (name === 'at' ? undefined : value);

/** Has stored runs killed, in processes of their own and a folder of their own. */
export class Journeys {
  readonly #folder = mkdtempSync(join(tmpdir(), 'troupe-kills-'));
  readonly #program = new AnotherProcess('child.ts');
  #count = 0;

  async begin(): Promise<void> {
    await this.#program.build();
    writeFileSync(join(this.#folder, 'handbook.md'), HANDBOOK);
  }

  end(): void {
    this.#program.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Has a subject run, killed as planned and gone on with by another process each time, until it ends. */
  async travel(subject: Subject, kills: readonly AnyKill[]): Promise<Journey> {
    const { name, input, task, rows = [] } = subject;
    const desk = task === undefined ? undefined : new RetailDesk(retailData(), task.steps);
    const ledger = new OutsideLedger((tool, given, key) => desk?.call(tool, given, key) ?? `did ${key}`);
    const port = await ledger.open();
    const file = join(this.#folder, `${(this.#count += 1)}.db`);
    const tasks = task === undefined ? [] : [task];
    const order: ChildOrder = { subject: name, input, file, folder: this.#folder, port, tasks, rows };
    const stations: (readonly JournalRow[])[] = [];
    const unclear: string[] = [];
    try {
      for (const kill of [...kills, undefined]) {
        const said = await this.#go(order, kill);
        const found = await rowsIn(file);
        if (said !== undefined) {
          return { ...said, rows: found, ledger, digest: desk?.digest() ?? '', stations, unclear };
        }
        stations.push(found);
        const finished = found.length === 0 ? new Set() : callsOf(found, 'tool.finished');
        for (const [key, { name: tool }] of ledger.entries)
          if (tool === 'pay' && !finished.has(callInKey(key))) unclear.push(callInKey(key));
      }
      throw new Error('it was not to be killed any more, and was');
    } finally {
      await ledger.close();
    }
  }

  /** One process; gives what it came to, or nothing if it was killed. */
  async #go(
    order: ChildOrder,
    kill: AnyKill | undefined,
  ): Promise<Pick<Journey, 'end' | 'visits'> | undefined> {
    const isAtRandom = kill !== undefined && 'afterMs' in kill;
    const { wasKilled, lines, failure } = await this.#program.run(
      isAtRandom ? order : { ...order, kill },
      isAtRandom ? { killAfterMs: kill.afterMs } : {},
    );
    if (wasKilled) return undefined;
    const [, end, visits] = lines;
    if (end === undefined || visits === undefined)
      throw new Error(`the run of ${order.subject} broke: ${failure}`);
    return { end: JSON.parse(end, withoutTimes) as Json, visits: JSON.parse(visits) as Visits };
  }
}

/** What a killed run came to is what it comes to otherwise; nothing is lost, nothing done twice, and what is unclear surfaced. */
export const expectUnharmed = (found: Journey, expected: Journey, what: string, tally: Tally): void => {
  tally.kills += found.stations.length;
  expect(found.end, what).toEqual(expected.end);
  expect(found.digest, what).toBe(expected.digest);
  // Nothing that was written is lost.
  for (const station of found.stations) {
    if (JSON.stringify(found.rows.slice(0, station.length)) !== JSON.stringify(station)) tally.lost += 1;
  }
  // Each thing is done, and once.
  expect([...found.ledger.entries.keys()].sort(), what).toEqual([...expected.ledger.entries.keys()].sort());
  for (const [key, { begun, ended }] of found.ledger.entries) {
    if (begun !== 1 || ended !== 1) tally.doubled += 1;
    expect({ key, begun, ended }, what).toEqual({ key, begun: 1, ended: 1 });
  }
  const surfaced = callsOf(found.rows, 'tool.ambiguous');
  for (const key of new Set(found.unclear)) {
    tally.unclear += 1;
    expect(surfaced, what).toContain(key);
  }
};
