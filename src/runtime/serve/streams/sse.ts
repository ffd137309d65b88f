import { isLogged } from '../../../contracts/events/is-logged.ts';
import type { LiveEvent } from '../../../contracts/events/event.ts';
import { printableJson } from '../../../base/text/printable.ts';
import { byteStream } from './byte-stream.ts';
import type { EventSource, StreamOptions } from './event-source.ts';
import { flatMapItems, openSource } from './event-source.ts';

/** Options of server-sent events. */
export interface SseOptions extends StreamOptions {
  /** The client's last event: a request with the header `Last-Event-ID`, or the id itself. Default: none. */
  readonly after?: Request | string | number | undefined;
  /** Time of silence before a comment is sent, in ms. Default 15,000; `Infinity` for never. */
  readonly heartbeatMs?: number | undefined;
  /** Time that the client should wait before it reconnects, in ms. Default 1,000. */
  readonly retryMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Sends a run as server-sent events, as a web `Response`: each event under its type, with its `seq` as id.
 *
 * A client that lost the connection continues where it was: missed events come from the run's log. Deltas have no id
 * and are not repeated; `model.answered` contains the whole. A client that disconnects is released, and the run
 * continues. A browser's `EventSource` reconnects when a stream ends: close it at `run.ended`.
 *
 * @example
 * app.get('/runs/:id/events', (request) => sseResponse(handles.get(request.params.id), { after: request.raw }));
 */
export const sseResponse = (source: EventSource, options: SseOptions = {}): Response => {
  const { after, retryMs = 1_000 } = options;
  const last = lastSeen(after);
  return sseStream(sseTexts(openSource(source, options), last), retryText(retryMs), options);
};

/** The events after number `last` as server-sent events. */
export const sseTexts = (
  events: AsyncIterator<LiveEvent, undefined>,
  last: number,
): AsyncIterator<string, undefined> =>
  flatMapItems(events, (event) =>
    event.type !== 'model.delta' && event.seq <= last ? [] : [sseText(event)],
  );

/** Tells a client when to reconnect. */
export const retryText = (retryMs: number): string => `retry: ${retryMs}\n\n`;

/** Sends texts that are server-sent events, as a response that proxies must not cache. */
export const sseStream = (
  texts: AsyncIterator<string, undefined>,
  opening: string,
  { heartbeatMs = 15_000, clock, headers }: Pick<SseOptions, 'heartbeatMs' | 'clock' | 'headers'>,
): Response => {
  const heartbeat = { text: ': still here\n\n', everyMs: heartbeatMs, clock };
  return new Response(byteStream(prependText(opening, texts), heartbeat), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    },
  });
};

const prependText = (
  opening: string,
  texts: AsyncIterator<string, undefined>,
): AsyncIterator<string, undefined> => {
  let isOpen = false;
  return {
    next: () => {
      if (isOpen || opening === '') return texts.next();
      isOpen = true;
      return Promise.resolve({ value: opening, done: false });
    },
    return: async () => {
      await texts.return?.();
      return { value: undefined, done: true };
    },
  };
};

/** Before the first event if the client has none, or sends an invalid number. */
const lastSeen = (after: SseOptions['after']): number => {
  const id = after instanceof Request ? after.headers.get('last-event-id') : after;
  return /^\d{1,15}$/.test(String(id)) ? Number(id) : -1;
};

const sseText = (event: LiveEvent): string => {
  const id = isLogged(event) ? `id: ${event.seq}\n` : '';
  return `${id}event: ${event.type}\ndata: ${printableJson(event)}\n\n`;
};
