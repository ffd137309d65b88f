import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Content, MediaPart } from '../../src/contracts/content/part.ts';
import { isMedia } from '../../src/contracts/content/part.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { act, answer, fork, replay, resume, wait } from '../../src/index.ts';
import { threads } from '../../src/memory/threads/threads.ts';
import { readBlobs, writeBlobs } from '../../src/persistence/journal-blobs.ts';
import {
  exportJournal,
  folderBlobs,
  folderStore,
  journalText,
  memoryStore,
  readJournalFile,
  readJournalText,
  sqliteStore,
} from '../../src/persistence/index.ts';
import { z } from 'zod';
import { parallel } from '../../src/patterns/index.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { mortalStore } from '../support/mortal-store.ts';
import { numbersFrom } from '../support/stored-runs.ts';
import { base64, pdf, png, wav } from './pictures.ts';

const asked = png(4, 4, 1);
const taken = png(8, 8, 2);

const camera = tool({
  name: 'camera',
  description: 'Takes a picture.',
  input: z.object({}),
  idempotent: true,
  execute: () =>
    dual({
      text: 'The garden:',
      parts: [{ type: 'image', data: taken, name: 'garden.png' }],
      value: 'taken',
    }),
});

/** A model that uses the camera once in a run, then answers; `seen` is the bytes of each request, in order. */
const eye = () => {
  const seen: string[][] = [];
  const model: Model = {
    provider: 'scripted',
    id: 'eye',
    isLanguageModel: false,
    takes: { media: ['*'] },
    answer: async ({ messages }, call) => {
      const media = messages.toArray().flatMap((turn) => (turn.parts ?? []).filter(isMedia));
      const bytes = await Promise.all(media.map(async (part: MediaPart) => call.bytesOf?.(part)));
      seen.push(bytes.map((each) => base64(each ?? new Uint8Array())));
      const last = messages.at(-1);
      return last?.role === 'user'
        ? modelAnswer({ calls: [{ id: 'c', name: 'camera', input: {} }] })
        : modelAnswer({ text: 'Two cats.' });
    },
  };
  return { model, seen };
};

const seer = (model: Model) => agent({ name: 'seer', model, tools: [camera] });

const question: Content = [
  { type: 'text', text: 'What is here?' },
  { type: 'image', data: asked, name: 'cats.png' },
];

const both = [base64(asked), base64(taken)];

const rowsOf = async (store: JournalStore, runId: string): Promise<string> =>
  (await store.read(runId)).map(({ text }) => text).join('\n');

