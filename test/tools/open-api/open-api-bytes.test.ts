import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/json/json.ts';
import type { GivenPart, MediaPart } from '../../../src/contracts/content/part.ts';
import { isMedia } from '../../../src/contracts/content/part.ts';
import type { Turn } from '../../../src/contracts/conversations/transcript.ts';
import { sha256 } from '../../../src/base/sha256.ts';
import { agent, replay } from '../../../src/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { RunContent } from '../../../src/runtime/content/run-content.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { publicHttp } from '../../../src/tools/index.ts';
import type { OpenApiToolsOptions } from '../../../src/tools/built-in/open-api/open-api-tools.ts';
import { openApiTools } from '../../../src/tools/built-in/open-api/open-api-tools.ts';
import { pdf, png, wav } from '../../content/pictures.ts';
import { perform } from '../tool-context.ts';

interface Seen {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer<ArrayBuffer>;
}

let server: Server;
let origin: string;
const seen: Seen[] = [];
let answer: {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: string | Uint8Array;
};

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(answer.status ?? 200, answer.headers);
      response.end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  seen.length = 0;
  answer = { headers: { 'content-type': 'application/json' }, body: '{"id":7}' };
});

const operation = (content: JsonObject, openapi = '3.1.0', more: JsonObject = {}): JsonObject => ({
  openapi,
  servers: [{ url: origin }],
  paths: { '/a': { post: { operationId: 'send', requestBody: { content }, responses: {} } } },
  ...more,
});

const toolOf = (document: JsonObject, options: OpenApiToolsOptions = {}) => {
  const ops = publicHttp({ trusted: [new URL(origin).host], methods: ['GET', 'POST'] });
  const [made] = openApiTools(document, { ops, ...options });
  if (made === undefined) throw new Error('There is none.');
  return made;
};

/** A conversation with media, and the bytes of those. */
const album = (...given: readonly (readonly [GivenPart['type'], Uint8Array, string, string?])[]) => {
  const known = new Map<string, Uint8Array>();
  const parts = given.map(([type, bytes, mediaType, name]): MediaPart => {
    const hash = sha256(bytes);
    known.set(hash, bytes);
    const named = name === undefined ? {} : { name };
    return { type: type as MediaPart['type'], hash, mediaType, size: bytes.byteLength, ...named };
  });
  const conversation: readonly Turn[] = [{ role: 'user', text: 'Look.', parts }];
  const bytesOf = async ({ hash }: MediaPart): Promise<Uint8Array> => known.get(hash) ?? new Uint8Array();
  return { conversation, bytesOf };
};

const cat = png(4, 4, 1);
const dog = png(4, 4, 2);
const pictures = () =>
  album(['image', cat, 'image/png', 'cat.png'], ['file', pdf(), 'application/pdf', 'a.pdf']);

/** The fields that another implementation finds in a form. */
const fieldsOf = async ({ headers, body }: Seen) => {
  const form = await new Response(body, {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData();
  return Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === 'string'
        ? { name, text: value }
        : {
            name,
            file: value.name,
            type: value.type,
            bytes: new Uint8Array(await value.arrayBuffer()),
          },
    ),
  );
};

const last = (): Seen => {
  const found = seen.at(-1);
  if (found === undefined) throw new Error('Nothing was sent.');
  return found;
};

