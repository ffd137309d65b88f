/**
 * Another process on a store, told what to do by its arguments:
 *
 * - `write FILE`: takes the run and writes to it until it is killed, and says after each commit how many rows there are.
 * - `race FOLDER`: tries to take each run that is named on its input, as `FILE RUN`, and says whether it has it.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JournalStore, LeaseWish, RunEntry } from '../../src/contracts/journals/journal.ts';
import { JournalSeal, openJournal } from '../../src/persistence/journal-codec.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';

const [, , task, place = ''] = process.argv;

const wishFor = ({ identity }: JournalStore): LeaseWish => ({
  holder: identity?.holder ?? 'nobody',
  ttlMs: 3_600_000,
  now: Date.now(),
  isGone: (holder) => identity?.isGone(holder) ?? false,
});

const entry = (runId: string): RunEntry => ({
  runId,
  agent: 'clerk',
  status: 'running',
  title: '',
  createdAt: 0,
  updatedAt: 0,
});

const write = async (): Promise<void> => {
  const store = sqliteStore(place);
  const wish = wishFor(store);
  const isNew = (await store.entry('r')) === undefined;
  const lease = await (isNew ? store.create(entry('r'), wish) : store.acquire('r', wish));
  const after = openJournal('r', await store.read('r'));
  const journal = new JournalSeal({ runId: 'r', after });
  for (let n = after.rows; ; n += 3) {
    const rows = [n, n + 1, n + 2].map((at) => journal.seal([{ at, text: 'x'.repeat(at % 5000) }]));
    // What it changes of the entry says how many rows there have to be.
    await store.commit(lease, { rows, change: { status: 'running', updatedAt: n + 3 } });
    process.stdout.write(`${n + 3}\n`);
  }
};

const race = async (): Promise<void> => {
  process.stdout.write('ready\n');
  const stores = new Map<string, JournalStore>();
  for await (const line of createInterface({ input: process.stdin })) {
    const [file = '', runId = ''] = line.split(' ');
    const store = stores.get(file) ?? sqliteStore(join(place, file));
    stores.set(file, store);
    const attempt = async () =>
      runId === 'new' ? store.create(entry(runId), wishFor(store)) : store.acquire(runId, wishFor(store));
    const answer = await attempt().then(
      () => 'has it',
      (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
    );
    process.stdout.write(`${answer}\n`);
  }
};

await (task === 'write' ? write() : race());
