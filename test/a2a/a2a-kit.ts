import type { AgentCard, Message, Part, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { AgentCard as cardCodec } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { onTestFinished } from 'vitest';
import { act, agent, answer, askPerson } from '../../src/index.ts';
import type { ServeA2aOptions } from '../../src/a2a/server/serve-a2a.ts';
import { serveA2a } from '../../src/a2a/index.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import type { ServedAgents, ServeOptions } from '../../src/runtime/serve/serve-options.ts';
import { serve } from '../../src/runtime/serve/serve.ts';
import { listen } from '../runtime/serve/serve-kit.ts';

/** A request as a server received it. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  /** The method of JSON-RPC, and the id of the message. */
  readonly rpc?: string | undefined;
  readonly messageId?: string | undefined;
}

/** The fields that are noted of a body; none of one that is not JSON. */
const bodyIn = (
  text: string,
): {
  readonly method?: string;
  readonly params?: { readonly message?: { readonly messageId?: string } };
} => {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
};

/** A handler that notes what it is asked. */
export const noting = (handler: (request: Request) => Promise<Response>) => {
  const heard: Heard[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const { method, url, headers } = request;
    const text = method === 'POST' ? await request.clone().text() : '{}';
    const { method: rpc, params } = bodyIn(text);
    heard.push({ method, path: new URL(url).pathname, headers, rpc, messageId: params?.message?.messageId });
    return handler(request);
  };
  return { heard, fetch };
};

/** Agents of troupe over A2A on the loopback. */
export const agentsServed = async (
  options: ServeOptions<ServedAgents>,
  more: ServeA2aOptions = {},
  engine = createGlobalEngine(),
) => {
  const service = serve(engine, options);
  const { heard, fetch } = noting(serveA2a(service, more).fetch);
  const server = await listen(fetch);
  const close = async (): Promise<void> => {
    await service.drain({ withinMs: 1 });
    engine.abort();
    await server[Symbol.asyncDispose]();
  };
  onTestFinished(close);
  return { url: server.url, heard, service, engine, close };
};

/** The genuine client of an agent. */
export const clientOf = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Client> =>
  new ClientFactory({
    transports: [
      new JsonRpcTransportFactory({
        fetchImpl: (input, init) =>
          fetch(input, {
            ...init,
            headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers },
          }),
      }),
    ],
  }).createFromUrl(url, `${url}/.well-known/agent-card.json`);

export const text = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});
export const data = (value: unknown): Part => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

let count = 0;

/** A message of a client. */
export const saying = (
  said: string | readonly Part[],
  more: Partial<Message> = {},
  configuration: Partial<NonNullable<SendMessageRequest['configuration']>> = {},
): SendMessageRequest => ({
  tenant: '',
  metadata: undefined,
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    returnImmediately: false,
    ...configuration,
  },
  message: {
    messageId: `message-${(count += 1)}`,
    contextId: '',
    taskId: '',
    role: 1,
    parts: typeof said === 'string' ? [text(said)] : [...said],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
});

/** Sends a message and waits for the task. */
export const taskOf = async (client: Client, request: SendMessageRequest): Promise<Task> => {
  const result = await client.sendMessage(request);
  if ('messageId' in result) throw new Error('a message, not a task');
  return result;
};

/** All that a stream tells. */
export const collect = async (stream: AsyncIterable<StreamResponse>): Promise<readonly StreamResponse[]> => {
  const all: StreamResponse[] = [];
  for await (const each of stream) all.push(each);
  return all;
};

export const textsIn = (parts: readonly Part[] = []): readonly string[] =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));

export const answersIn = ({ artifacts }: Task): readonly string[] =>
  artifacts.flatMap(({ parts }) => textsIn(parts));

export const listAll = (more: object = {}) => ({
  tenant: '',
  contextId: '',
  status: 0 as const,
  pageToken: '',
  statusTimestampAfter: undefined,
  ...more,
});

/** What an agent of the genuine server does with a message. */
export type Play = (turn: {
  readonly context: RequestContext;
  /** Says where the task is. */
  readonly tell: (state: number, said?: string) => void;
  readonly give: (parts: readonly Part[], append?: boolean) => void;
  readonly bus: ExecutionEventBus;
}) => void | Promise<void>;