describe('a form of parts', () => {
  const schema: JsonObject = {
    type: 'object',
    required: ['photo', 'title'],
    properties: {
      photo: { type: 'string', format: 'binary', description: 'The photo.' },
      title: { type: 'string' },
      pages: { type: 'array', items: { type: 'string', format: 'binary' } },
      tags: { type: 'array', items: { type: 'string' } },
      meta: { type: 'object' },
      note: {},
      filter: { type: 'object' },
      id: { type: 'integer', readOnly: true },
    },
  };
  const encoding: JsonObject = {
    photo: {
      contentType: 'image/png, image/jpeg',
      headers: { 'X-Kind': { schema: { type: 'string', const: 'photo' } }, 'Content-Type': {} },
    },
    note: { contentType: 'text/markdown' },
    filter: { style: 'deepObject', explode: true },
  };
  const content: JsonObject = { 'multipart/form-data': { schema, encoding } };

  test('asks for media by name or for texts, and for nothing that only a response has', () => {
    const { body } = toolOf(operation(content)).parameters['properties'] as { readonly body: JsonObject };
    expect(body).toMatchObject({
      required: ['photo', 'title'],
      properties: {
        photo: {
          type: 'object',
          description: expect.stringContaining('The photo.') as string,
          properties: { media: { type: 'string' }, text: { type: 'string' } },
        },
        pages: { type: 'array', items: { properties: { media: {} } } },
        title: { type: 'string' },
      },
    });
    expect(Object.keys(body['properties'] as JsonObject)).not.toContain('id');
  });

  test('is sent as another implementation reads it: bytes, lists, JSON, types and headers as the document says', async () => {
    const body = {
      photo: { media: 'cat.png' },
      title: 'Grüße "an"\r\nalle',
      pages: [
        { media: 'a.pdf', name: 'x".pdf' },
        { text: 'Seite 2', name: 'two.txt' },
      ],
      tags: ['x', 'y'],
      meta: { a: 1 },
      note: '# Note',
      filter: { in: { shop: 7 } },
    };
    const called = await perform(toolOf(operation(content)), { body }, pictures());
    expect(called).toMatchObject({ ok: true, value: { id: 7 } });
    expect(await fieldsOf(last())).toEqual([
      { name: 'photo', file: 'cat.png', type: 'image/png', bytes: cat },
      { name: 'title', text: 'Grüße "an"\r\nalle' },
      { name: 'pages', file: 'x".pdf', type: 'application/pdf', bytes: new Uint8Array(pdf()) },
      { name: 'pages', file: 'two.txt', type: 'text/plain', bytes: new TextEncoder().encode('Seite 2') },
      { name: 'tags', text: 'x' },
      { name: 'tags', text: 'y' },
      { name: 'meta', text: '{"a":1}' },
      { name: 'note', text: '# Note' },
      { name: 'filter[in][shop]', text: '7' },
    ]);
    const text = last().body.toString('latin1');
    expect(text).toContain('X-Kind: photo\r\n');
    expect(text).toMatch(/name="note"\r\nContent-Type: text\/markdown\r\n/);
    expect(text).toMatch(/name="meta"\r\nContent-Type: application\/json\r\n/);
  });

  test('is found through references and what it is made of, in both versions, and goes before a form of texts', async () => {
    const components = {
      schemas: {
        Titled: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
        File: { type: 'string', format: 'binary' },
        Upload: {
          allOf: [
            { $ref: '#/components/schemas/Titled' },
            { type: 'object', properties: { file: { $ref: '#/components/schemas/File' } } },
          ],
        },
      },
    };
    const upload = { schema: { $ref: '#/components/schemas/Upload' } };
    const document = operation(
      { 'application/x-www-form-urlencoded': upload, 'multipart/form-data': upload },
      '3.0.3',
      { components },
    );
    const given = { body: { title: 'T', file: { media: sha256(cat).slice(0, 10) } } };
    expect(await perform(toolOf(document), given, pictures())).toMatchObject({ ok: true });
    expect(await fieldsOf(last())).toEqual([
      { name: 'title', text: 'T' },
      { name: 'file', file: 'cat.png', type: 'image/png', bytes: cat },
    ]);
    expect(
      await perform(toolOf(document), { body: { file: { media: 'cat.png' } } }, pictures()),
    ).toMatchObject({
      ok: false,
      kind: 'validation',
    });
    const later = { type: 'object', properties: { file: { contentMediaType: 'image/png' }, logo: {} } };
    const modern = operation({
      'multipart/form-data': { schema: later, encoding: { logo: { contentType: 'image/*' } } },
    });
    const both = { file: { media: 'cat.png' }, logo: { media: 'cat.png' } };
    await perform(toolOf(modern), { body: both }, pictures());
    expect((await fieldsOf(last())).map(({ name, type }) => [name, type])).toEqual([
      ['file', 'image/png'],
      ['logo', 'image/png'],
    ]);
  });

  test('has the names and texts of any form as they were given', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const law = fc.asyncProperty(
      fc.dictionary(
        text.filter((each) => !/[\r\n"]/.test(each) && each !== '__proto__'),
        text,
        { maxKeys: 4 },
      ),
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
      async (fields, bytes) => {
        const open = {
          'multipart/form-data': { schema: { type: 'object', properties: { f: schemaOfFile } } },
        };
        const all = { ...fields, f: { media: 'f.bin' } };
        const place = album(['file', bytes, 'application/octet-stream', 'f.bin']);
        expect(await perform(toolOf(operation(open)), { body: all }, place)).toMatchObject({ ok: true });
        const found = await fieldsOf(last());
        expect(found.find(({ name }) => name === 'f')).toMatchObject({ bytes });
        expect(new Map(found.map((each) => [each.name, each.text]))).toEqual(
          new Map(
            Object.entries(all).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
          ),
        );
      },
    );
    await fc.assert(law, { numRuns: 25 });
  });
});

const schemaOfFile = { type: 'string', format: 'binary' };

describe('a body of bytes', () => {
  const sent = async (type: string, body: Json, options: OpenApiToolsOptions = {}, place = pictures()) => {
    const called = await perform(
      toolOf(operation({ [type]: { schema: schemaOfFile } }), options),
      { body },
      place,
    );
    const [found] = seen.slice(-1);
    return { called, bytes: found && new Uint8Array(found.body), type: found?.headers['content-type'] };
  };

  test.each([
    ['application/octet-stream', { media: 'cat.png' }, cat, 'application/octet-stream'],
    ['image/*', { media: 'cat.png' }, cat, 'image/png'],
    ['*/*', { media: 'a.pdf' }, new Uint8Array(pdf()), 'application/pdf'],
    ['application/pdf', { media: 'a.pdf' }, new Uint8Array(pdf()), 'application/pdf'],
    ['application/xml', { text: '<a/>' }, new TextEncoder().encode('<a/>'), 'application/xml'],
    ['application/octet-stream', { text: 'ü' }, new TextEncoder().encode('ü'), 'application/octet-stream'],
  ])('of the type %s is sent as it is', async (type, body, bytes, sentType) => {
    expect(await sent(type, body)).toMatchObject({ called: { ok: true }, bytes, type: sentType });
  });

  test.each<[string, string, Json, string, RegExp, OpenApiToolsOptions?]>([
    [
      'media that are not there',
      'image/*',
      { media: 'cow.png' },
      'tool.input-invalid',
      /no media 'cow\.png' in the conversation: there are 'cat\.png' \(image\/png, \d+ bytes, [0-9a-f]{12}\), 'a\.pdf'/,
    ],
    [
      'media of another type',
      'image/*',
      { media: 'a.pdf' },
      'tool.input-invalid',
      /takes image\/\*: found application\/pdf/,
    ],
    [
      'a text for an image',
      'image/png',
      { text: 'x' },
      'tool.input-invalid',
      /which no text is: name `media`/,
    ],
    [
      'neither',
      'image/png',
      { name: 'x' },
      'tool.input-invalid',
      /needs either `media`.* or `text`: found {"name":"x"}/,
    ],
    ['both', 'text/csv+bin', { media: 'a.pdf', text: 'x' }, 'tool.input-invalid', /needs either/],
    [
      'too many bytes',
      'image/png',
      { media: 'cat.png' },
      'content.too-large',
      /at most 10/,
      { content: { maxBytes: 10 } },
    ],
    [
      'a type that is not allowed',
      'application/octet-stream',
      { media: 'a.pdf' },
      'content.refused',
      /application\/pdf is not among its media types: image\/\*/,
      { content: { mediaTypes: ['image/*'] } },
    ],
  ])('is refused before a request for %s', async (_, type, body, code, message, options) => {
    const wanted = type === 'text/csv+bin' ? 'application/octet-stream' : type;
    const { called } = await sent(wanted, body, options);
    expect(called).toMatchObject({
      ok: false,
      error: { code },
      text: expect.stringMatching(message) as string,
    });
    expect(seen).toEqual([]);
  });

  test('is named by the beginning of its hash where names are not enough', async () => {
    const place = album(
      ['image', cat, 'image/png', 'a.png'],
      ['image', dog, 'image/png', 'a.png'],
      ['image', png(2, 2, 3), 'image/png'],
    );
    const { called } = await sent('image/png', { media: 'a.png' }, {}, place);
    expect(called).toMatchObject({ ok: false, text: expect.stringContaining('several media') as string });
    expect(called.text).toContain(sha256(dog).slice(0, 12));
    expect(await sent('image/png', { media: sha256(dog).slice(0, 12) }, {}, place)).toMatchObject({
      bytes: dog,
    });
  });
});

describe('an answer of bytes', () => {
  const get = (): JsonObject => ({
    openapi: '3.1.0',
    servers: [{ url: origin }],
    paths: { '/a': { get: { operationId: 'send', responses: {} } } },
  });

  test.each([
    ['image/png', cat, 'image', ''],
    ['audio/wav', new Uint8Array(wav()), 'audio', `attachment; filename="../../so\u0000und.wav"`],
    [
      'application/pdf; charset=binary',
      new Uint8Array(pdf()),
      'file',
      "attachment; filename*=UTF-8''b%C3%BCch.pdf",
    ],
  ])('of the type %s is media', async (type, body, kind, disposition) => {
    answer = {
      headers: {
        'content-type': type,
        ...(disposition === '' ? {} : { 'content-disposition': disposition.replace('\u0000', '') }),
      },
      body,
    };
    const [mediaType] = type.split(';');
    const name = { image: undefined, audio: 'sound.wav', file: 'büch.pdf' }[kind];
    const called = await perform(toolOf(get()), {});
    expect(called).toMatchObject({
      ok: true,
      parts: [{ type: kind, hash: sha256(body), mediaType, size: body.byteLength }],
      value: { mediaType, size: body.byteLength, ...(name === undefined ? {} : { name }) },
    });
  });

  test.each<[string, string, string | Uint8Array, OpenApiToolsOptions, string, RegExp]>([
    [
      'longer than its limit',
      'image/png',
      new Uint8Array(png(40, 40)),
      { content: { maxBytes: 20 } },
      'content.too-large',
      /at most 20/,
    ],
    [
      'of a type that is not allowed',
      'application/zip',
      'PK',
      { content: { mediaTypes: ['image/*'] } },
      'content.refused',
      /application\/zip/,
    ],
    [
      'of other bytes than it says',
      'image/png',
      'no picture',
      {},
      'content.invalid',
      /not those of image\/png/,
    ],
    [
      'with the secret in it',
      'application/octet-stream',
      'x kept-secret y',
      { auth: () => ({ 'x-key': 'kept-secret' }) },
      'tool.failed',
      /repeats a header/,
    ],
  ])('%s fails the call', async (_, type, body, options, code, message) => {
    answer = { headers: { 'content-type': type }, body };
    const called = await perform(toolOf(get(), options), {});
    expect(called).toMatchObject({
      ok: false,
      error: { code },
      text: expect.stringMatching(message) as string,
    });
    expect(JSON.stringify(called)).not.toContain('kept-secret');
  });

  test('that was cut is not taken for whole, and one of a way to make requests that reads texts is refused', async () => {
    answer = { headers: { 'content-type': 'image/png' }, body: png(40, 40) };
    const ops = publicHttp({ trusted: [new URL(origin).host], maxBytes: 10 });
    expect(await perform(toolOf(get(), { ops }), {})).toMatchObject({
      ok: false,
      error: { code: 'content.too-large' },
    });
    const texts = {
      request: async () => ({
        url: origin,
        status: 200,
        headers: { 'content-type': 'image/png' },
        text: '?',
        isCut: false,
      }),
    };
    expect(await perform(toolOf(get(), { ops: texts }), {})).toMatchObject({
      ok: false,
      text: expect.stringContaining('have `ops.request` return `bytes`') as string,
    });
  });

  test('with a status that is no success is a failed call that quotes none of them', async () => {
    answer = { status: 404, headers: { 'content-type': 'image/png' }, body: cat };
    expect(await perform(toolOf(get()), {})).toMatchObject({
      ok: false,
      error: { status: 404, details: { body: '[image/png]' } },
    });
  });
});

test('a run sends what it was shown and is shown what it gets; its journal has the hashes, and replays without the server', async () => {
  answer = { headers: { 'content-type': 'image/png' }, body: dog };
  const document = operation({
    'multipart/form-data': { schema: { type: 'object', properties: { photo: schemaOfFile } } },
  });
  const model = () =>
    scriptedModel([calls({ name: 'send', input: { body: { photo: { media: 'cat.png' } } } }), 'A dog.']);
  const clerk = () => agent({ name: 'clerk', tools: [toolOf(document)], model: model() });
  const store = memoryStore();
  const { records } = await clerk().run(
    [
      { type: 'text', text: 'Turn it into a dog.' },
      { type: 'image', data: cat, name: 'cat.png' },
    ],
    { store, runId: 'r' },
  );
  expect(await fieldsOf(last())).toMatchObject([{ file: 'cat.png', bytes: cat }]);
  const [part] = records[0]?.results[0]?.parts?.filter(isMedia) ?? [];
  expect(part).toMatchObject({ type: 'image', hash: sha256(dog) });
  const read = part && (await new RunContent({ store }).bytesOf(part));
  expect(new Uint8Array(read ?? [])).toEqual(dog);
  await replay(clerk(), 'r', { store });
  expect(seen).toHaveLength(1);
  const rows = (await store.read('r')).map(({ text }) => text).join('');
  expect(rows).not.toContain(Buffer.from(dog).toString('base64').slice(20, 60));
});
