import { isLogged } from '../contracts/events/is-logged.ts';
import type { Clock } from '../base/clock.ts';
import { systemClock } from '../base/clock.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import type { LiveEvent } from '../contracts/events/event.ts';
import { isAborted, pause } from './pause.ts';
import { readEvent } from './read-event.ts';
import { LineReader, SseReader } from './read-sse.ts';
import type { AddressOptions } from './run-address.ts';
import { addressOf, openAddress, unreachableError } from './run-address.ts';

/** State of the connection to a run. */
export type Connection = 'idle' | 'connecting' | 'open' | 'waiting' | 'closed';

/** Options for reading a remote run. */
export interface ReadRunOptions extends AddressOptions {
  /** Number of the last known event: later ones are returned. Default: none. */
  readonly after?: number | undefined;
  /** Aborts reading. */
  readonly signal?: AbortSignal | undefined;
  readonly onConnection?: ((connection: Connection) => void) | undefined;
  /** Clock for waits. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Reads the events of a remote run, by server-sent events or as lines of JSON: each durable one once and in order, up to `run.ended`, in
 * the chunks in which they arrive.
 *
 * A connection that breaks, or ends before the run does, is resumed after the last event (`Last-Event-ID`); a server that sends all events
 * again works, too.
 *
 * @example
 * for await (const events of readRun('/runs/r1/events')) progress = events.reduce(foldProgress, progress);
 *
 * @throws {TroupeError} `stream.refused` where the server says no (its `status` is in the error), or `attempts` are used up;
 * `stream.invalid` for what is no URL, or no stream of events.
 */
export async function* readRun(
  url: string | URL,
  options: ReadRunOptions = {},
): AsyncGenerator<readonly LiveEvent[], void, void> {
  const address = addressOf(url);
  const { after = -1, clock = systemClock, onConnection, signal, attempts = Infinity } = options;
  const { retryMs = 1_000, maxRetryMs = 30_000 } = options;
  const seen: Seen = { last: after, retryMs, isOver: false, hasNews: false, isOpen: false };
  let failures = 0;
  let quiet = 0;
  try {
    while (!seen.isOver) {
      onConnection?.('connecting');
      seen.hasNews = false;
      seen.isOpen = false;
      try {
        yield* onceThrough(address, seen, options);
      } catch (thrown) {
        if (isAborted(signal)) return;
        if (isFinal(thrown)) throw thrown;
        failures = seen.isOpen ? 0 : failures + 1;
        if (failures >= attempts) throw unreachableError(address, thrown);
      }
      if (seen.isOver || isAborted(signal)) return;
      quiet = seen.hasNews ? 0 : quiet + 1;
      onConnection?.('waiting');
      await pause(clock, Math.min(seen.retryMs * 2 ** Math.max(0, quiet - 1), maxRetryMs), signal);
      if (isAborted(signal)) return;
    }
  } finally {
    onConnection?.('closed');
  }
}

interface Seen {
  last: number;
  retryMs: number;
  isOver: boolean;
  /** True if this connection delivered any new event. */
  hasNews: boolean;
  /** True if it was established. */
  isOpen: boolean;
}

const isFinal = (thrown: unknown): boolean => thrown instanceof TroupeError && thrown.retryable === 'no';

/** The events of one connection. */
async function* onceThrough(
  address: string,
  seen: Seen,
  { signal, onConnection, ...options }: ReadRunOptions,
): AsyncGenerator<readonly LiveEvent[], void, void> {
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
  };
  signal?.addEventListener('abort', end);
  try {
    if (isAborted(signal)) return;
    const response = await openAddress(address, seen.last, options, ending.signal);
    const reader = readerFor(address, response);
    seen.isOpen = true;
    onConnection?.('open');
    const pieces = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    const decoder = new TextDecoder();
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
      const texts = reader.push(decoder.decode(piece.value, { stream: true }));
      seen.retryMs = reader.retryMs ?? seen.retryMs;
      const events = texts.map(readEvent).filter((event) => isNew(event, seen));
      if (events.length > 0) yield events;
      if (seen.isOver) return;
    }
  } finally {
    signal?.removeEventListener('abort', end);
    // Closes the body in any case.
    end();
  }
}

const readerFor = (address: string, { headers, body }: Response): SseReader | LineReader => {
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return new SseReader();
  if (/^application\/(x-ndjson|ndjson|jsonl|x-jsonlines)/.test(type)) return new LineReader();
  void body?.cancel().catch(() => undefined);
  throw new TroupeError('stream.invalid', `Cannot follow the run at ${address} as it is no stream: ${type}`);
};

/** Checks whether an event is new, and registers it. */
const isNew = (event: LiveEvent, seen: Seen): boolean => {
  // Events outside the log are delivered once; a report of lost ones has the number of the event before it.
  if (!isLogged(event)) return true;
  if (event.seq <= seen.last) return false;
  seen.hasNews = true;
  seen.last = event.seq;
  if (event.type === 'run.ended') seen.isOver = true;
  return true;
};
