import type { LiveEvent, RuntimeEvent } from '../../contracts/events/event.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { RemoteResult } from '../../contracts/runs/remote-run.ts';
import { blobsOf } from '../content/blobs-of.ts';
import { onSignal } from '../run/shared-signal.ts';
import { callerKeyOf } from './http/callers.ts';
import { refusal } from './http/refusal.ts';
import { jsonReply, SAFE_HEADERS } from './http/reply.ts';
import type { Ended, FoundRun, LiveRun } from './runs/live-run.ts';
import { drainingError } from './runs/run-errors.ts';
import { RelayedEvents } from './runs/relayed-events.ts';
import { RunEvents } from './runs/run-events.ts';
import { eventsAmong, StoredEvents, StoredRecords } from './runs/stored-events.ts';
import type { Limits } from './serve-options.ts';
import type { Admitted, Serving } from './serving.ts';
import { eventRedactor } from './streams/event-redactor.ts';
import { flatMapItems } from './streams/event-source.ts';
import { retryText, sseStream, sseTexts } from './streams/sse.ts';

/** Time after which a client connects again, in ms. */
const RETRY_MS = 1_000;
/** Runs or threads that are listed by default, and at most. */
const LISTED = 50;
const MOST_LISTED = 500;

/**
 * Streams the events of a run, here or in the store, as server-sent events; ends with the run, or with a hint to reconnect when the server
 * shuts down. 204 for a client that has them all.
 *
 * @throws {TroupeError} `stream.invalid` for a `Last-Event-ID` that is no number of an event; `server.refused` for too many streams
 */
export const giveEvents = async (
  serving: Serving,
  { request, caller }: Admitted,
  found: FoundRun,
): Promise<Response> => {
  if (serving.runs.isDraining) throw drainingError();
  const last = await lastSeenBy(request, serving, found);
  if (last === undefined) return new Response(null, { status: 204, headers: SAFE_HEADERS });
  const { clock, streams } = serving;
  const events = eventsOf(serving, found);
  const texts = streams.open(
    callerKeyOf(caller),
    sseTexts(events, last),
    () => `${retryText(RETRY_MS)}: the server is shutting down\n\n`,
  );
  return sseStream(texts, retryText(RETRY_MS), { clock, headers: SAFE_HEADERS });
};

/** The events of a run, here or in the store, redacted. */
export const eventsOf = (serving: Serving, found: FoundRun): AsyncIterator<LiveEvent, undefined> =>
  flatMapItems<LiveEvent, LiveEvent>(rawEventsOf(serving, found), eventRedactor(serving.redactor.secrets));

const rawEventsOf = (
  { store, clock, runs }: Serving,
  found: FoundRun,
): AsyncIterator<LiveEvent, undefined> => {
  const { runId } = found.live ?? found.stored;
  const findLive = (): LiveRun | undefined => runs.at(runId) ?? found.live;
  const isHere = (): boolean => findLive()?.isLeft === false;
  return new RunEvents({
    findLive,
    openStored:
      store &&
      (() => {
        const events = new StoredEvents(store, runId, clock, isHere);
        return store.subscribe === undefined ? events : new RelayedEvents({ runId, events, store, clock });
      }),
  });
};

/** The number of the last event that a client has; -1 for none, undefined if it has them all. */
const lastSeenBy = async (
  { headers }: Request,
  serving: Serving,
  found: FoundRun,
): Promise<number | undefined> => {
  const id = headers.get('last-event-id');
  if (id === null || id === '') return -1;
  const last = /^(?:-1|\d{1,15})$/.test(id) ? Number(id) : undefined;
  const newest = (await pastEvents(serving, found)).at(-1);
  if (last === undefined || last > (newest?.seq ?? -1))
    throw new TroupeError(
      'stream.invalid',
      'Cannot continue the stream as its last event is none of this run',
    );
  return newest?.type === 'run.ended' && newest.seq === last ? undefined : last;
};

/** The events of a run so far, here or in the store. */
export const pastEvents = async ({ store }: Serving, found: FoundRun): Promise<readonly RuntimeEvent[]> => {
  if (found.live !== undefined) return found.live.events;
  if (store === undefined) return [];
  const { runId } = found.stored;
  return eventsAmong(runId, await new StoredRecords(store, runId).all());
};

/** Gives the result of a run; 202 if it is under way when the wait is over. */
export const giveResult = async (
  serving: Serving,
  { request, url }: Admitted,
  found: FoundRun,
): Promise<Response> => {
  const waitMs = waitIn(url, serving.limits);
  const { live } = found;
  if (live !== undefined) {
    if (!live.isOver && !(await within(live.over, waitMs, serving, request))) return underWay();
    if (live.ended !== undefined) return resultReply(serving, live.ended);
    if (!live.isLeft) throw lostRun(live.runId);
  }
  if (serving.store === undefined) return underWay();
  const { runId } = live ?? found.stored;
  const status = found.stored?.status ?? 'running';
  const events = new StoredEvents(serving.store, runId, serving.clock);
  const last = lastOf(events);
  const isOver = status !== 'running' && status !== 'waiting';
  if (!isOver && !(await within(last, waitMs, serving, request))) await events.return();
  const ended = await last;
  return ended === undefined ? underWay() : resultReply(serving, ended);
};