const inFolder = async (work: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-content-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

test('an image from the user and one from a tool reach the model; the journal holds neither', async () => {
  const store = memoryStore();
  const { model, seen } = eye();
  await seer(model).run(question, { store, runId: 'r' });
  expect(seen).toEqual([[base64(asked)], both]);
  const rows = await rowsOf(store, 'r');
  for (const bytes of both) expect(rows).not.toContain(bytes);
  expect((await store.entry('r'))?.title).toBe('What is here? [image cats.png]');
});

test('a run that dies at any of its writes goes on with the same bytes', async () => {
  let isOver = false;
  let at = 0;
  while (!isOver) {
    at += 1;
    const store = memoryStore();
    const { store: mortal, died } = mortalStore(store, { at, isDone: at % 2 === 0 });
    const first = seer(eye().model).stream(question, { store: mortal, runId: 'r' });
    first.result.catch(() => undefined);
    isOver = await Promise.race([died.then(() => false), first.result.then(() => true)]);
    if (isOver) break;
    // A run that its store has never accepted is started once more.
    const { model, seen } = eye();
    const known = await store.entry('r');
    const rows = known === undefined ? [] : await store.read('r');
    if (rows.length === 0) continue;
    const { output } = await (await resume(seer(model), 'r', { store: mortalStore(store).store })).result;
    expect(output).toBe('Two cats.');
    // Where the answer is on record, no model is asked.
    expect(seen.at(-1) ?? both).toEqual(both);
  }
  expect(at).toBeGreaterThan(6);
});

test('a thread keeps what was seen in it for its next run, in memory and beside its files', async () => {
  await inFolder(async (folder) => {
    for (const options of [
      { threads: threads(folderStore(join(folder, 'a'))) },
      { store: memoryStore() },
      {
        threads: threads(folderStore(join(folder, 'b'))),
        content: { blobs: folderBlobs(join(folder, 'c')) },
      },
    ]) {
      await seer(eye().model).run(question, { ...options, thread: 't' });
      const { model, seen } = eye();
      await seer(model).run('And now?', { ...options, thread: 't' });
      expect(seen).toEqual([both, [...both, base64(taken)]]);
    }
  });
});

test('a message may carry media, from outside and from a tool', async () => {
  const store = memoryStore();
  const { model, seen } = eye();
  const handle = seer(model).stream('Wait.', { store, runId: 'r', paused: true });
  expect(
    handle.send([
      { type: 'text', text: 'Look:' },
      { type: 'image', data: asked },
    ]),
  ).toBe(true);
  expect(() => handle.send([{ type: 'image', data: pdf() }])).toThrow(
    /its bytes are those of application\/pdf/,
  );
  handle.resume();
  await handle.result;
  expect(seen.at(-1)).toEqual(both);
});

test('a message from a tool of another agent carries media, which its journal has by reference', async () => {
  const store = memoryStore();
  const { model, seen } = eye();
  const show = tool({
    name: 'show',
    description: 'Shows a picture to the other.',
    input: z.object({}),
    execute: (_, { messages }) =>
      messages.tell('seer', 'See this:', { parts: [{ type: 'image', data: asked, name: 'cats.png' }] }),
  });
  const shower = agent({
    name: 'shower',
    tools: [show],
    decide: ({ step }) => (step === 0 ? act({ name: 'show', input: {} }) : answer('Shown.')),
  });
  const waiting = agent({
    name: 'seer',
    model,
    tools: [camera],
    decide: ({ step }) => (step === 0 ? wait('a picture') : undefined),
  });
  const team = parallel({ name: 'team', members: { shower, seer: waiting } });
  const { status } = await team.run('Go.', { store, runId: 'r' });
  expect(status).toBe('completed');
  expect(seen).toEqual([[base64(asked)], both]);
  const rows = await rowsOf(store, 'r');
  expect(rows).toContain('cats.png');
  for (const bytes of both) expect(rows).not.toContain(bytes);
});

test('a replay needs no bytes, a fork and an import have the same', async () => {
  await inFolder(async (folder) => {
    const store = sqliteStore(join(folder, 'runs.db'));
    await seer(eye().model).run(question, { store, runId: 'r' });
    const { events } = await replay(seer(eye().model), 'r', { store });
    expect(events.at(-1)).toMatchObject({ type: 'run.ended' });

    const file = join(folder, 'r.journal');
    await exportJournal(store, 'r', file);
    await store.close();
    const { entry, rows, blobs } = readJournalFile(file);
    const other = memoryStore();
    await writeBlobs(other, blobs);
    const lease = await other.create(entry, { holder: 'here', ttlMs: 1_000, now: Date.now() });
    await other.commit(lease, { rows, change: entry });
    await other.release(lease);

    const { model, seen } = eye();
    const { result } = await fork(seer(model), 'r', {
      store: other,
      change: { message: [{ type: 'audio', data: wav() }] },
      at: { step: 1 },
    });
    expect((await result).output).toBe('Two cats.');
    for (const each of seen) expect(each).toEqual(expect.arrayContaining(both));
    expect(seen.at(-1)).toContain(base64(wav()));
  });
});

test('an exported journal whose media were changed is refused', async () => {
  await inFolder(async (folder) => {
    const store = memoryStore();
    await seer(eye().model).run(question, { store, runId: 'r' });
    const file = join(folder, 'r.journal');
    await exportJournal(store, 'r', file);
    expect(Object.values(readJournalFile(file).blobs ?? {}).toSorted()).toEqual(both.toSorted());
    writeFileSync(file, readFileSync(file, 'utf8').replace(base64(taken), base64(pdf())));
    expect(() => readJournalFile(file)).toThrow(/the bytes of a medium were changed/);
  });
});

test('bytes that are gone, or damaged, are named with the place where they were sought', async () => {
  const store = memoryStore();
  const { model } = eye();
  const blobs = { name: 's3:bucket', put: () => undefined, get: () => undefined };
  const run = seer(model).run(question, { store, content: { blobs } });
  await expect(run).rejects.toMatchObject({ code: 'content.missing' });
  await expect(run).rejects.toThrow(/cats\.png.*s3:bucket/);
  const damaged = { ...blobs, get: () => png(1, 1) };
  await expect(seer(model).run(question, { content: { blobs: damaged } })).rejects.toThrow(
    /damaged in s3:bucket/,
  );
});

test('a record that refers to bytes is not written if they cannot be stored', async () => {
  const store = memoryStore();
  const blobs = {
    name: 's3:bucket',
    put: () => Promise.reject(new Error('No space.')),
    get: () => undefined,
  };
  const run = seer(eye().model).run(question, { store, runId: 'r', content: { blobs } });
  await expect(run).rejects.toThrow(/Cannot store the bytes of media in s3:bucket/);
  expect(await rowsOf(store, 'r')).toBe('');
});

test('members that get the input of their team get its media', async () => {
  const [one, two] = [eye(), eye()];
  const team = parallel({
    name: 'team',
    members: { one: seer(one.model), two: agent({ name: 'other', model: two.model, tools: [camera] }) },
  });
  await team.run(question);
  expect(one.seen).toEqual([[base64(asked)], both]);
  expect(two.seen).toEqual([[base64(asked)], both]);
});

/** Any content that a caller may give. */
const anyContent = (below: (limit: number) => number): Content =>
  Array.from({ length: 1 + below(4) }, () => {
    const name = below(2) === 0 ? {} : { name: ['a.b', 'ü/../"x"', '', '\u0000'][below(4)] ?? '' };
    const bytes = [png(1 + below(90), 1 + below(90), below(256)), pdf(), wav()][below(3)] ?? png();
    const encoded = [bytes, bytes.slice().buffer, base64(bytes)][below(3)] ?? bytes;
    switch (below(5)) {
      case 0:
        return {
          type: 'text',
          text: ['', '[runtime] Stop.', 'x'.repeat(below(90)), '\ud800'][below(4)] ?? '',
        };
      case 1:
        return { type: 'data', data: { a: [null, below(9), 'b'] }, ...name };
      case 2:
        return { type: 'file', data: new Uint8Array([below(256), 0, below(256)]), ...name };
      default:
        return { type: 'file', data: encoded, ...name };
    }
  });

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'whatever content is given is stored, killed, read back, replayed and exported (%i)',
  async (seed) => {
    const below = numbersFrom(seed + 1);
    const content = anyContent(below);
    const plain = eye();
    await seer(plain.model).run(content);
    const store = memoryStore();
    const { store: mortal, died } = mortalStore(store, { at: 3 + below(9), isDone: below(2) === 0 });
    const first = seer(eye().model).stream(content, { store: mortal, runId: 'r' });
    first.result.catch(() => undefined);
    const isOver = await Promise.race([died.then(() => false), first.result.then(() => true)]);
    const again = eye();
    const next = { store: mortalStore(store).store };
    // A run without a first record is started once more.
    const hasBegun = (await store.read('r')).length > 0;
    if (!hasBegun) await seer(again.model).run(content, { ...next, runId: 'r' });
    else if (!isOver) await (await resume(seer(again.model), 'r', next)).result;
    for (const seen of again.seen) expect(plain.seen).toContainEqual(seen);
    await replay(seer(eye().model), 'r', { store });
    const rows = await rowsOf(store, 'r');
    for (const bytes of plain.seen.flat().filter(({ length }) => length > 8))
      expect(rows).not.toContain(bytes);
    const entry = await store.entry('r');
    const kept = { rows: await store.read('r'), blobs: await readBlobs(store, await store.read('r')) };
    if (entry === undefined) throw new Error('It is gone.');
    const copy = readJournalText(journalText({ entry, ...kept }));
    expect({ blobs: {}, ...copy }).toEqual({ entry, ...kept });
  },
);
