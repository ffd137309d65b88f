import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/json/json.ts';
import type { Tool } from '../../../src/contracts/tools/tool.ts';
import { agent } from '../../../src/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { publicHttp } from '../../../src/tools/index.ts';
import type { OpenApiToolsOptions } from '../../../src/tools/built-in/open-api/open-api-tools.ts';
import { openApiTools } from '../../../src/tools/built-in/open-api/open-api-tools.ts';
import type { Parameter } from '../../../src/tools/built-in/open-api/parameters.ts';
import { fillPath, writeQuery } from '../../../src/tools/built-in/open-api/parameters.ts';
import { perform } from '../tool-context.ts';
import { petstore30, petstore31 } from './petstore.ts';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let server: Server;
let origin: string;
const seen: Seen[] = [];

/** What the API answers next: the last answer stays. */
let answer: { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  seen.length = 0;
  answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":7}' };
});

const ops = () => publicHttp({ trusted: [new URL(origin).host], methods: ['GET', 'POST', 'PUT', 'DELETE'] });
const make = (document: object, options: OpenApiToolsOptions = {}) =>
  openApiTools(document, { ops: ops(), ...options });
const named = (tools: readonly Tool[], name: string): Tool => {
  const found = tools.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
};

describe.each([
  ['3.0', petstore30],
  ['3.1', petstore31],
])('the pet store of OpenAPI %s', (_, petstore) => {
  test('has a tool for each operation, by its id or its method and path, with what its method means', () => {
    const tools = make(petstore(origin));
    expect(
      tools.map(({ name, safety, idempotent, deprecated }) => [
        name,
        safety,
        idempotent,
        deprecated !== undefined,
      ]),
    ).toEqual([
      ['listPets', 'read', true, false],
      ['create_pet_', 'write', false, false],
      ['getPet', 'read', true, false],
      ['replacePet', 'write', true, false],
      ['delete_pets_petId', 'danger', true, true],
    ]);
    expect(tools.map(({ description }) => description).slice(0, 3)).toEqual([
      'List all pets.\n\nThe youngest first.',
      'POST /pets',
      'GET /pets/{petId}',
    ]);
    expect(tools.at(-1)?.needsApproval({ petId: '1' })).toBe(true);
  });

  test('takes parameters and body as one input, without what only a response has; schemas in themselves end', () => {
    const tools = make(petstore(origin));
    expect(named(tools, 'listPets').parameters).toEqual({
      type: 'object',
      properties: {
        'X-Trace': { type: 'string' },
        limit: { type: 'integer', maximum: 100, description: 'The most.' },
        tags: { type: 'array', items: { type: 'string' } },
        filter: { type: 'object' },
        where: { type: 'object' },
      },
      required: [],
      additionalProperties: false,
    });
    expect(named(tools, 'create_pet_').parameters).toMatchObject({
      properties: { body: { $ref: '#/$defs/Pet' } },
      required: ['body'],
      $defs: {
        Pet: {
          required: ['name'],
          properties: { name: { type: 'string' }, parents: { items: { $ref: '#/$defs/Pet' } } },
        },
        Owner: { properties: { pets: { items: { $ref: '#/$defs/Pet' } } } },
      },
    });
    expect(JSON.stringify(named(tools, 'create_pet_').parameters)).not.toContain('readOnly');
    expect(named(tools, 'replacePet').parameters).toMatchObject({
      properties: { body: { properties: { nick: { type: ['string', 'null'] } } } },
    });
  });

  test('is called over HTTP: path, query, headers and body as the specification writes them', async () => {
    const tools = make(petstore(origin), { headers: { 'User-Agent': 'keeper' } });
    const list = named(tools, 'listPets');
    const input = {
      limit: 2,
      tags: ['a,b', 'c d'],
      filter: { age: { min: 3 }, of: ['x', 'y'] },
      where: { name: 'Tom & Jerry' },
      'X-Trace': 't1',
    };
    expect(await perform(list, input)).toMatchObject({ ok: true, value: { id: 7 }, text: '{"id":7}' });
    const [{ method, url = '', headers } = { method: '', headers: {} as IncomingHttpHeaders }] = seen;
    expect([method, url]).toEqual([
      'GET',
      '/v1/pets?limit=2&tags=a%2Cb,c%20d&filter%5Bage%5D%5Bmin%5D=3&filter%5Bof%5D=x&filter%5Bof%5D=y&where=%7B%22name%22%3A%22Tom%20%26%20Jerry%22%7D',
    ]);
    expect(headers).toMatchObject({ 'x-trace': 't1', 'user-agent': 'keeper' });
    await perform(named(tools, 'replacePet'), { petId: 'a/b?c', body: { nick: null } });
    expect(seen.at(-1)).toMatchObject({ method: 'PUT', url: '/v1/pets/a%2Fb%3Fc', body: '{"nick":null}' });
    expect(seen.at(-1)?.headers['content-type']).toBe('application/vnd.pets+json');
  });
});

