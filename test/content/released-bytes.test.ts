import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { BlobStore } from '../../src/contracts/content/blob-store.ts';
import { BLOB_ROOM } from '../../src/contracts/content/blob-store.ts';
import type { MediaPart } from '../../src/contracts/content/part.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import type { JournalStore, Lease } from '../../src/contracts/journals/journal.ts';
import { answer, fork } from '../../src/index.ts';
import { threads } from '../../src/memory/threads/threads.ts';
import {
  folderBlobs,
  folderStore,
  memoryStore,
  postgresStore,
  sqliteStore,
} from '../../src/persistence/index.ts';
import { RunContent } from '../../src/runtime/content/run-content.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { z } from 'zod';
import { sha256 } from '../../src/base/sha256.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { sized } from '../support/thorough.ts';
import { png } from './pictures.ts';
import { plainBlobs } from './plain-blobs.ts';

/** A place for bytes: a store of runs, what they are given, and the hashes of all bytes that are there. */
interface Place {
  readonly store: JournalStore;
  readonly content: { readonly blobs?: BlobStore };
  readonly names: () => Promise<readonly string[]>;
}

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'troupe-released-'));
  folders.push(made);
  return made;
};

afterEach(() => {
  for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
});

const inStore = (store: JournalStore): Place => ({
  store,
  content: {},
  names: () => store.files(BLOB_ROOM).names(),
});

const elsewhere = (): Place => {
  const { blobs, objects } = plainBlobs();
  return { store: memoryStore(), content: { blobs }, names: async () => [...objects.keys()] };
};

const inFolder = (): Place => {
  const at = folder();
  return {
    store: sqliteStore(':memory:'),
    content: { blobs: folderBlobs(at) },
    names: async () => readdirSync(at),
  };
};

const places: Readonly<Record<string, () => Place>> = {
  'in memory': () => inStore(memoryStore()),
  'in SQLite': () => inStore(sqliteStore(':memory:')),
  'in a folder': inFolder,
  'in a store of objects': elsewhere,
};

const seer = agent({ name: 'seer', decide: () => answer('Seen.') });

const pictures = Array.from({ length: 4 }, (_, index) => png(4, 4, index));
const partOf = (index: number): MediaPart => {
  const bytes = pictures[index] ?? png();
  return { type: 'image', hash: sha256(bytes), mediaType: 'image/png', size: bytes.byteLength };
};

const given = (indexes: readonly number[]) => [
  { type: 'text' as const, text: 'What is this?' },
  ...indexes.map((index) => ({ type: 'image' as const, data: pictures[index] ?? png() })),
];

const expectRead = async ({ store, content }: Place, indexes: Iterable<number>): Promise<void> => {
  for (const index of indexes)
    expect(new Uint8Array(await new RunContent({ store, content }).bytesOf(partOf(index)))).toEqual(
      pictures[index],
    );
};

/** A run that has just ended is let go of a moment later. */
const acquire = async (store: JournalStore, runId: string): Promise<Lease> => {
  for (;;)
    try {
      return await store.acquire(runId, { holder: 'test', ttlMs: 1e9, now: Date.now() });
    } catch (thrown) {
      if (!isTroupeError(thrown, 'journal.held')) throw thrown;
      await setImmediate();
    }
};

/** Prunes one run: the others are of other times. */
const pruneOnly = async ({ store, content }: Place, runId: string): Promise<void> => {
  const kept: Lease[] = [];
  for (const { runId: other } of await store.list())
    if (other !== runId) kept.push(await acquire(store, other));
    else await store.release(await acquire(store, other));
  await store.prune({}, content);
  for (const lease of kept) await store.release(lease);
};

type Act =
  | { readonly kind: 'write'; readonly pictures: readonly number[]; readonly thread: number }
  | { readonly kind: 'refer'; readonly picture: number }
  | { readonly kind: 'fork' | 'prune'; readonly run: number }
  | { readonly kind: 'remove'; readonly thread: number };

const anyAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    pictures: fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
    thread: fc.nat({ max: 3 }),
  }),
  fc.record({ kind: fc.constant('refer' as const), picture: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constantFrom('fork' as const, 'prune' as const, 'prune' as const), run: fc.nat() }),
  fc.record({ kind: fc.constant('remove' as const), thread: fc.nat({ max: 1 }) }),
);

