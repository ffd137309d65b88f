import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import { writeBlobs } from '../../src/persistence/journal-blobs.ts';
import { exportJournal, memoryStore, readJournalFile, sqliteStore } from '../../src/persistence/index.ts';
import { fork } from '../../src/runtime/journal/resume/fork.ts';
import { base64, png } from '../content/pictures.ts';
import { judgingProvider, type Reply } from '../support/mock-provider.ts';
import { says } from '../support/wire-answers.ts';
import { AnotherProcess } from './kills/another-process.ts';
import { lookerAt, type LookerOrder } from './kills/looker.ts';
import { isThorough } from '../support/thorough.ts';

const program = new AnotherProcess('looker-process.ts');
const folder = mkdtempSync(join(tmpdir(), 'troupe-pictures-'));

beforeAll(() => program.build());
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Of the run before, the input, the message, and the tool. */
const pictures = [1, 2, 3, 4].map((filling) => base64(png(4, 4, filling)));

const replies: readonly Reply[] = [
  says('anthropic', 'A first one.'),
  says('anthropic', { calls: [{ name: 'camera', arguments: '{}' }] }),
  // The process dies while it waits.
  { pieces: [], ending: 'stall' },
];

/** The run, exported and imported, in a store that has nothing else. */
const imported = async (store: JournalStore, runId: string): Promise<JournalStore> => {
  const file = join(folder, `${runId}.journal`);
  await exportJournal(store, runId, file);
  const { entry, rows, blobs } = readJournalFile(file);
  const other = memoryStore();
  await writeBlobs(other, blobs);
  const lease = await other.create(entry, { holder: 'here', ttlMs: 1_000, now: Date.now() });
  await other.commit(lease, { rows, change: entry });
  await other.release(lease);
  return other;
};

if (isThorough)
  test('pictures of a thread, an input, a message and a tool reach the provider byte for byte after a kill, in a fork and where the run was imported, and no journal has them', async () => {
    let wait: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (wait = resolve));
    await using provider = await judgingProvider((_, index) => {
      if (index === 2) wait();
      return replies[index] ?? says('anthropic', 'All four.');
    });
    const order: LookerOrder = { file: join(folder, 'runs.db'), url: provider.url };
    expect(await program.run(order, { until: waits })).toMatchObject({ wasKilled: true, lines: [] });
    const sent = (index: number): string => JSON.stringify(provider.requests[index]?.body);
    const before = sent(2);
    for (const picture of pictures) expect(before.split(picture)).toHaveLength(2);

    expect(await program.run(order)).toMatchObject({ lines: ['"All four."'] });
    expect(sent(3)).toBe(before);

    const store = sqliteStore(order.file);
    const elsewhere = await imported(store, 'second');
    const looker = lookerAt(provider.url);
    for (const place of [store, elsewhere]) {
      const forked = await fork(looker, 'second', { store: place, runId: 'fork', at: { step: 1 } });
      expect((await forked.result).output).toBe('All four.');
      for (const runId of ['second', 'fork']) {
        const rows = (await place.read(runId)).map(({ text }) => text).join('\n');
        for (const picture of pictures) expect(rows).not.toContain(picture);
      }
    }
    expect([sent(4), sent(5)]).toEqual([before, before]);
    expect(provider.requests).toHaveLength(6);
    await store.close();
  }, 120_000);
