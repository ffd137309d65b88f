import { readFileSync } from 'node:fs';
import type { Model } from '../../src/contracts/models/model.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import type { ChatProfileName } from '../../src/models/openai/chat-profiles.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { fixtures } from './fixtures.ts';
import type { Reply } from './mock-provider.ts';

export type WireKind = 'openai-chat' | 'openai-responses' | 'anthropic';

/** The form of a recorded answer: none of our own adapters reads Gemini's, the package of the AI SDK does. */
export type RecordedKind = WireKind | 'google';

/** A recorded answer and what it comes to: by the vendor's own SDK, or as its README says. */
export interface RecordedStream<Kind extends RecordedKind = WireKind> {
  readonly file: string;
  readonly kind: Kind;
  readonly profile?: ChatProfileName;
  /** How many there are. */
  readonly events: number;
  readonly verdict: 'ok' | 'throws';
  readonly stop?: string;
  readonly text?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input?: unknown;
    readonly arguments?: string;
  }[];
  readonly reasoning?: string;
  readonly usage?: {
    readonly in: number;
    readonly out: number;
    readonly cached?: number;
    readonly reasoning?: number;
  };
}

/** A recorded answer in any form. */
export type AnyRecording = RecordedStream<RecordedKind>;

const listOf = (path: string | URL): AnyRecording[] =>
  JSON.parse(readFileSync(path, 'utf8')) as AnyRecording[];

const isOurs = (recorded: AnyRecording): recorded is RecordedStream => recorded.kind !== 'google';

/** The recorded streams of the fixtures. The vendor's accumulator loses calls that come without an index, as Mistral sends them; we do not. */
export const recordedStreams = (): RecordedStream[] =>
  listOf(fixtures('provider-streams/expected.json'))
    .filter(isOurs)
    .map((recorded) =>
      recorded.file === 'mistral/main/mistral-tool-call.chunks.txt'
        ? {
            ...recorded,
            tool_calls: [{ id: 'gSIMJiOkT', name: 'weather', input: { location: 'San Francisco' } }],
          }
        : recorded,
    );

/** The answers of providers that are kept with the tests, in `test/fixtures/recorded`. */
export const allKept = (): AnyRecording[] => listOf(keptFile('recorded/expected.json'));

/** Those of them that our own adapters read. */
export const keptRecordings = (): RecordedStream[] => allKept().filter(isOurs);

const keptFile = (file: string): URL => new URL(`../fixtures/${file}`, import.meta.url);

/** Whether an answer came in one piece: it is no stream of events. */
export const isWhole = ({ file }: Pick<AnyRecording, 'file'>): boolean => file.endsWith('.body');

/** The reply of a provider that sends these pieces of a recorded answer. */
export const recordedReply = (recorded: AnyRecording, pieces: Reply['pieces'] = wireEvents(recorded)) => ({
  pieces,
  headers: { 'content-type': typeOf(recorded) },
});

const typeOf = (recorded: Pick<AnyRecording, 'file'>): string =>
  isWhole(recorded) ? 'application/json' : 'text/event-stream';

/** In characters: where a body in one piece is cut. */
const PIECE = 64;

/** The events of a recorded stream as text on the wire, one string for each; of a body in one piece, pieces of it. */
export const wireEvents = ({ file, kind }: Pick<AnyRecording, 'file' | 'kind'>): string[] => {
  const text = readFileSync(
    file.startsWith('recorded/') ? keptFile(file) : fixtures('provider-streams', file),
    'utf8',
  );
  if (isWhole({ file })) return text.trimEnd().match(new RegExp(`[^]{1,${PIECE}}`, 'g')) ?? [];
  if (!/\.(chunks\.txt|jsonl)$/.test(file))
    return text
      .split(/\n\n+/)
      .filter(Boolean)
      .map((each) => `${each}\n\n`);
  const events = text.split('\n').filter(Boolean);
  const plain = events.map((each) => `data: ${each}\n\n`);
  if (kind === 'google') return plain;
  if (kind === 'openai-chat') return [...plain, 'data: [DONE]\n\n'];
  return events.map((each) => `event: ${(JSON.parse(each) as { type: string }).type}\ndata: ${each}\n\n`);
};

/** What the events say, parsed. */
export const eventData = (events: readonly string[]): Record<string, unknown>[] =>
  events.flatMap((each) => {
    const [, data] = /^data: (\{.*)$/m.exec(each) ?? [];
    return data === undefined ? [] : [JSON.parse(data) as Record<string, unknown>];
  });

/** Tokens of the prompt, with those that Anthropic counts apart and we count in. */
export const inputOf = (recorded: RecordedStream): number => {
  let [read, written] = [0, 0];
  for (const data of recorded.kind === 'anthropic' ? eventData(wireEvents(recorded)) : []) {
    const message = data['message'] as Record<string, unknown> | undefined;
    const usage = (data['usage'] ?? message?.['usage'] ?? {}) as Record<string, number | null>;
    read = usage['cache_read_input_tokens'] ?? read;
    written = usage['cache_creation_input_tokens'] ?? written;
  }
  return (recorded.usage?.in ?? 0) + read + written;
};

/** The adapter for a kind of stream, talking to a server or to a stand-in for the network. */
export const modelFor = (
  kind: WireKind,
  to: { readonly url?: string; readonly fetch?: typeof fetch },
  profile?: ChatProfileName,
): Model => {
  const { url = 'http://mock.test', fetch: network } = to;
  const rest = { fetch: network };
  switch (kind) {
    case 'openai-chat':
      return openaiChat('mock-model', {
        baseURL: `${url}/v1`,
        ...rest,
        ...(profile === undefined ? {} : { profile, apiKey: 'sk-mock' }),
      });
    case 'openai-responses':
      return openai('mock-model', { apiKey: 'sk-mock', baseURL: `${url}/v1`, ...rest });
    case 'anthropic':
      return anthropic('mock-model', { apiKey: 'sk-mock', baseURL: url, ...rest });
  }
};

/** The same adapter, whose network answers with pieces of a recorded answer. */
export const modelReading = (
  recorded: RecordedStream,
  pieces: Iterable<string | Uint8Array>,
  then?: 'end' | 'reset',
): Model => modelFor(recorded.kind, { fetch: streamFetch(pieces, then, typeOf(recorded)) }, recorded.profile);

/** A network that answers every request with these bytes, as they are cut, and then ends or breaks. */
export const streamFetch =
  (
    pieces: Iterable<string | Uint8Array>,
    then: 'end' | 'reset' = 'end',
    type = 'text/event-stream',
  ): typeof fetch =>
  () => {
    const encoder = new TextEncoder();
    const iterator = pieces[Symbol.iterator]();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const { done, value } = iterator.next();
        if (!done) controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
        else if (then === 'end') controller.close();
        else {
          const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
          controller.error(new TypeError('terminated', { cause }));
        }
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': type } }));
  };

/** Bytes of `text`, one at a time. */
export const singleBytes = function* (text: string): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1);
};