describe('an API', () => {
  test('is authenticated before each request; neither log nor journal nor an echo has the secret', async () => {
    const secret = 'tok-0123456789';
    answer = { ...answer, body: JSON.stringify({ you: `Bearer ${secret}` }) };
    const asked: string[] = [];
    const tools = make(petstore31(origin), {
      only: ['getPet'],
      auth: async ({ id, method, path, tags }) => {
        asked.push(`${id} ${method} ${path} ${tags.length}`);
        return { Authorization: await Promise.resolve(`Bearer ${secret}`) };
      },
    });
    const model = scriptedModel([calls({ name: 'getPet', input: { petId: '7' } }), 'Tom.']);
    const { events, transcript, records } = await agent({ name: 'keeper', tools, model }).run('Who is 7?');
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${secret}`]);
    expect(asked).toEqual(['getPet GET /pets/{petId} 0']);
    expect(JSON.stringify([events, transcript, records, model.requests])).not.toContain(secret);
    expect(records[0]?.results[0]?.text).toContain('[redacted authorization]');
    const odd = make(petstore31(origin), { auth: () => 'Bearer x' as unknown as Record<string, string> });
    expect(await perform(named(odd, 'getPet'), { petId: '7' })).toMatchObject({ ok: false });
  });

  test.each<[number, string | undefined, object]>([
    [
      404,
      '{"message":"gone"}',
      { retryable: 'no', message: `Cannot finish 'getPet' as the server answered 404: {"message":"gone"}` },
    ],
    [
      503,
      undefined,
      { retryable: 'yes', retryAfterMs: 2_000, message: `Cannot finish 'getPet' as the server answered 503` },
    ],
    [500, 'x'.repeat(100_000), { details: { status: 500, body: `${'x'.repeat(2_000)}…` } }],
    [302, undefined, { retryable: 'no' }],
  ])('that answers %i fails the call with that status and a bounded body', async (status, body, error) => {
    answer = { status, headers: { 'retry-after': '2' }, ...(body === undefined ? {} : { body }) };
    const result = await perform(named(make(petstore31(origin)), 'getPet'), { petId: '7' });
    expect(result).toMatchObject({ ok: false, error: { code: 'tool.failed', status, ...error } });
  });

  test('may answer with a text, with nothing, or with JSON that is none', async () => {
    const get = named(make(petstore31(origin)), 'getPet');
    answer = { status: 200, headers: { 'content-type': 'text/plain' }, body: '{"a":1}' };
    expect(await perform(get, { petId: '7' })).toMatchObject({ value: '{"a":1}' });
    answer = { status: 204 };
    expect(await perform(get, { petId: '7' })).toMatchObject({ text: 'Done: status 204.', value: null });
    answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '<html>' };
    expect(await perform(get, { petId: '7' })).toMatchObject({ value: '<html>' });
  });

  test('on this machine is out of reach by default, and no input leads to another path or splits a header', async () => {
    const [guarded] = openApiTools(petstore31('http://127.0.0.1'), { only: ['getPet'] });
    expect(await perform(guarded!, { petId: '7' })).toMatchObject({
      ok: false,
      error: { code: 'tool.denied' },
    });
    const tools = make(petstore31(origin));
    for (const petId of ['..', '.', ''])
      expect(await perform(named(tools, 'getPet'), { petId })).toMatchObject({ ok: false });
    expect(await perform(named(tools, 'listPets'), { 'X-Trace': 'a\r\nX-Admin: 1' })).toMatchObject({
      ok: false,
    });
    expect(await perform(named(tools, 'getPet'), { petId: 7 })).toMatchObject({
      ok: false,
      kind: 'validation',
    });
    expect(seen).toEqual([]);
  });
});

describe('a document that cannot be used is refused, with what to do', () => {
  const with1 = (operation: JsonObject, more: JsonObject = {}): JsonObject => ({
    openapi: '3.1.0',
    servers: [{ url: 'https://example.com' }],
    paths: { '/a': { get: { operationId: 'one', ...operation } } },
    ...more,
  });
  const parameter = (given: JsonObject): JsonObject => ({
    parameters: [{ name: 'p', in: 'query', ...given }],
  });
  const form = (given: JsonObject): JsonObject => ({
    requestBody: { content: { 'application/x-www-form-urlencoded': given } },
  });
  const circular: Record<string, unknown> = { openapi: '3.1.0', paths: {} };
  circular['self'] = circular;

  test.each<[string, unknown, RegExp, OpenApiToolsOptions?]>([
    ['a text', 'openapi: 3.1.0', /it is not an object.*Parse its JSON or YAML first/],
    [
      'an old version',
      { swagger: '2.0', paths: {} },
      /Swagger '2.0', which a converter turns into OpenAPI 3/,
    ],
    ['no paths', { openapi: '3.0.0' }, /its `paths` are not an object/],
    ['one that was put together', circular, /it is not plain JSON: .* Give it with its references/],
    [
      'a reference out of it',
      with1(parameter({ schema: { $ref: 'other.json#/a' } })),
      /bundle them into one/,
    ],
    [
      'a broken reference',
      with1({ requestBody: { $ref: '#/components/x' } }),
      /'one' \(GET \/a\) cannot be used as the reference '#\/components\/x' leads nowhere/,
    ],
    [
      'a reference to itself',
      with1({ requestBody: { $ref: '#/a' } }, { a: { $ref: '#/a' } }),
      /leads back to itself/,
    ],
    [
      'a cookie that is required',
      with1(parameter({ in: 'cookie', required: true })),
      /its parameter 'p' is in 'cookie'/,
    ],
    [
      'another style',
      with1(parameter({ in: 'header', style: 'matrix' })),
      /has the style 'matrix', which is not supported/,
    ],
    ['no type of its body', with1({ requestBody: { content: {} } }), /its body is of no type/],
    [
      'a form of parts that is no object',
      with1({ requestBody: { content: { 'multipart/form-data': { schema: { type: 'array' } } } } }),
      /its form is not an object with fields: found 'array'/,
    ],
    [
      'a header of a part without a value',
      with1({
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { type: 'object', properties: { a: {} } },
              encoding: { a: { headers: { 'X-Own': { required: true, schema: { type: 'string' } } } } },
            },
          },
        },
      }),
      /needs the header 'X-Own', for which the document has no value/,
    ],
    [
      'a field of a form that is an image',
      with1(form({ encoding: { face: { contentType: 'image/png' } } })),
      /the field 'face' of its form is 'image\/png', and only JSON and texts are supported/,
    ],
    [
      'a field of a form in another style',
      with1(form({ encoding: { a: { style: 'matrix' } } })),
      /the field 'a' of its form has the style 'matrix', which is not supported/,
    ],
    [
      'no server',
      with1({}, { servers: [{ url: '/v1' }] }),
      /not a whole address: found '\/v1'. Give the option `baseURL`/,
    ],
    [
      'a path without its parameter',
      { ...with1({}), paths: { '/a/{b}': { get: {} } } },
      /has '\{b\}', and it has no such parameter/,
    ],
    [
      'two of one name',
      { ...with1({}), paths: { '/a': { get: { operationId: 'a b' }, put: { operationId: 'a_b' } } } },
      /its name 'a_b' is also that of the operation 'a b' \(GET \/a\)/,
    ],
    [
      'an unknown id',
      with1({}),
      /names the operation 'onne', which it does not have: did you mean 'one'\?/,
      { only: ['onne'] },
    ],
    [
      'an unknown option',
      with1({}),
      /`baseUrl` is unknown: did you mean `baseURL`\?/,
      { baseUrl: 'x' } as OpenApiToolsOptions,
    ],
  ])('%s', (_, document, message, options) => {
    const made = () => openApiTools(document as object, options);
    expect(made).toThrow(message);
    expect(made).toThrow(expect.objectContaining({ code: 'tool.invalid' }) as Error);
  });

  test('what cannot be used may be left out, and a base URL stands for the servers', () => {
    const document = {
      ...with1({}),
      servers: [],
      paths: {
        '/a': { get: { operationId: 'one' } },
        '/b': { post: { requestBody: { content: { 'text/csv': {} } } } },
      },
    };
    const tools = openApiTools(document, {
      only: ({ method }) => method === 'GET',
      baseURL: 'https://example.com/',
    });
    expect(tools.map(({ name }) => name)).toEqual(['one']);
  });
});

describe('a body that is not JSON', () => {
  const document = (content: JsonObject): JsonObject => ({
    openapi: '3.1.0',
    servers: [{ url: origin }],
    paths: { '/a': { post: { operationId: 'send', requestBody: { content } } } },
  });
  const sent = async (content: JsonObject, body: Json) => {
    const called = await perform(named(make(document(content)), 'send'), { body });
    const { body: text, headers } = seen.at(-1) ?? { body: '', headers: {} };
    return { called, text, type: headers['content-type'] };
  };

  test('is a form, whose fields are written as their encodings say', async () => {
    const { text, type } = await sent(
      {
        'multipart/form-data': {},
        'application/x-www-form-urlencoded': {
          schema: { type: 'object', properties: { amount: { type: 'integer' } } },
          encoding: {
            meta: { style: 'deepObject', explode: true },
            ids: { explode: false },
            json: { contentType: 'application/json' },
          },
        },
      },
      {
        amount: 5,
        note: 'a & b=c+d',
        tags: ['x', 'y z'],
        card: { cvc: '1' },
        meta: { in: { shop: 7 } },
        ids: [1, 2],
        json: [1],
        none: null,
      },
    );
    expect(type).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(text)]).toEqual([
      ['amount', '5'],
      ['note', 'a & b=c+d'],
      ['tags', 'x'],
      ['tags', 'y z'],
      ['card', '{"cvc":"1"}'],
      ['meta[in][shop]', '7'],
      ['ids', '1,2'],
      ['json', '[1]'],
    ]);
  });

  test('is a text, byte for byte; where JSON will do, it is JSON', async () => {
    const text = 'Grüße\n{"a": 1}';
    expect(await sent({ 'text/markdown': {} }, text)).toMatchObject({
      text,
      type: 'text/markdown; charset=utf-8',
    });
    expect(await sent({ 'text/*': {} }, text)).toMatchObject({ type: 'text/plain; charset=utf-8' });
    const both = { 'text/plain': {}, 'application/json': { schema: { type: 'string' } } };
    expect(await sent(both, text)).toMatchObject({ text: JSON.stringify(text), type: 'application/json' });
  });

  test('is refused before a request where it has no fields, or is no text', async () => {
    const anything = { schema: {} };
    const asForm = await sent({ 'application/x-www-form-urlencoded': anything }, [1]);
    expect(asForm.called).toMatchObject({
      ok: false,
      text: expect.stringContaining('it is not an object with the fields of a form: found [1]') as string,
    });
    const asText = await sent({ 'text/plain': anything }, { a: 1 });
    expect(asText.called).toMatchObject({
      ok: false,
      text: expect.stringContaining('it is not a text: found {"a":1}') as string,
    });
    expect(await sent({ 'text/plain': {} }, 5)).toMatchObject({ called: { ok: false } });
    expect(seen).toEqual([]);
  });

  test('is read back as it was given, whatever is in its fields', async () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(texts, texts, { maxKeys: 4 }), async (fields) => {
        fc.pre(!['__proto__', 'constructor', 'prototype'].some((name) => Object.hasOwn(fields, name)));
        const { text } = await sent({ 'application/x-www-form-urlencoded': {} }, fields);
        expect(Object.fromEntries(new URLSearchParams(text))).toEqual(fields);
      }),
      { numRuns: 30 },
    );
  });
});

describe('parameters are read back as they were given', () => {
  const base: Parameter = {
    name: 'p',
    property: 'p',
    in: 'query',
    style: 'form',
    explode: true,
    isReserved: false,
    isJson: false,
    isRequired: false,
  };
  const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
  const query = (value: Json, parameter: Partial<Parameter>): URLSearchParams =>
    new URL(`http://a/${writeQuery([{ ...base, ...parameter }], { p: value })}`).searchParams;
  const raw = (value: Json, parameter: Partial<Parameter>): string =>
    writeQuery([{ ...base, ...parameter }], { p: value }).slice('?p='.length);

  test('of each style, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), (list) => {
        expect(query(list, {}).getAll('p')).toEqual(list);
        expect(query(list, { isReserved: true }).getAll('p')).toEqual(list);
        for (const [style, separator] of [
          ['form', ','],
          ['spaceDelimited', '%20'],
          ['pipeDelimited', '%7C'],
        ] as const) {
          fc.pre(style === 'form' || !list.some((each) => /[ |]/.test(each)));
          expect(raw(list, { style, explode: false }).split(separator).map(decodeURIComponent)).toEqual(list);
        }
        const path = fillPath('/a/{p}/b', [{ ...base, in: 'path', style: 'simple' }], { p: ['x', ...list] });
        expect(new URL(path, 'http://a').pathname).toBe(path);
        expect(path.slice('/a/'.length, -'/b'.length).split(',').map(decodeURIComponent)).toEqual([
          'x',
          ...list,
        ]);
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(texts, texts, { minKeys: 1, maxKeys: 4 }), (fields) => {
        fc.pre(!Object.hasOwn(fields, '__proto__'));
        expect(Object.fromEntries(query(fields, {}))).toEqual(fields);
        const deep = query({ in: fields }, { style: 'deepObject' });
        expect([...deep]).toEqual(Object.entries(fields).map(([key, value]) => [`p[in][${key}]`, value]));
        const flat = raw(fields, { explode: false }).split(',').map(decodeURIComponent);
        expect(flat).toEqual(Object.entries(fields).flat());
      }),
    );
  });
});
