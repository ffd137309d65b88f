import { isLogged } from '../contracts/events/is-logged.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import type { LiveEvent } from '../contracts/events/event.ts';
import { backOff, isAborted } from './pause.ts';
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
  const { after = -1, onConnection, signal, attempts = Infinity } = options;
  const seen: Seen = { last: after, retryMs: options.retryMs, isOver: false, failures: 0, quiet: 0 };
  const isDone = (): boolean => seen.isOver || isAborted(signal);
  try {
    do {
      onConnection?.('connecting');
      seen.failures += 1;
      seen.quiet += 1;
      try {
        yield* onceThrough(address, seen, options);
      } catch (thrown) {
        if (isAborted(signal)) return;
        if (thrown instanceof TroupeError && thrown.retryable === 'no') throw thrown;
        if (seen.failures >= attempts) throw unreachableError(address, thrown);
      }
      if (isDone()) return;
      onConnection?.('waiting');
      await backOff(seen.quiet, { ...options, retryMs: seen.retryMs }, signal);
    } while (!isDone());
  } finally {
    onConnection?.('closed');
  }
}

/** Delivers what is read to an observer, until it is aborted. */
export const deliver = async <Item>(
  read: () => AsyncIterable<Item>,
  signal: AbortSignal,
  observer: { next(item: Item): void; error(thrown: unknown): void; complete(): void },
): Promise<void> => {
  try {
    for await (const item of read()) {
      if (signal.aborted) return;
      observer.next(item);
    }
    if (!signal.aborted) observer.complete();
  } catch (thrown) {
    if (!signal.aborted) observer.error(thrown);
  }
};

interface Seen {
  last: number;
  retryMs: number | undefined;
  isOver: boolean;
  /** Attempts since a connection was established. */
  failures: number;
  /** Attempts since a new event came. */
  quiet: number;
}

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
    seen.failures = 0;
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

const readerFor = (address: string, { headers, body }: Response): LineReader => {
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return new SseReader();
  if (/^application\/(x-)?(ndjson|jsonl)/.test(type)) return new LineReader();
  void body?.cancel().catch(() => undefined);
  throw new TroupeError('stream.invalid', `Cannot follow the run at ${address} as it is no stream: ${type}`);
};

/** Checks whether an event is new, and registers it. */
const isNew = (event: LiveEvent, seen: Seen): boolean => {
  // Events outside the log are delivered once; a report of lost ones has the number of the event before it.
  if (!isLogged(event)) return true;
  if (event.seq <= seen.last) return false;
  seen.quiet = 0;
  seen.last = event.seq;
  if (event.type === 'run.ended') seen.isOver = true;
  return true;
};