/** Does what is to be done, and checks after each act that all that is referred to is there. */
const expectFollowed = async (place: Place, acts: readonly Act[]): Promise<void> => {
  const { store, content } = place;
  const talks = threads(store.files('threads'));
  const runs = new Map<string, ReadonlySet<number>>();
  const said = new Map<string, ReadonlySet<number>>();
  let count = 0;
  const all = () => new Set([...runs.values(), ...said.values()].flatMap((each) => [...each]));
  for (const act of acts) {
    const runId = `run-${(count += 1)}`;
    const known = 'run' in act ? [...runs.keys()][act.run % Math.max(runs.size, 1)] : undefined;
    if (act.kind === 'write') {
      const thread = act.thread < 2 ? `thread-${act.thread}` : undefined;
      await seer.run(given(act.pictures), {
        store,
        content,
        runId,
        ...(thread === undefined ? {} : { thread }),
      });
      const earlier = said.get(thread ?? '') ?? [];
      const shown = new Set([...act.pictures, ...earlier]);
      runs.set(runId, shown);
      if (thread !== undefined) said.set(thread, shown);
    } else if (act.kind === 'refer') {
      // What a caller has of another run.
      if (!all().has(act.picture)) continue;
      await seer.run([partOf(act.picture)], { store, content, runId });
      runs.set(runId, new Set([act.picture]));
    } else if (act.kind === 'remove') {
      await talks.remove(`thread-${act.thread}`);
      said.delete(`thread-${act.thread}`);
    } else if (known !== undefined && act.kind === 'fork') {
      const made = await fork(seer, known, { store, content, runId, at: { step: 0 } });
      await made.result;
      runs.set(runId, runs.get(known) ?? new Set());
    } else if (known !== undefined) {
      await pruneOnly(place, known);
      runs.delete(known);
    }
    await expectRead(place, all());
  }
  for (const thread of said.keys()) await talks.remove(thread);
  for (const { runId } of await store.list()) await store.release(await acquire(store, runId));
  await store.prune({}, content);
  await store.prune({}, content);
  expect(await place.names()).toEqual([]);
  expect(await store.files('released').names()).toEqual([]);
};

const write = (thread: number): Act => ({ kind: 'write', pictures: [0, 1], thread });
const first = (kind: 'fork' | 'prune'): Act => ({ kind, run: 0 });

/** The orders that matter, each with one reference that is left. */
const orders: [Act[]][] = [
  [[write(3), first('fork'), first('prune')]],
  [[write(0), first('prune'), write(0), first('prune')]],
  [[write(3), { kind: 'refer', picture: 1 }, first('prune')]],
  [[write(3), write(3), first('prune'), write(3), first('prune')]],
  [[write(1), { kind: 'remove', thread: 1 }, first('prune')]],
];

describe.each(Object.entries(places))('bytes %s', (_, make) => {
  test('are there for as long as a run, a fork or a thread refers to them, and no longer', async () => {
    const law = fc.asyncProperty(fc.array(anyAct, { maxLength: 10 }), async (acts) => {
      const place = make();
      await expectFollowed(place, acts);
      await place.store.close();
    });
    await fc.assert(law, { numRuns: sized(14, 300), examples: orders });
  });
});

test('a fork refers to what the shared steps of the other run have seen', async () => {
  const store = memoryStore();
  const camera = tool({
    name: 'camera',
    description: 'Takes a picture.',
    input: z.object({}),
    execute: () => dual({ parts: [{ type: 'image', data: pictures[3] ?? png() }], value: 'taken' }),
  });
  const model = () => scriptedModel([calls({ name: 'camera', input: {} }), 'Seen.']);
  await agent({ name: 'eye', tools: [camera], model: model() }).run('Look.', { store, runId: 'first' });
  const other = agent({ name: 'eye', tools: [camera], model: scriptedModel(['Seen, too.']) });
  await (
    await fork(other, 'first', { store, runId: 'fork', at: { step: 1 } })
  ).result;
  await pruneOnly({ ...inStore(store) }, 'first');
  await expectRead(inStore(store), [3]);
});

test('a run that was pruned as it is forked is unknown, and its fork commits nothing', async () => {
  const store = memoryStore();
  await seer.run(given([0]), { store, runId: 'first' });
  const racing: JournalStore = Object.assign(Object.create(store) as JournalStore, {
    read: (...asked: Parameters<JournalStore['read']>) => store.read(...asked),
    create: async (...asked: Parameters<JournalStore['create']>) => {
      await store.prune({});
      return store.create(...asked);
    },
    hold: (...asked: Parameters<NonNullable<JournalStore['hold']>>) => store.hold?.(...asked) ?? [],
    files: (room: string) => store.files(room),
    entry: (runId: string) => store.entry(runId),
    release: (...asked: Parameters<JournalStore['release']>) => store.release(...asked),
  });
  const forked = fork(seer, 'first', { store: racing, runId: 'fork', at: { step: 0 } });
  await expect(forked).rejects.toMatchObject({ code: 'journal.unknown' });
  expect(await store.read('fork')).toEqual([]);
});

