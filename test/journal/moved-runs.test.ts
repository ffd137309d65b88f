import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { KeyValueFiles } from '../../src/contracts/conversations/memory.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import { act, agent, answer, replay, resume, tool } from '../../src/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { postgresStore } from '../../src/persistence/postgres/postgres-store.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { answerRequest, openRequests } from '../../src/runtime/journal/letters/requests.ts';
import { moveRun } from '../../src/runtime/journal/moves/move-run.ts';
import { describeWithPostgres } from '../support/postgres.ts';

/** A picture of one pixel. */
const PICTURE = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='),
  (letter) => letter.charCodeAt(0),
);

const paid: string[] = [];
const payer = agent({
  name: 'payer',
  tools: [
    tool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({ amount: z.number(), receipt: z.string() }),
      approval: true,
      execute: ({ amount }, { key }) => {
        paid.push(key);
        return `paid ${amount}`;
      },
    }),
  ],
  decide: ({ results }) =>
    results.length === 0
      ? act({ name: 'pay', input: { amount: 3, receipt: 'r'.repeat(10) } })
      : answer(String(results[0]?.text)),
});

/** A run that waits for a yes, or has it in a letter that it has not read. */
const begin = async (store: JournalStore, runId: string, isAnswered = true): Promise<void> => {
  const handle = payer.stream('go', { store, runId, thread: 'talk' });
  const isOver = handle.result.catch(() => undefined);
  for await (const { type } of handle) if (type === 'tool.approval-requested') break;
  await handle.suspend({ withinMs: 0 });
  await isOver;
  if (isAnswered) await approve(store, runId);
};

const approve = async (store: JournalStore, runId: string): Promise<void> => {
  const [request] = await openRequests(store, runId);
  await answerRequest(store, runId, { id: request?.id ?? '', yes: true });
};

const finish = async (store: JournalStore, runId: string): Promise<unknown> =>
  (await (await resume(payer, runId, { store })).result).output;

const sqliteIn = (name: string): JournalStore => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-moved-'));
  const store = sqliteStore(join(folder, `${name}.db`));
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
};

/** A store under another name, whose process dies at its `at`-th write, before or after it is done. */
class Killed extends Error {}
const mortal = (
  store: JournalStore,
  name: string,
  life: { left: number; readonly isDone: boolean; isOver: boolean },
): JournalStore => {
  const writing = async (write: () => unknown): Promise<unknown> => {
    if (life.isOver) throw new Killed();
    life.left -= 1;
    if (life.left > 0) return write();
    if (life.isDone) await write();
    life.isOver = true;
    throw new Killed();
  };
  const reading = async (read: () => unknown): Promise<unknown> => {
    if (life.isOver) throw new Killed();
    return read();
  };
  const WRITES = new Set(['create', 'acquire', 'renew', 'release', 'commit', 'post', 'hold']);
  const filesOf = (room: string): KeyValueFiles => {
    const files = store.files(room);
    return {
      read: (text) => reading(() => files.read(text)) as Promise<string | undefined>,
      names: () => reading(() => files.names()) as Promise<readonly string[]>,
      write: (text, given) => writing(() => files.write(text, given)) as Promise<void>,
      append: (text, given) => writing(() => files.append(text, given)) as Promise<void>,
      remove: (text) => writing(() => files.remove(text)) as Promise<void>,
    };
  };
  return new Proxy(store, {
    get: (_, key) => {
      if (key === 'name') return name;
      // Another process each time, of which nothing is known.
      if (key === 'identity') return undefined;
      if (key === 'files') return filesOf;
      const found: unknown = Reflect.get(store, key);
      if (typeof found !== 'function') return found;
      return (...given: readonly unknown[]) =>
        (WRITES.has(String(key)) ? writing : reading)(() => Reflect.apply(found, store, given) as unknown);
    },
  });
};

/** Whether a process could take a run from a store by now. */
const isOpenIn = async (store: JournalStore, runId: string): Promise<boolean> => {
  const status = (await store.entry(runId))?.status;
  if (status === undefined || status === 'arriving' || status === 'moved') return false;
  return true;
};