const lastOf = async (events: StoredEvents): Promise<Ended | undefined> => {
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) return undefined;
    if (value.type === 'run.ended') return value;
  }
};

const lostRun = (runId: string): TroupeError =>
  new TroupeError('run.suspended', 'Cannot give the result as the run is left to be resumed', {
    retryable: 'yes',
    retryAfterMs: RETRY_MS,
    runId,
  });

const underWay = (): Response => jsonReply({ ok: false }, 202, { 'retry-after': '0' });

const resultReply = ({ redactor }: Serving, ended: Ended): Response => {
  const [event = ended] = eventRedactor(redactor.secrets)(ended).filter(isEnded);
  const { runId, status, output, stopReason, error, totals } = event;
  const end = { runId, stopReason, totals };
  const result: RemoteResult =
    status === 'completed'
      ? { ...end, status, output: output ?? null }
      : { ...end, status, ...(error === undefined ? {} : { error }) };
  return jsonReply(result);
};

const isEnded = (event: LiveEvent): event is Ended => event.type === 'run.ended';

/**
 * Waits for a promise; false if the time is over, the client is gone, or the server shuts down before.
 *
 * @throws what the promise rejects with
 */
export const within = async (
  promise: Promise<unknown>,
  waitMs: number,
  { clock, runs }: Pick<Serving, 'clock' | 'runs'>,
  { signal }: Pick<Request, 'signal'>,
): Promise<boolean> => {
  let giveUp: () => void = () => undefined;
  const over = new Promise<false>((resolve) => {
    giveUp = () => {
      resolve(false);
    };
  });
  if (waitMs === 0) giveUp();
  const timer = clock.setTimeout(giveUp, waitMs);
  const signals = [signal, runs.drained];
  const listening = signals.map((each) => onSignal(each, giveUp));
  if (signals.some(({ aborted }) => aborted)) giveUp();
  try {
    return await Promise.race([promise.then(() => true), over]);
  } finally {
    clock.clearTimeout(timer);
    for (const forget of listening) forget();
  }
};

/** The time that a request waits, as its address has it: at most, and by default, the longest. @throws {TroupeError} `input.invalid` */
export const waitIn = ({ searchParams }: URL, { waitMs }: Limits): number =>
  Math.min(countIn(searchParams.get('waitMs'), 'waitMs') ?? waitMs, waitMs);

/** The number of items that a list may have, as its address has it. @throws {TroupeError} `input.invalid` */
export const limitIn = ({ searchParams }: URL): number =>
  Math.min(countIn(searchParams.get('limit'), 'limit') ?? LISTED, MOST_LISTED);

const countIn = (given: string | null, name: string): number | undefined => {
  if (given === null) return undefined;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new TroupeError('input.invalid', `Cannot read '${name}' as it is not a whole number from 0`);
};

/**
 * Gives the bytes of media that the events of a run name: by its hash alone nobody gets what is another's.
 *
 * @throws {TroupeError} `content.missing`
 */
export const giveBlob = async (serving: Serving, { names }: Admitted, found: FoundRun): Promise<Response> => {
  const hash = names['hash'] ?? '';
  if (!/^[0-9a-f]{64}$/.test(hash)) throw refusal(404, 'there is nothing of that address');
  const type = mediaTypeIn(toJson(await pastEvents(serving, found)), hash);
  const { run, store } = serving;
  const bytes =
    type === undefined
      ? undefined
      : await blobsOf({
          ...(run.content === undefined ? {} : { content: run.content }),
          ...(store === undefined ? {} : { store }),
        }).get(hash);
  if (bytes === undefined || type === undefined)
    throw new TroupeError('content.missing', 'Cannot give the media as the run has none of that hash');
  const isShown = SHOWN.test(type);
  // A copy with a buffer of its own, as bodies take it.
  return new Response(Uint8Array.from(bytes), {
    headers: {
      ...SAFE_HEADERS,
      'content-type': isShown ? type : 'application/octet-stream',
      'content-disposition': isShown ? 'inline' : 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
};

/** Media types that no browser takes for a program. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif)|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** The media type of the part with that hash. */
const mediaTypeIn = (value: Json, hash: string): string | undefined => {
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) {
      const found = mediaTypeIn(item, hash);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { hash: own, mediaType } = value;
  if (own === hash && typeof mediaType === 'string') return mediaType;
  return mediaTypeIn(toJson(Object.values(value)), hash);
};
