import type { Clock } from '../../../base/clock.ts';
import type { LiveEvent } from '../../../contracts/events/event.ts';

/** A conversion of a run to the parts of a protocol whose messages end when the run waits for people. */
export interface PausingFold<Part> {
  readonly isOver: boolean;
  /** True while the run does nothing but wait for people. */
  readonly isWaiting: boolean;
  take(event: LiveEvent): readonly Part[];
  /** Ends the message as its run waits. */
  pause(): readonly Part[];
  /** Ends the message where the events end before the run does. */
  break(): readonly Part[];
}

/** The text of the parts, and of the end of the stream. */
export interface PartTexts<Part> {
  readonly textOf: (part: Part) => string;
  /** Sent last. Default: nothing. */
  readonly end?: string | undefined;
}

/** Time without an event after which a run that waits for people is believed to do so, in ms: siblings of a call may follow. */
const QUIET_MS = 20;

/** Converts pulled events to texts, until the message ends. With a `clock`, it ends when the run waits for people. */
export const pausedTexts = <Part>(
  events: AsyncIterator<LiveEvent, undefined>,
  fold: PausingFold<Part>,
  { textOf, end = '' }: PartTexts<Part>,
  clock: Clock | undefined,
): AsyncIterator<string, undefined> => {
  const parts = pausedParts(events, fold, clock);
  let isEnded = end === '';
  return {
    next: async () => {
      const { value, done } = await parts.next();
      if (done !== true) return { value: textOf(value), done: false };
      if (isEnded) return { value: undefined, done: true };
      isEnded = true;
      return { value: end, done: false };
    },
    return: async () => {
      isEnded = true;
      await parts.return?.();
      return { value: undefined, done: true };
    },
  };
};

/** Converts pulled events to parts, until the message ends. With a `clock`, it ends when the run waits for people. */
export const pausedParts = <Part>(
  events: AsyncIterator<LiveEvent, undefined>,
  fold: PausingFold<Part>,
  clock: Clock | undefined,
): AsyncIterator<Part, undefined> => {
  const made: Part[] = [];
  let pulled: Promise<IteratorResult<LiveEvent, undefined>> | undefined;
  let isDone = false;
  const conclude = (parts: readonly Part[]): void => {
    made.push(...parts);
    isDone = true;
  };
  const advance = async (): Promise<void> => {
    pulled ??= events.next();
    if (clock !== undefined && fold.isWaiting && (await isQuiet(pulled, clock))) {
      conclude(fold.pause());
      await events.return?.();
      return;
    }
    const { value, done } = await pulled;
    pulled = undefined;
    if (done === true) {
      conclude(fold.break());
      return;
    }
    const parts = fold.take(value);
    if (!fold.isOver) {
      made.push(...parts);
      return;
    }
    conclude(parts);
    await events.return?.();
  };
  return {
    next: async () => {
      while (made.length === 0 && !isDone) await advance();
      const value = made.shift();
      return value === undefined ? { value: undefined, done: true } : { value, done: false };
    },
    return: async () => {
      isDone = true;
      made.length = 0;
      await events.return?.();
      return { value: undefined, done: true };
    },
  };
};

/** Resolves to true if nothing comes for a moment. */
const isQuiet = (pulled: Promise<unknown>, clock: Clock): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      resolve(true);
    }, QUIET_MS);
    pulled.then(
      () => {
        clock.clearTimeout(timer);
        resolve(false);
      },
      (error: unknown) => {
        clock.clearTimeout(timer);
        reject(error);
      },
    );
  });
