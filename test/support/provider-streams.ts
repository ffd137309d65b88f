import { readFileSync } from 'node:fs';
import type { Model } from '../../src/contracts/models/model.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { fixtures } from './fixtures.ts';

export type WireKind = 'openai-chat' | 'openai-responses' | 'anthropic';

/** A recorded stream and what the vendor's own SDK makes of it. */
export interface RecordedStream {
  readonly file: string;
  readonly kind: WireKind;
  readonly verdict: 'ok' | 'throws';
  readonly stop?: string;
  readonly text?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input?: unknown;
    readonly arguments?: string;
  }[];
  readonly usage?: { readonly in: number; readonly out: number };
}

export const recordedStreams = (): RecordedStream[] =>
  JSON.parse(readFileSync(fixtures('provider-streams/expected.json'), 'utf8')) as RecordedStream[];

/** The events of a recorded stream as text on the wire, one string for each. */
export const wireEvents = ({ file, kind }: Pick<RecordedStream, 'file' | 'kind'>): string[] => {
  const text = readFileSync(fixtures('provider-streams', file), 'utf8');
  if (!file.endsWith('.chunks.txt'))
    return text
      .split(/\n\n+/)
      .filter(Boolean)
      .map((each) => `${each}\n\n`);
  const events = text.split('\n').filter(Boolean);
  if (kind === 'openai-chat') return [...events.map((each) => `data: ${each}\n\n`), 'data: [DONE]\n\n'];
  return events.map((each) => `event: ${(JSON.parse(each) as { type: string }).type}\ndata: ${each}\n\n`);
};

/** What the events say, parsed. */
export const eventData = (events: readonly string[]): Record<string, unknown>[] =>
  events.flatMap((each) => {
    const [, data] = /^data: (\{.*)$/m.exec(each) ?? [];
    return data === undefined ? [] : [JSON.parse(data) as Record<string, unknown>];
  });

/** The adapter for a kind of stream, talking to a server or to a stand-in for the network. */
export const modelFor = (
  kind: WireKind,
  to: { readonly url?: string; readonly fetch?: typeof fetch },
): Model => {
  const { url = 'http://mock.test', fetch: network } = to;
  const rest = { fetch: network };
  switch (kind) {
    case 'openai-chat':
      return openaiChat('mock-model', { baseURL: `${url}/v1`, ...rest });
    case 'openai-responses':
      return openai('mock-model', { apiKey: 'sk-mock', baseURL: `${url}/v1`, ...rest });
    case 'anthropic':
      return anthropic('mock-model', { apiKey: 'sk-mock', baseURL: url, ...rest });
  }
};

/** A network that answers every request with these bytes, as they are cut, and then ends or breaks. */
export const streamFetch =
  (pieces: Iterable<string | Uint8Array>, then: 'end' | 'reset' = 'end'): typeof fetch =>
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
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };

/** Bytes of `text`, one at a time. */
export const singleBytes = function* (text: string): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1);
};
