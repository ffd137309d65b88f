import { isTroupeError, TroupeError } from '../contracts/error.ts';
import type { ModelAnswer, ModelCall } from '../contracts/model.ts';
import { classifyError, type ErrorContext } from './classify-error.ts';

/** An SDK's stream of events, as much of it as we use. */
export interface WireStream<Event> extends AsyncIterable<Event> {
  readonly controller: AbortController;
}

/** What an SDK gives once the headers are there. */
export interface OpenedStream<Event> {
  readonly data: WireStream<Event>;
  readonly response: Response;
}

/** Puts events together into an answer. */
export interface StreamReader<Event> {
  /** Takes one event, and reports it by deltas. */
  take(event: Event): void;
  /** Whether the answer is all there: what may still come is not worth a failure. */
  isComplete(): boolean;
  /** The answer; throws `model.malformed` if the stream ended before it was complete. */
  finish(): ModelAnswer;
}

/**
 * Reads one streamed answer: opens the stream, feeds the reader, and makes a typed error of whatever goes wrong.
 *
 * The SDKs end their loop without an error when they are aborted, and take a page of HTML for a stream without events:
 * here every wait is raced against the abort, and what is no event stream is an error.
 *
 * @throws what {@link classifyError} makes of it, `model.malformed` for a stream that ends too early, or the abort's reason.
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
    await refuseOtherBodies(response, race);
    const events = stream[Symbol.asyncIterator]();
    for (;;) {
      const next = await race.run(reader.isComplete() ? lastWords(events, stream) : events.next());
      signal.throwIfAborted();
      if (next.done) return reader.finish();
      takeEvent(reader, next.value, who);
    }
  } catch (error) {
    stream?.controller.abort();
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

/** An error for a stream that ended before the event that completes it. */
export const cutOffError = (who: ErrorContext, found: string): TroupeError =>
  malformedError(who, `its stream ended before the answer was complete (${found})`);

/** An error for a stream that says what cannot be. */
export const malformedError = (who: ErrorContext, found: string): TroupeError =>
  new TroupeError('model.malformed', `Cannot read the answer of ${who.provider}:${who.model} as ${found}`, {
    retryable: 'yes',
  });

/** What was thrown, with its code; an abort comes out as the reason that was given for it. */
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

const refuseOtherBodies = async (response: Response, race: AbortRace): Promise<void> => {
  const type = response.headers.get('content-type') ?? '';
  if (!/json|html|xml/i.test(type)) return;
  const body = await race.run(response.text());
  throw Object.assign(
    new SyntaxError(`expected an event stream, found ${type}: ${body.slice(0, 200)}`),
    errorIn(body),
  );
};

/** Some servers answer 200 and put the error into the body. */
const errorIn = (body: string): { readonly error?: unknown } => {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && 'error' in parsed ? { error: parsed } : {};
  } catch {
    return {};
  }
};

/** In ms: long enough for the last bytes to arrive, too short for anybody to mind a server that keeps the line open. */
const LAST_WORDS_MS = 1_000;

/**
 * What comes after the answer is complete: as a rule the end, which has to be read for the connection to be used again.
 * An error, or silence, is as good as the end.
 */
const lastWords = <Event>(
  events: AsyncIterator<Event>,
  { controller }: WireStream<Event>,
): Promise<IteratorResult<Event>> =>
  new Promise((resolve) => {
    const end = (): void => resolve({ done: true, value: undefined });
    const timer = setTimeout(() => {
      end();
      controller.abort();
    }, LAST_WORDS_MS);
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
