import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard, ListTasksResponse, SendMessageResponse, StreamResponse, Task } from '@a2a-js/sdk';
import type { Message, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import type { AgentExecutor, RequestContext } from '@a2a-js/sdk/server';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { a2aAgent, serveA2a } from '../../../src/a2a/index.ts';
import { act, agent, answer, askPerson, createGlobalEngine } from '../../../src/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { serve } from '../../../src/runtime/serve/index.ts';

/** What each method of JSON-RPC gives, by the package's own codecs. */
const CODECS: Readonly<Record<string, { fromJSON(json: unknown): unknown; toJSON(value: never): unknown }>> =
  {
    SendMessage: SendMessageResponse,
    SendStreamingMessage: StreamResponse,
    SubscribeToTask: StreamResponse,
    GetTask: Task,
    CancelTask: Task,
    ListTasks: ListTasksResponse,
  };

/** Values that a codec leaves out as they are its defaults. */
const withoutDefaults = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== '' && field !== false && !(Array.isArray(field) && field.length === 0))
      .map(([name, field]) => [name, withoutDefaults(field)]),
  );
};

/** Checks that a response is exactly what the protocol's own types hold: read and written again, nothing is lost. */
const assertFits = (method: string, result: unknown): void => {
  const codec = CODECS[method];
  if (codec === undefined) throw new Error(`no codec for ${method}`);
  const again = codec.toJSON(codec.fromJSON(result) as never);
  expect(withoutDefaults(again)).toEqual(withoutDefaults(result));
};

/** A client whose responses are each checked; the number of them. */
const strictClient = async (url: string) => {
  let checked = 0;
  const fetchImpl: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { method } = JSON.parse(typeof init?.body === 'string' ? init.body : '') as {
      readonly method: string;
    };
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.includes('event-stream') === true;
    const bodies = isStream
      ? text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
      : [text];
    for (const body of bodies) {
      const { jsonrpc, result, error } = JSON.parse(body) as Record<string, unknown>;
      expect(jsonrpc).toBe('2.0');
      if (error === undefined) assertFits(method, result);
      else expect(error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
      checked += 1;
    }
    return new Response(text, { status: response.status, headers: response.headers });
  };
  const client = await new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
  }).createFromUrl(url);
  return { client, checked: () => checked };
};