describeWithPostgres('bytes in PostgreSQL', ({ connectionString }) => {
  test('are there for as long as a run, a fork or a thread refers to them, and no longer', async () => {
    const store = postgresStore({ connectionString });
    const acts = [
      { kind: 'write', pictures: [0, 1], thread: 0 },
      { kind: 'fork', run: 0 },
      { kind: 'write', pictures: [1, 2], thread: 3 },
      { kind: 'prune', run: 0 },
      { kind: 'refer', picture: 2 },
      { kind: 'prune', run: 1 },
      { kind: 'write', pictures: [3], thread: 0 },
      { kind: 'remove', thread: 0 },
      { kind: 'prune', run: 0 },
    ] as const;
    await expectFollowed(inStore(store), acts);
    const { blobs, objects } = plainBlobs();
    await expectFollowed({ store, content: { blobs }, names: async () => [...objects.keys()] }, acts);
    await store.close();
  });

  test('are not lost to a run that stores them as the last other one is pruned', async () => {
    const [store, other] = [postgresStore({ connectionString }), postgresStore({ connectionString })];
    const place = inStore(store);
    for (let round = 0; round < 20; round += 1) {
      await seer.run(given([0]), { store, runId: `old-${round}` });
      await Promise.all([
        other.prune({}),
        seer.run(given([0]), { store, runId: `new-${round}` }).catch(() => undefined),
      ]);
      if ((await store.entry(`new-${round}`)) !== undefined) await expectRead(place, [0]);
      await store.prune({});
    }
    // A run is over before its lease is free, and one under lease is not pruned.
    await vi.waitFor(async () => expect(await store.leases()).toEqual([]));
    await store.prune({});
    expect(await place.names()).toEqual([]);
    await Promise.all([store.close(), other.close()]);
  });
});

test('bytes in a folder that runs of two stores share stay until both have let them go', async () => {
  const at = folder();
  const content = { blobs: folderBlobs(at) };
  const [one, two] = [memoryStore(), sqliteStore(':memory:')];
  for (const store of [one, two]) await seer.run(given([0]), { store, content, runId: 'same' });
  await one.prune({}, content);
  await expectRead({ store: two, content, names: async () => [] }, [0]);
  await two.prune({}, content);
  expect(readdirSync(at)).toEqual([]);
});

test('bytes that a run without a store, or a thread elsewhere, refers to stay', async () => {
  const at = folder();
  const content = { blobs: folderBlobs(join(at, 'blobs')) };
  const store = memoryStore();
  await seer.run(given([0]), { content });
  await seer.run(given([0]), { store, content });
  const talks = threads(folderStore(join(at, 'threads')));
  await seer.run(given([1]), { store, content, thread: 't', threads: talks });
  await seer.run(given([2]), { store, thread: 't', threads: talks });
  await store.prune({}, content);
  await expectRead({ store, content, names: async () => [] }, [0, 1]);
  await expectRead({ store, content: {}, names: async () => [] }, [2]);
});

test('bytes elsewhere stay until the store is told where they are, and functions that remove them are needed', async () => {
  const { store, content, names } = elsewhere();
  await seer.run(given([0]), { store, content });
  expect(await store.prune({})).toBe(1);
  expect(await names()).toContain(partOf(0).hash);
  await store.prune({}, { blobs: { ...plainBlobs('s3:another').blobs } });
  expect(await names()).toContain(partOf(0).hash);
  const { blobs } = content;
  const readOnly = { name: blobs?.name ?? '', put: () => undefined, get: () => undefined };
  await expect((async () => store.prune({}, { blobs: readOnly }))()).rejects.toMatchObject({
    code: 'content.invalid',
    message: expect.stringContaining('give it `remove` and `names`'),
  });
  await store.prune({}, content);
  expect(await names()).toEqual([]);
});

test('bytes stay where their store has two functions only, as they always did', async () => {
  const objects = new Map<string, Uint8Array>();
  const blobs: BlobStore = {
    name: 's3:bucket',
    put: (hash, bytes) => void objects.set(hash, bytes),
    get: (hash) => objects.get(hash),
  };
  const store = memoryStore();
  await seer.run(given([0]), { store, content: { blobs } });
  await store.prune({});
  expect([...objects.keys()]).toEqual([partOf(0).hash]);
});
