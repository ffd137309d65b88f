import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { ModelAnswer, ModelCall } from '../../contracts/models/model.ts';
import { classifyError, type ErrorContext } from '../retry/classify-error.ts';
import { errorInBody } from '../retry/error-body.ts';
import { saidDone } from './event-stream-body.ts';

/** An SDK's stream of events, as much of it as we use. */
export interface WireStream<Event> extends AsyncIterable<Event> {
  readonly controller: AbortController;
}

/** The result of an SDK once the headers have arrived. */
export interface OpenedStream<Event> {
  readonly data: WireStream<Event>;
  /** Absent where the SDK keeps it, and has checked that it is a stream. */
  readonly response?: Response;
}

/** Assembles events to an answer. */
export interface StreamReader<Event> {
  /** Takes one event, and reports it by deltas. */
  take(event: Event): void;
  /** Checks whether the answer is complete: a failure after that is ignored. */
  isComplete(): boolean;
  /** Checks whether the end was reached, and only facts about the answer (its usage) may still follow. Default: never. */
  hasEnded?(): boolean;
  /** The answer; throws `model.malformed` if the stream ended before it was complete. */
  finish(end: StreamEnd): ModelAnswer;
  /** Accepts an answer in one piece, though a stream was requested; false if the body is not an answer. */
  takeWhole?(body: unknown): boolean;
  /** Returns the answer within an error: model output that the provider could not use. */
  recover?(thrown: unknown): ModelAnswer | undefined;
}

/** The end of a stream. */
export interface StreamEnd {
  /** True after `[DONE]`: the server has finished. */
  readonly isDone: boolean;
}

/**
 * Reads one streamed answer: opens the stream, feeds the reader, and converts every failure to a typed error.
 *
 * The SDKs end their loop without an error when they are aborted, and read a page of HTML as a stream without events:
 * here every wait is raced against the abort, and anything but an event stream is an error.
 *
 * @throws the error of {@link classifyError}, `model.malformed` for a stream that ends too early, or the abort's
 * reason.
 */
export const readAnswer = async <Event>(
  who: ErrorContext,
  call: ModelCall,
  open: (signal: AbortSignal) => Promise<OpenedStream<Event>>,
  reader: StreamReader<Event>,
): Promise<ModelAnswer> => {
  const { signal } = call;
  const race = new AbortRace(signal);
  let stream: WireStream<Event> | undefined;
  try {
    signal.throwIfAborted();
    const { data, response } = await race.run(open(signal));
    stream = data;
    if (response !== undefined && (await readWhole(response, reader, race)))
      return reader.finish({ isDone: true });
    const events = stream[Symbol.asyncIterator]();
    for (;;) {
      const waitMs = reader.isComplete() ? LAST_WORDS_MS : reader.hasEnded?.() ? LAST_FACTS_MS : undefined;
      const next = await race.run(waitMs === undefined ? events.next() : lastWords(events, stream, waitMs));
      signal.throwIfAborted();
      if (next.done) return finish(reader, { isDone: response !== undefined && saidDone(response) }, who);
      takeEvent(reader, next.value, who);
    }
  } catch (error) {
    stream?.controller.abort();
    const recovered = signal.aborted ? undefined : reader.recover?.(error);
    if (recovered !== undefined) return recovered;
    throw typedError(error, who, signal);
  } finally {
    race.end();
  }
};

/** An event that lacks what its type promises makes the reader stumble: the provider's fault, not an unknown failure. */
const takeEvent = <Event>(reader: StreamReader<Event>, event: Event, who: ErrorContext): void => {
  try {
    reader.take(event);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw malformedError(who, `an event has an impossible shape (${JSON.stringify(event).slice(0, 200)})`);
  }
};

/** The last event may be malformed, like any other. */
const finish = <Event>(reader: StreamReader<Event>, end: StreamEnd, who: ErrorContext): ModelAnswer => {
  try {
    return reader.finish(end);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw malformedError(who, `its end has an impossible shape (${error.message})`);
  }
};

/** An error that a provider speaks of within a stream, or beside a status of success, in the form in which the SDKs throw it. */
export const providerError = (error: unknown): Error => {
  const said = toJson(error);
  return Object.assign(new Error(JSON.stringify(said)), { error: said });
};

/** An error for a stream that ended before the event that completes it. */
export const cutOffError = (who: ErrorContext, found: string): TroupeError =>
  malformedError(who, `its stream ended before the answer was complete (${found})`);

/** Creates the error for an invalid stream. */
export const malformedError = (who: ErrorContext, found: string): TroupeError =>
  new TroupeError('model.malformed', `Cannot read the answer of ${who.provider}:${who.model} as ${found}`, {
    retryable: 'yes',
  });

/** Converts a thrown value to a typed error; an abort yields its reason. */
const typedError = (error: unknown, who: ErrorContext, signal: AbortSignal): TroupeError => {
  const thrown: unknown = signal.aborted ? signal.reason : error;
  if (isTroupeError(thrown)) return thrown;
  if (signal.aborted) {
    const name = `${who.provider}:${who.model}`;
    return new TroupeError('run.aborted', `Cannot finish asking ${name} as the call was aborted`, {
      cause: thrown,
    });
  }
  const { code, message, cause: _name, ...where } = classifyError(thrown, who);
  return new TroupeError(code, message, { ...where, cause: thrown });
};

/**
 * Checks whether the answer came in one piece, and was read: some servers never stream. Any other body is an error, the
 * provider's own if it contains one.
 */
const readWhole = async <Event>(
  response: Response,
  reader: StreamReader<Event>,
  race: AbortRace,
): Promise<boolean> => {
  const type = response.headers.get('content-type') ?? '';
  if (!/json|html|xml/i.test(type)) return false;
  const text = await race.run(response.text());
  const body = parseJson(text);
  // Some servers answer 200 with an error in the body.
  const error = isAnswer(body) ? undefined : errorInBody(body);
  if (error === undefined && body !== undefined && reader.takeWhole?.(body) === true) return true;
  const thrown = new SyntaxError(`expected an event stream, found ${type}: ${text.slice(0, 200)}`);
  throw error === undefined ? thrown : Object.assign(thrown, { error: { error } });
};

const isAnswer = (body: unknown): boolean =>
  isJsonObject(body) && body['error'] == null && Array.isArray(body['choices']);

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** In ms: long enough for the last bytes to arrive, short enough for a server that keeps the connection open. */
const LAST_WORDS_MS = 1_000;

/** In ms: time to wait for facts about a complete answer, such as its usage; without them they are estimated. */
const LAST_FACTS_MS = 5_000;

/**
 * Reads on after the answer is complete: normally the end, which must be read for the connection to be reused. An
 * error, or silence, counts as the end.
 */
const lastWords = <Event>(
  events: AsyncIterator<Event>,
  { controller }: WireStream<Event>,
  waitMs: number,
): Promise<IteratorResult<Event>> =>
  new Promise((resolve) => {
    const end = (): void => resolve({ done: true, value: undefined });
    const timer = setTimeout(() => {
      end();
      controller.abort();
    }, waitMs);
    events
      .next()
      .then(resolve, end)
      .finally(() => clearTimeout(timer));
  });

/**
 * Races one promise after another against an abort, with a single listener: `Promise.race` against one long-lived
 * promise would keep a reaction for every event of the stream.
 */
class AbortRace {
  readonly #signal: AbortSignal;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => this.#reject?.(this.#signal.reason);

  run<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      promise.then(resolve, reject);
    });
  }

  end(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
