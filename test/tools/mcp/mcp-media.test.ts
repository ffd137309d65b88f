import { expect, test } from 'vitest';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { MediaPart, Part } from '../../../src/contracts/content/part.ts';
import { isMedia } from '../../../src/contracts/content/part.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type { RunResult } from '../../../src/contracts/runs/run-result.ts';
import { agent, fork, replay, resume } from '../../../src/index.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import type { McpServerOptions } from '../../../src/mcp/index.ts';
import { journalText, memoryStore, readJournalText } from '../../../src/persistence/index.ts';
import { readBlobs, writeBlobs } from '../../../src/persistence/journal-blobs.ts';
import { base64, pdf, png, wav } from '../../content/pictures.ts';
import { mortalStore } from '../../support/mortal-store.ts';
import { greeting, handWritten, served } from './servers.ts';

const picture = png(8, 8, 2);

/** What a server says in one result, in its order. */
const said = [
  { type: 'text', text: 'The garden:' },
  { type: 'image', data: base64(picture), mimeType: 'image/png' },
  { type: 'audio', data: base64(wav()), mimeType: 'audio/x-wav' },
  {
    type: 'resource',
    resource: {
      uri: 'file:///plans/garden.pdf?page=1',
      mimeType: 'application/pdf; v=1.7',
      blob: base64(pdf()),
    },
  },
  { type: 'resource_link', name: 'More', uri: 'docs://more' },
] as const;

type Said = readonly { readonly type: string; readonly [field: string]: unknown }[];

/** A server with a camera, which says all that, in a result that failed if `isError`, and counts how often it was used. */
const camera = (content: Said = said, isError = false) => {
  let used = 0;
  const fill = (server: McpServer): void => {
    server.registerTool(
      'look',
      { description: 'Looks.', inputSchema: z.object({}), annotations: { readOnlyHint: true } },
      () => {
        used += 1;
        return { content: JSON.parse(JSON.stringify(content)), ...(isError ? { isError } : {}) };
      },
    );
  };
  return { options: served(fill), used: () => used };
};

/** A model that calls the camera, then answers; `seen` is what it is shown of the last turn of each request. */
const eye = (takes: Model['takes'] = { media: ['*'] }) => {
  const seen: string[][] = [];
  const model: Model = {
    provider: 'scripted',
    id: 'eye',
    isLanguageModel: false,
    ...(takes === undefined ? {} : { takes }),
    answer: async ({ messages }, call) => {
      const last = messages.at(-1);
      if (last?.role === 'user') return modelAnswer({ calls: [{ id: 'c', name: 'srv.look', input: {} }] });
      const shownAs = async (part: Part): Promise<string> => {
        if (!isMedia(part)) return part.type === 'text' ? part.text : part.type;
        return base64((await call.bytesOf?.(part)) ?? new Uint8Array());
      };
      seen.push(await Promise.all((last?.parts ?? []).map(shownAs)));
      return modelAnswer({ text: last?.text ?? '' });
    },
  };
  return { model, seen };
};

const seer = (options: McpServerOptions, model: Model) =>
  agent({ name: 'seer', model, tools: [mcpServer(options)] });

const all = [
  'The garden:',
  base64(picture),
  base64(wav()),
  'Resource file:///plans/garden.pdf?page=1:',
  base64(pdf()),
  'Resource More: docs://more',
];

const words = 'The garden:\nResource file:///plans/garden.pdf?page=1:\nResource More: docs://more';
const afterWords = [words, base64(picture), base64(wav()), base64(pdf())];

const firstOf = ({ records }: RunResult<unknown>) => records[0]?.results[0];

