import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { GivenPart } from '../../src/contracts/content/part.ts';
import type { Json } from '../../src/base/json/json.ts';
import { toJson } from '../../src/base/json/json.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { act, agent, answer, dual, tool } from '../../src/index.ts';
import { mcpServer, serveMcp } from '../../src/mcp/index.ts';
import type { McpService } from '../../src/mcp/serve-mcp.ts';
import { threads } from '../../src/memory/threads/threads.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { base64, pdf, png, wav } from '../content/pictures.ts';

const NOWHERE = 'https://troupe.test/mcp';
const TASKS = 'io.modelcontextprotocol/tasks';

const reaching =
  (service: McpService): typeof globalThis.fetch =>
  (input, init) =>
    service.fetch(new Request(input, init));

/** A client of the official package. */
const connected = async (service: McpService, extensions = {}): Promise<Client> => {
  const client = new Client(
    { name: 'official', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { extensions } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(NOWHERE), { fetch: reaching(service) }));
  return client;
};

const text = (said: string): Uint8Array => new TextEncoder().encode(said);

const everything: readonly GivenPart[] = [
  { type: 'text', text: 'The garden:' },
  { type: 'image', data: png(8, 8), name: 'garden.png' },
  { type: 'audio', data: wav() },
  { type: 'file', data: pdf(), name: 'plan of it.pdf' },
  { type: 'file', data: text('Buy milk.'), name: 'list.txt' },
  { type: 'file', data: new Uint8Array([0xff, 0xc0, 0x80]), mediaType: 'text/csv' },
  { type: 'image', url: 'https://example.com/cat.png', mediaType: 'image/png', name: 'A cat' },
  { type: 'data', data: { trees: 3 } },
];

/** An agent that answers with what its tool showed. */
const shower = (parts = everything) =>
  agent({
    name: 'shower',
    description: 'Shows.',
    tools: [
      tool({
        name: 'look',
        description: 'Looks.',
        input: z.object({}),
        execute: () => dual({ parts, value: 'seen' }),
      }),
    ],
    decide: ({ results }): ReturnType<typeof act> | ReturnType<typeof answer<Json>> => {
      const [shown] = results;
      return shown === undefined ? act({ name: 'look', input: {} }) : answer(toJson(shown.parts));
    },
  });

const file = (rest: object) => ({ type: 'resource', resource: expect.objectContaining(rest) });

test('parts that an agent answers with are content of the right types', async () => {
  const client = await connected(serveMcp([shower()]));
  const { content, structuredContent } = await client.callTool({
    name: 'shower',
    arguments: { input: 'Look.' },
  });
  expect(content).toEqual([
    { type: 'text', text: 'The garden:' },
    { type: 'image', mimeType: 'image/png', data: base64(png(8, 8)) },
    { type: 'audio', mimeType: 'audio/wav', data: base64(wav()) },
    file({
      uri: expect.stringMatching(/^troupe:\/\/content\/[0-9a-f]{64}\/plan%20of%20it\.pdf$/),
      mimeType: 'application/pdf',
      blob: base64(pdf()),
    }),
    file({ mimeType: 'text/plain', text: 'Buy milk.' }),
    file({ mimeType: 'text/csv', blob: base64(new Uint8Array([0xff, 0xc0, 0x80])) }),
    { type: 'resource_link', uri: 'https://example.com/cat.png', mimeType: 'image/png', name: 'A cat' },
    { type: 'text', text: '{"trees":3}' },
  ]);
  expect(structuredContent).toBeUndefined();
  await client.close();
});

/** An agent whose model paints. */
const painter = (words: string) => {
  const model: Model = {
    provider: 'scripted',
    id: 'brush',
    isLanguageModel: false,
    answer: () => modelAnswer({ text: words, media: [{ type: 'image', data: png(4, 4) }] }),
  };
  return agent({ name: 'painter', description: 'Paints.', model });
};

const painted = { type: 'image', mimeType: 'image/png', data: base64(png(4, 4)) };

test.each<{ readonly where: string; readonly run: RunOptions | undefined }>([
  { where: 'in memory', run: undefined },
  { where: 'in the store of its runs', run: { store: memoryStore() } },
  { where: 'beside its threads', run: { threads: threads(memoryStore().files('threads')), thread: 't' } },
])('a picture that the model of an agent makes follows its words, kept $where', async ({ run }) => {
  const client = await connected(serveMcp([painter('A cat.')], { run }));
  const { content } = await client.callTool({ name: 'painter', arguments: { input: 'Paint.' } });
  expect(content).toEqual([{ type: 'text', text: 'A cat.' }, painted]);
  await client.close();
});

test('a task gives its media as its result, also after a restart', async () => {
  const store = memoryStore();
  const anything = z.looseObject({});
  const client = await connected(serveMcp([shower()], { taskAfterMs: 0, run: { store } }), { [TASKS]: {} });
  await client.callTool({ name: 'shower', arguments: { input: 'Look.' } }).catch(() => undefined);
  const [entry] = await store.list();
  const taskId = entry?.runId;
  const poll = (by: Client) => by.request({ method: 'tasks/get', params: { taskId } }, anything);
  const shown = {
    status: 'completed',
    result: { content: expect.arrayContaining([expect.objectContaining({ data: base64(png(8, 8)) })]) },
  };
  await expect.poll(() => poll(client)).toMatchObject(shown);
  const later = await connected(serveMcp([shower()], { run: { store } }), { [TASKS]: {} });
  await expect.poll(() => poll(later)).toMatchObject(shown);
  await Promise.all([client.close(), later.close()]);
});

test('an agent of ours that calls one of ours is shown the same media, under their names', async () => {
  const service = serveMcp([shower(everything.slice(0, 4))]);
  const visitor = agent({
    name: 'visitor',
    tools: [mcpServer({ name: 'desk', url: NOWHERE, fetch: reaching(service) })],
    model: scriptedModel([calls({ name: 'desk.shower', input: { input: 'Look.' } }), 'Done.']),
  });
  const { records } = await visitor.run('go');
  expect(records[0]?.results[0]?.parts).toMatchObject([
    { type: 'text', text: 'The garden:' },
    { type: 'image', mediaType: 'image/png', width: 8 },
    { type: 'audio', mediaType: 'audio/wav' },
    { type: 'text' },
    { type: 'file', mediaType: 'application/pdf', name: 'plan of it.pdf' },
  ]);
});

test('media whose bytes are gone fail the call, and say where they were sought', async () => {
  const blobs = { name: 's3:bucket', put: () => undefined, get: () => undefined };
  const client = await connected(serveMcp([shower()], { run: { content: { blobs } } }));
  const result = await client.callTool({ name: 'shower', arguments: { input: 'Look.' } });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/garden\.png.*not in s3:bucket/) }],
  });
  await client.close();
});