/** An agent of the genuine package on the loopback: what it was told, and what was cancelled. */
export const genuineAgent = async (
  play: Play,
  {
    card = {},
    wrap = (handler) => handler,
  }: {
    readonly card?: Partial<AgentCard>;
    readonly wrap?: (
      handler: (request: Request) => Promise<Response>,
    ) => (request: Request) => Promise<Response>;
  } = {},
) => {
  const told: string[] = [];
  const cancelled: string[] = [];
  const messageOf = ({ taskId, contextId }: RequestContext, said: string): Message => ({
    messageId: crypto.randomUUID(),
    taskId,
    contextId,
    role: 2,
    parts: [text(said)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  });
  const contexts = new Map<string, string>();
  const executor: AgentExecutor = {
    execute: async (context, bus) => {
      const { taskId, contextId, userMessage } = context;
      contexts.set(taskId, contextId);
      told.push(textsIn(userMessage.parts).join());
      const tell = (state: number, said?: string): void => {
        const message = said === undefined ? undefined : messageOf(context, said);
        const status = { state, message, timestamp: new Date().toISOString() };
        bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
      };
      const give = (parts: readonly Part[], append = false): void => {
        const artifact = {
          artifactId: 'it',
          name: 'it',
          description: '',
          parts: [...parts],
          metadata: undefined,
          extensions: [],
        };
        bus.publish(
          AgentEvent.artifactUpdate({
            taskId,
            contextId,
            artifact,
            append,
            lastChunk: false,
            metadata: undefined,
          }),
        );
      };
      const begin: Task = context.task ?? {
        id: taskId,
        contextId,
        status: { state: 1, message: undefined, timestamp: new Date().toISOString() },
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      };
      bus.publish(AgentEvent.task(begin));
      await play({ context, tell, give, bus });
      bus.finished();
    },
    cancelTask: (taskId, bus) => {
      cancelled.push(taskId);
      const status = { state: 5, message: undefined, timestamp: new Date().toISOString() };
      const contextId = contexts.get(taskId) ?? '';
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
      bus.finished();
      return Promise.resolve();
    },
  };
  const made: { handler?: JsonRpcTransportHandler; card?: AgentCard } = {};
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('agent-card.json') && made.card !== undefined)
      return Response.json(cardCodec.toJSON(made.card));
    const context = new ServerCallContext({ requestedVersion: '1.0' });
    const response = await made.handler?.handle(await request.text(), context);
    if (response === undefined || !(Symbol.asyncIterator in response)) return Response.json(response);
    const lines = async function* () {
      for await (const each of response) yield new TextEncoder().encode(`data: ${JSON.stringify(each)}\n\n`);
    };
    return new Response(ReadableStream.from(lines()), { headers: { 'content-type': 'text/event-stream' } });
  };
  const { heard, fetch } = noting(answer);
  const server = await listen(wrap(fetch));
  onTestFinished(() => server[Symbol.asyncDispose]());
  made.card = {
    name: 'genuine',
    description: 'An agent of the genuine package.',
    version: '1',
    provider: undefined,
    supportedInterfaces: [
      { url: `${server.url}/rpc`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
    ...card,
  };
  made.handler = new JsonRpcTransportHandler(
    new DefaultRequestHandler(made.card, new InMemoryTaskStore(), executor),
  );
  return { url: server.url, heard, told, cancelled };
};

/** The messages that a server was sent. */
export const messagesIn = (heard: readonly Heard[]): readonly string[] =>
  heard.flatMap(({ messageId }) => (messageId === undefined ? [] : [messageId]));

/** An agent that says what it was given. */
export const echo = agent({ name: 'echo', decide: ({ input }) => answer(`You said: ${String(input)}`) });

/** An agent that asks a person before it answers. */
export const asking = agent({
  name: 'asking',
  tools: [askPerson],
  decide: ({ results: [said] }) =>
    said === undefined
      ? act({ name: 'ask_person', input: { question: 'Which town?' } })
      : answer(`To ${said.text}.`),
});