const listening = async (handler: Parameters<typeof createServer>[1]): Promise<string> => {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const saying = (text: string, more: Partial<Message> = {}) => ({
  tenant: '',
  configuration: undefined,
  metadata: undefined,
  message: {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId: '',
    role: 1 as const,
    parts: [
      { content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: '' },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
});

const taskIn = async (client: Client, request: ReturnType<typeof saying>): Promise<Task> => {
  const sent = await client.sendMessage(request);
  if ('messageId' in sent) throw new Error('no task');
  return sent;
};

test('the genuine client finds nothing in our responses that its types do not hold, whatever it asks', async () => {
  const asking = agent({
    name: 'asking',
    description: 'Books trains.',
    tools: [askPerson],
    decide: ({ results: [said] }) =>
      said === undefined
        ? act({ name: 'ask_person', input: { question: 'Where to?' } })
        : answer(`To ${said.text}.`),
  });
  const service = serve(createGlobalEngine(), { agents: { asking }, store: memoryStore() });
  const url = await listening(serveA2a(service, { activity: true }).listener);
  const card: unknown = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
  expect(withoutDefaults(AgentCard.toJSON(AgentCard.fromJSON(card)))).toEqual(withoutDefaults(card));
  const { client, checked } = await strictClient(url);
  const asked = await taskIn(client, saying('Book'));
  expect(asked.status?.state).toBe(6);
  const states: (TaskState | undefined)[] = [];
  for await (const { payload } of client.sendMessageStream(saying('Oslo', { taskId: asked.id })))
    if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
  expect(states.at(-1)).toBe(3);
  expect((await client.getTask({ tenant: '', id: asked.id })).status?.state).toBe(3);
  const open = await taskIn(client, saying('Book'));
  expect((await client.cancelTask({ tenant: '', id: open.id, metadata: undefined })).status?.state).toBe(5);
  const list = {
    tenant: '',
    contextId: '',
    status: 0 as const,
    pageToken: '',
    statusTimestampAfter: undefined,
  };
  expect((await client.listTasks({ ...list, includeArtifacts: true })).totalSize).toBe(2);
  await expect(client.getTask({ tenant: '', id: 'nobody' })).rejects.toThrow(/none of that id/);
  await service.drain({ withinMs: 1 });
  expect(checked()).toBeGreaterThan(8);
});

/** An agent of the genuine package behind Express, by one binding or version: what it was told. */
const genuineServer = async (binding: 'JSONRPC' | 'HTTP+JSON', protocolVersion: '1.0' | '0.3') => {
  const told: string[] = [];
  const executor: AgentExecutor = {
    execute: (context: RequestContext, bus) => {
      const { taskId, contextId, userMessage, task } = context;
      const said = userMessage.parts
        .flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []))
        .join();
      told.push(said);
      const part = (value: string) => ({
        content: { $case: 'text' as const, value },
        metadata: undefined,
        filename: '',
        mediaType: 'text/plain',
      });
      const tell = (state: TaskState, words?: string): void => {
        const message: Message | undefined =
          words === undefined
            ? undefined
            : {
                messageId: crypto.randomUUID(),
                taskId,
                contextId,
                role: 2,
                parts: [part(words)],
                metadata: undefined,
                extensions: [],
                referenceTaskIds: [],
              };
        const status = { state, message, timestamp: new Date().toISOString() };
        bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
      };
      bus.publish(
        AgentEvent.task(
          task ?? {
            id: taskId,
            contextId,
            status: { state: 1, message: undefined, timestamp: new Date().toISOString() },
            artifacts: [],
            history: [userMessage],
            metadata: undefined,
          },
        ),
      );
      tell(2, 'Looking');
      if (task === undefined) tell(6, 'Where to?');
      else {
        const artifact = {
          artifactId: 'it',
          name: 'it',
          description: '',
          parts: [part(`To ${said}.`)],
          metadata: undefined,
          extensions: [],
        };
        bus.publish(
          AgentEvent.artifactUpdate({
            taskId,
            contextId,
            artifact,
            append: false,
            lastChunk: true,
            metadata: undefined,
          }),
        );
        tell(3);
      }
      bus.finished();
      return Promise.resolve();
    },
    cancelTask: () => Promise.resolve(),
  };
  const app = express();
  const url = await listening(app);
  const card: AgentCard = {
    name: 'genuine',
    description: 'Books trains.',
    version: '1',
    provider: undefined,
    supportedInterfaces: [
      {
        url: `${url}/${binding === 'JSONRPC' ? 'rpc' : 'rest'}`,
        protocolBinding: binding,
        tenant: '',
        protocolVersion,
      },
    ],
    capabilities: { streaming: true, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const userBuilder = UserBuilder.noAuthentication;
  const legacyCompat = { enabled: true };
  app.use(
    '/.well-known/agent-card.json',
    agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }),
  );
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder, legacyCompat }));
  app.use('/rest', restHandler({ requestHandler, userBuilder, legacyCompat }));
  return { url, told };
};

test.each([
  ['JSONRPC', '1.0'],
  ['HTTP+JSON', '1.0'],
  ['JSONRPC', '0.3'],
] as const)(
  'our client has a task done by a genuine server of %s, version %s, and answers its question',
  async (binding, version) => {
    const { url, told } = await genuineServer(binding, version);
    const asked: string[] = [];
    const { output, events } = await a2aAgent({ name: 'far', url }).run('Book', {
      person: {
        answer: (question) => {
          asked.push(question);
          return 'Oslo';
        },
      },
    });
    expect(output).toBe('To Oslo.');
    expect(told).toEqual(['Book', 'Oslo']);
    expect(asked).toEqual(["'far' asks: Where to?"]);
    expect(events.some((event) => event.type === 'tool.progressed' && event.text === 'Looking')).toBe(true);
  },
);

test('data goes both ways between troupe and a genuine client', async () => {
  const adder = agent({
    name: 'adder',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
    decide: ({ input: { a, b } }) => answer({ sum: a + b }),
  });
  const service = serve(createGlobalEngine(), { agents: { adder } });
  const url = await listening(serveA2a(service).listener);
  const { client } = await strictClient(url);
  const parts = [
    {
      content: { $case: 'data' as const, value: { a: 19, b: 23 } },
      metadata: undefined,
      filename: '',
      mediaType: '',
    },
  ];
  const { artifacts } = await taskIn(client, saying('', { parts }));
  expect(artifacts[0]?.parts[0]?.content).toEqual({ $case: 'data', value: { sum: 42 } });
});