test('what a server shows reaches the model as parts in their order; the program has references, and the journal no bytes', async () => {
  const store = memoryStore();
  const { model, seen } = eye();
  const result = await seer(camera().options, model).run('Look.', { store, runId: 'r' });
  expect(seen).toEqual([all]);
  expect(firstOf(result)?.parts).toMatchObject([
    { type: 'text' },
    {
      type: 'image',
      mediaType: 'image/png',
      width: 8,
      height: 8,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    { type: 'audio', mediaType: 'audio/wav', size: 48 },
    { type: 'text' },
    { type: 'file', mediaType: 'application/pdf', name: 'garden.pdf' },
    { type: 'text' },
  ]);
  expect(result.output).toContain('[image image/png]');
  const rows = (await store.read('r')).map(({ text }) => text).join('\n');
  for (const bytes of [picture, wav(), pdf()]) expect(rows).not.toContain(base64(bytes));
});

test.each([
  { what: 'a result', isError: false },
  { what: 'a result that failed', isError: true },
])(
  'a run that dies at any of its writes shows the model the same bytes of $what when it is resumed',
  async ({ isError }) => {
    const shown = isError ? afterWords : all;
    let isOver = false;
    let at = 0;
    while (!isOver) {
      at += 1;
      const store = memoryStore();
      const { store: mortal, died } = mortalStore(store, { at, isDone: at % 2 === 0 });
      const first = seer(camera(said, isError).options, eye().model).stream('Look.', {
        store: mortal,
        runId: 'r',
      });
      first.result.catch(() => undefined);
      isOver = await Promise.race([died.then(() => false), first.result.then(() => true)]);
      if (isOver) break;
      const rows = (await store.entry('r')) === undefined ? [] : await store.read('r');
      // A run that its store has never accepted is started once more.
      if (rows.length === 0) continue;
      const { model, seen } = eye();
      const again = await resume(seer(camera(said, isError).options, model), 'r', {
        store: mortalStore(store).store,
      });
      expect((await again.result).status).toBe('completed');
      // Where the answer is on record, no model is asked.
      expect(seen.at(-1) ?? shown).toEqual(shown);
    }
    expect(at).toBeGreaterThan(5);
  },
);

test('a replay asks no server, and a fork of an exported run shows the same bytes without one', async () => {
  const store = memoryStore();
  const first = camera();
  await seer(first.options, eye().model).run('Look.', { store, runId: 'r' });
  const { events } = await replay(seer(first.options, eye().model), 'r', { store });
  expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'completed' });
  const kept = await store.read('r');
  const known = await store.entry('r');
  if (known === undefined) throw new Error('it is not in the store');
  const file = journalText({ entry: known, rows: kept, blobs: await readBlobs(store, kept) });
  const { entry, rows, blobs } = readJournalText(file);
  const other = memoryStore();
  await writeBlobs(other, blobs);
  const lease = await other.create(entry, { holder: 'here', ttlMs: 1_000, now: Date.now() });
  await other.commit(lease, { rows, change: entry });
  await other.release(lease);
  const { model, seen } = eye();
  const { result } = await fork(seer(first.options, model), 'r', { store: other, at: { step: 1 } });
  expect((await result).status).toBe('completed');
  expect(seen).toEqual([all]);
  expect(first.used()).toBe(1);
});

const image = (data: string, mimeType = 'image/png') => [{ type: 'image', data, mimeType }];
const resource = (blob: string, rest: object = {}) => [
  { type: 'resource', resource: { uri: 'file:///a', blob, ...rest } },
];

test.each([
  {
    what: 'is too large',
    content: image(base64(png(2, 2))),
    limits: { maxBytes: 63 },
    code: 'content.too-large',
  },
  { what: 'has too many pixels', content: image(base64(png(50_000, 50_000))), code: 'content.too-large' },
  {
    what: 'is of a type that the run does not take',
    content: resource(base64(pdf())),
    limits: { mediaTypes: ['image/*'] },
    code: 'content.refused',
  },
  { what: 'is not what it is said to be', content: image(base64(pdf())), code: 'content.invalid' },
  { what: 'is empty', content: image(''), code: 'content.invalid' },
  {
    what: 'has a media type that is none',
    content: resource(base64(pdf()), { mimeType: 'a "type"' }),
    code: 'content.invalid',
  },
])('media that $what fails its call by $code, and the run goes on', async ({ content, limits, code }) => {
  const { model } = eye();
  const { options, used } = camera(content);
  const result = await seer(options, model).run('Look.', { content: limits });
  expect(result.status).toBe('completed');
  expect(firstOf(result)).toMatchObject({ ok: false, error: { code } });
  expect(used()).toBe(1);
});