const moves = (makeFrom: () => JournalStore, makeTo: () => JournalStore): void => {
  test('goes on in the other store with its letters, its requests, its thread and its keys, and is closed in the first', async () => {
    const [from, to] = [makeFrom(), makeTo()];
    await begin(from, 'r1');
    await from.files('commands').write('r1', '{"v":1}');
    await from.files('serve-keys').append('7-abc', `${'0'.repeat(64)} r1\n`);
    await from.files('serve-keys').append('7-def', `${'0'.repeat(64)} r2\n`);
    const before = await from.read('r1');
    const { rows, digest } = await moveRun({ from, to, runId: 'r1', rooms: ['commands'] });
    expect([rows, digest]).toEqual([before.length, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect((await from.entry('r1'))?.status).toBe('moved');
    await expect(resume(payer, 'r1', { store: from })).rejects.toMatchObject({ code: 'journal.moved' });
    await expect(async () => approve(from, 'r1')).rejects.toMatchObject({ code: 'journal.moved' });
    expect(await to.read('r1')).toEqual(before);
    expect(await to.files('commands').read('r1')).toBe('{"v":1}');
    expect(await to.files('serve-keys').names()).toEqual(['7-abc']);
    paid.length = 0;
    expect(await finish(to, 'r1')).toBe('paid 3');
    expect(paid).toHaveLength(1);
    expect((await replay(payer, 'r1', { store: to })).result?.output).toBe('paid 3');
    // A second time, it is where it was moved.
    expect(await moveRun({ from, to, runId: 'r1' })).toMatchObject({ digest });
  });

  test('comes back, with a letter that nobody has read on the way, which is read once', async () => {
    const [from, to] = [makeFrom(), makeTo()];
    await begin(from, 'r3', false);
    await moveRun({ from, to, runId: 'r3' });
    await approve(to, 'r3');
    await moveRun({ from: to, to: from, runId: 'r3' });
    await moveRun({ from, to, runId: 'r3' });
    await moveRun({ from: to, to: from, runId: 'r3' });
    expect(await from.letters('r3')).toHaveLength(1);
    expect(await to.letters('r3')).toEqual([]);
    paid.length = 0;
    expect(await finish(from, 'r3')).toBe('paid 3');
    expect(paid).toHaveLength(1);
    // What has ended is moved, too.
    await moveRun({ from, to, runId: 'r3' });
    expect((await to.entry('r3'))?.status).toBe('completed');
    expect((await replay(payer, 'r3', { store: to })).result?.output).toBe('paid 3');
  });

  test('goes on in the first store where the move was cut off before it was closed, and is moved later with what came since', async () => {
    const [from, to] = [makeFrom(), makeTo()];
    await begin(from, 'r5');
    const life = { left: 6, isDone: true, isOver: false };
    const ends = { from: mortal(from, 'one', life), to: mortal(to, 'two', life) };
    await expect(moveRun({ ...ends, runId: 'r5' })).rejects.toBeInstanceOf(Killed);
    expect((await to.entry('r5'))?.status).toBe('arriving');
    for (const store of [from, to]) for (const lease of await store.leases()) await store.release(lease);
    const before = (await from.read('r5')).length;
    expect(await finish(from, 'r5')).toBe('paid 3');
    const { rows } = await moveRun({ from, to, runId: 'r5' });
    expect(rows).toBeGreaterThan(before);
    expect(await to.read('r5')).toEqual(await from.read('r5'));
    expect((await replay(payer, 'r5', { store: to })).result?.output).toBe('paid 3');
  });

  test('takes the media of the run along, which go from the first store with what is left of it there', async () => {
    const [from, to] = [makeFrom(), makeTo()];
    const image = { type: 'image', data: PICTURE, mediaType: 'image/png' } as const;
    await agent({ name: 'viewer', decide: () => answer('seen') }).run([image], { store: from, runId: 'r6' });
    const [hash = ''] = await from.files('blobs').names();
    await moveRun({ from, to, runId: 'r6' });
    expect(await to.files('blobs').read(hash)).toBe(await from.files('blobs').read(hash));
    expect(await from.prune({ idleSince: Date.now() + 1_000 })).toBe(1);
    expect(await from.files('blobs').names()).toEqual([]);
    expect(await to.prune({ status: ['completed'], idleSince: Date.now() + 1_000 })).toBe(1);
    expect(await to.files('blobs').names()).toEqual([]);
  });

  test('is refused while a process has the run, or where the other store has another one, and stays where it was', async () => {
    const [from, to] = [makeFrom(), makeTo()];
    await begin(from, 'r4');
    const lease = await from.acquire('r4', { holder: 'ada:1:x', ttlMs: 60_000, now: Date.now() });
    await expect(moveRun({ from, to, runId: 'r4' })).rejects.toMatchObject({ code: 'journal.held' });
    await from.release(lease);
    await begin(to, 'r4', false);
    await expect(moveRun({ from, to, runId: 'r4' })).rejects.toMatchObject({ code: 'journal.exists' });
    await expect(moveRun({ from, to, runId: 'nobody' })).rejects.toMatchObject({ code: 'journal.unknown' });
    await expect(moveRun({ from, to: from, runId: 'r4' })).rejects.toMatchObject({ code: 'journal.exists' });
    expect(await finish(from, 'r4')).toBe('paid 3');
  });
};

/** Kills the process that moves a run at each of its writes, before it and after it. */
const kills = (makeFrom: () => JournalStore, makeTo: () => JournalStore): void => {
  test.each([false, true])(
    'is never in two stores and never lost, wherever its process is killed (the write done: %s)',
    async (isDone) => {
      const [from, to] = [makeFrom(), makeTo()];
      let tried = 0;
      for (let at = 1; ; at += 1) {
        const runId = `k${at}`;
        await begin(from, runId);
        const rows = await from.read(runId);
        const life = { left: at, isDone, isOver: false };
        const ends = [mortal(from, 'one', life), mortal(to, 'two', life)] as const;
        const moved = moveRun({ from: ends[0], to: ends[1], runId }).then(
          () => true,
          (thrown: unknown) => {
            if (life.isOver) return false;
            throw thrown;
          },
        );
        const isMoved = await moved;
        const open = [await isOpenIn(from, runId), await isOpenIn(to, runId)];
        expect([at, open.filter(Boolean).length < 2]).toEqual([at, true]);
        // The leases of who died expire.
        for (const store of [from, to])
          for (const lease of await store.leases()) if (lease.runId === runId) await store.release(lease);
        // Closed in both, it is whole in the other, and the same move opens it.
        expect(open[0] === true ? rows : await to.read(runId)).toEqual(rows);
        if (!isMoved) {
          tried += 1;
          const again = { left: Infinity, isDone, isOver: false };
          await moveRun({ from: mortal(from, 'one', again), to: mortal(to, 'two', again), runId });
        }
        paid.length = 0;
        expect([at, await isOpenIn(from, runId), await finish(to, runId)]).toEqual([at, false, 'paid 3']);
        expect(paid).toHaveLength(1);
        expect(await from.letters(runId)).toEqual([]);
        if (isMoved) break;
      }
      expect(tried).toBeGreaterThan(10);
    },
  );
};

describe('a move between stores in memory', () => {
  const named = (name: string) => () => Object.assign(memoryStore(), { name });
  moves(named('one'), named('two'));
  kills(named('one'), named('two'));
});

describe('a move from SQLite to memory', () => {
  moves(
    () => sqliteIn('one'),
    () => memoryStore(),
  );
});

describeWithPostgres('a move from SQLite to PostgreSQL', ({ connectionString }) => {
  let schemas = 0;
  const cluster = (): JournalStore => {
    const store = postgresStore({ connectionString, schema: `moved_${(schemas += 1)}` });
    onTestFinished(async () => {
      await store.close();
    });
    return store;
  };
  moves(() => sqliteIn('one'), cluster);
  kills(() => sqliteIn('one'), cluster);
});
