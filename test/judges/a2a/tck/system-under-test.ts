// The agent that a2aproject/a2a-tck, the protocol's own test kit, judges: README.md says how to run the kit against it.
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { serveA2a } from '../../../../src/a2a/index.ts';
import type { Json, ToolResult } from '../../../../src/index.ts';
import { act, agent, answer, askPerson, createGlobalEngine, dual, tool } from '../../../../src/index.ts';
import { memoryStore } from '../../../../src/persistence/index.ts';
import { policy } from '../../../../src/policy/index.ts';
import { serve } from '../../../../src/runtime/serve/index.ts';

/** Time that `tck-delayed-complete` and a resubscription take, in ms: the kit's "1x streaming timeout". */
const DELAY_MS = 2_000;

const work = tool({
  name: 'work',
  description: 'Works for a while.',
  input: z.object({}),
  idempotent: true,
  execute: () =>
    new Promise<string>((resolve) => {
      setTimeout(resolve, DELAY_MS, 'done');
    }),
});

const write = tool({
  name: 'write',
  description: 'Writes a file.',
  input: z.object({}),
  idempotent: true,
  execute: () =>
    dual({
      text: 'Written.',
      parts: [{ type: 'file', data: 'dGNr', mediaType: 'text/plain', name: 'output.txt' }],
    }),
});

const deploy = tool({
  name: 'deploy',
  description: 'Deploys.',
  safety: 'danger',
  input: z.object({}),
  execute: () => 'deployed',
});

/** A deployment is granted by an operator, which no client of the kit is. */
const safety = policy({
  rules: [
    { name: 'operators', effect: 'ask', tool: 'deploy', by: 'operator' },
    { name: 'rest', effect: 'allow' },
  ],
});

/** The files of a result, as an answer. */
const filesOf = ({ parts = [] }: ToolResult): Json =>
  parts.flatMap((part) =>
    'hash' in part
      ? [
          {
            type: part.type,
            hash: part.hash,
            mediaType: part.mediaType,
            size: part.size,
            name: part.name ?? '',
          },
        ]
      : [],
  );

/** What is done with a message whose id begins so, as the kit's scenarios have it; the first that fits. */
const sut = agent({
  name: 'tck',
  description: 'Does what the scenarios of the test kit say.',
  tools: [askPerson, work, write, deploy],
  decide: ({ input, results: [result] }) => {
    const id = String(input);
    const begins = (...names: readonly string[]): boolean =>
      names.some((name) => id.startsWith(`tck-${name}`));
    if (begins('input-required'))
      return result === undefined
        ? act({ name: 'ask_person', input: { question: 'What else?' } })
        : answer('Hello from TCK');
    if (begins('auth-required'))
      return result === undefined ? act({ name: 'deploy', input: {} }) : answer(result.text);
    if (begins('delayed-complete') || id.startsWith('test-resubscribe-message-id'))
      return result === undefined ? act({ name: 'work', input: {} }) : answer('Done after delay');
    if (begins('artifact-file-url'))
      return answer([
        { type: 'file', url: 'https://example.com/output.txt', mediaType: 'text/plain', name: 'output.txt' },
      ]);
    if (begins('artifact-file', 'stream-artifact-file'))
      return result === undefined ? act({ name: 'write', input: {} }) : answer(filesOf(result));
    if (begins('artifact-data')) return answer({ key: 'value', count: 42 });
    if (begins('artifact-text')) return answer('Generated text content');
    return answer('Hello from TCK');
  },
});

const bodySchema = z.looseObject({
  params: z.looseObject({ message: z.unknown().optional() }).optional(),
  message: z.unknown().optional(),
});
const messageSchema = z.looseObject({
  messageId: z.string(),
  parts: z.array(z.looseObject({ text: z.string().optional() })),
});
let count = 0;

/** A message whose text is its id, by which the kit says what is to be done. It sends the same id for other messages, too, so each gets one of its own. */
const asText = (given: unknown): unknown => {
  const { data: message } = messageSchema.safeParse(given);
  if (message === undefined) return given;
  const { messageId } = message;
  const parts = message.parts.map((part) => (part.text === undefined ? part : { ...part, text: messageId }));
  return { ...message, messageId: `${messageId}:${(count += 1)}`, parts };
};

/** A request whose body was read, as `express.json()` leaves it; one of another type is left as it is. */
const withIdAsText = async (request: IncomingMessage): Promise<IncomingMessage & { body?: unknown }> => {
  if (request.method !== 'POST' || request.headers['content-type']?.includes('json') !== true) return request;
  const given: unknown = await json(request).catch(() => undefined);
  const { data } = bodySchema.safeParse(given);
  const body =
    data?.params === undefined
      ? { ...data, ...(data?.message === undefined ? {} : { message: asText(data.message) }) }
      : { ...data, params: { ...data.params, message: asText(data.params.message) } };
  return Object.assign(request, { body });
};

const port = Number(process.argv[2] ?? '9999');
const service = serve(createGlobalEngine(), {
  agents: { tck: sut },
  store: memoryStore(),
  run: { safety },
  limits: { perMinute: Infinity },
});
const { listener } = serveA2a(service);
createServer((request, response) => {
  void withIdAsText(request).then((read) => {
    listener(read, response);
  });
}).listen(port, '127.0.0.1', () => {
  console.log(`The system under test listens at http://localhost:${port}`);
});