test('what a server shows in a result that failed reaches the model after its words, as references of the journal', async () => {
  const store = memoryStore();
  const { model, seen } = eye();
  const broken = camera(said, true);
  const result = await seer(broken.options, model).run('Look.', { store, runId: 'r' });
  expect(seen).toEqual([afterWords]);
  expect(firstOf(result)).toMatchObject({
    ok: false,
    error: { code: 'tool.failed', message: words },
    parts: [{ type: 'text' }, { type: 'image', width: 8 }, { type: 'audio' }, { name: 'garden.pdf' }],
  });
  const rows = (await store.read('r')).map(({ text }) => text).join('\n');
  for (const bytes of [picture, wav(), pdf()]) expect(rows).not.toContain(base64(bytes));
  const { events } = await replay(seer(broken.options, eye().model), 'r', { store });
  expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'completed' });
  const again = eye();
  const forked = await fork(seer(broken.options, again.model), 'r', { store, at: { step: 1 } });
  expect((await forked.result).status).toBe('completed');
  expect(again.seen).toEqual([afterWords]);
  expect(broken.used()).toBe(1);
});

test('a medium of a failed result that the run does not take is a text that says why, and the words of the server stay', async () => {
  const { options } = camera([{ type: 'text', text: 'The lens broke.' }, ...image(base64(pdf()))], true);
  const result = await seer(options, eye().model).run('Look.');
  expect(firstOf(result)).toMatchObject({
    ok: false,
    error: { code: 'tool.failed', message: 'The lens broke.' },
    text: expect.stringMatching(/^The lens broke\.\n\n\(.* its bytes are not those of image\/png/),
  });
});

test('a failed result does not end the run of a model that takes no pictures: their names, or what a converter makes, stand for them', async () => {
  const { options } = camera(image(base64(picture)), true);
  const { model } = eye({ media: ['application/pdf'] });
  const { output } = await seer(options, model).run('Look.');
  expect(output).toBe('look failed, and said no more\n\n[image image/png]');
  const convert = { 'image/*': () => 'A broken lens.' };
  const converted = await seer(options, model).run('Look.', { content: { convert } });
  expect(converted.output).toBe('look failed, and said no more\n\nA broken lens.');
});

test('an address in place of bytes is fetched by nobody', async () => {
  const lying = handWritten({
    ...greeting,
    'tools/list': { tools: [{ name: 'look', inputSchema: { type: 'object' } }] },
    'tools/call': { content: image('https://evil.test/a.png') },
  });
  const result = await seer(lying, eye().model).run('Look.');
  expect(firstOf(result)).toMatchObject({ ok: false, error: { code: 'mcp.protocol' } });
});

test.each([
  { what: 'a picture', content: resource(base64(picture)), is: { type: 'image', mediaType: 'image/png' } },
  {
    what: 'a sound',
    content: resource(base64(wav()), { mimeType: ' ' }),
    is: { type: 'audio', mediaType: 'audio/wav' },
  },
  { what: 'a PDF', content: resource(base64(pdf())), is: { type: 'file', mediaType: 'application/pdf' } },
  {
    what: 'a text',
    content: resource(base64(new TextEncoder().encode('Buy milk.'))),
    is: { type: 'file', mediaType: 'text/plain' },
  },
  {
    what: 'an image of no stated type',
    content: image(base64(picture), ''),
    is: { type: 'image', mediaType: 'image/png' },
  },
])('the bytes of a resource tell that it is $what, where the server does not', async ({ content, is }) => {
  const result = await seer(camera(content).options, eye().model).run('Look.');
  expect(firstOf(result)?.parts?.at(-1)).toMatchObject(is);
});

test('a model that does not take what a server shows refuses it by name; a converter puts a text in its place', async () => {
  const { options } = camera(image(base64(picture)));
  const blind = eye({ media: ['application/pdf'] });
  await expect(seer(options, blind.model).run('Look.')).rejects.toMatchObject({
    code: 'model.content-refused',
    message: expect.stringMatching(
      /does not take image\/png, found in the result of 'srv\.look'.*content\.convert/,
    ),
  });
  const convert = { 'image/*': ({ width }: MediaPart) => `A picture, ${width} pixels wide.` };
  const { output } = await seer(options, blind.model).run('Look.', { content: { convert } });
  expect(output).toBe('A picture, 8 pixels wide.');
});
