import { onSignal } from '../../run/shared-signal.ts';
import { refusal } from './refusal.ts';

/** Bounds of streams that are open at a time. */
export interface StreamBounds {
  readonly streams: number;
  readonly streamsPerCaller: number;
}

/** Time after which a client may try again, in ms. */
const RETRY_MS = 5_000;

/** Counts open streams, and ends them all when the server shuts down. */
export class OpenStreams {
  readonly #bounds: StreamBounds;
  readonly #ended: AbortSignal;
  readonly #byCaller = new Map<string, number>();
  #count = 0;

  constructor(bounds: StreamBounds, ended: AbortSignal) {
    this.#bounds = bounds;
    this.#ended = ended;
  }

  /**
   * Opens a stream of a caller. When the server shuts down it ends with what `farewell` says then.
   *
   * @throws {TroupeError} `server.refused`, 429 where there are too many.
   */
  open(
    caller: string,
    texts: AsyncIterator<string, undefined>,
    farewell: () => string,
  ): AsyncIterator<string, undefined> {
    const own = this.#byCaller.get(caller) ?? 0;
    if (this.#count >= this.#bounds.streams || own >= this.#bounds.streamsPerCaller)
      throw refusal(429, 'too many streams of events are open', RETRY_MS);
    this.#count += 1;
    this.#byCaller.set(caller, own + 1);
    let isOpen = true;
    const release = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#count -= 1;
      const left = (this.#byCaller.get(caller) ?? 1) - 1;
      if (left === 0) this.#byCaller.delete(caller);
      else this.#byCaller.set(caller, left);
    };
    return endable(texts, { ended: this.#ended, farewell, release });
  }
}

interface Ending {
  readonly ended: AbortSignal;
  readonly farewell: () => string;
  readonly release: () => void;
}

const endable = (
  texts: AsyncIterator<string, undefined>,
  { ended, farewell, release }: Ending,
): AsyncIterator<string, undefined> => {
  const DONE = { value: undefined, done: true } as const;
  let isOver = false;
  let wake: () => void = () => undefined;
  const end = (): void => {
    wake();
  };
  const forget = onSignal(ended, end);
  const close = async (): Promise<typeof DONE> => {
    isOver = true;
    forget();
    release();
    await texts.return?.();
    return DONE;
  };
  const next = async (): Promise<IteratorResult<string, undefined>> => {
    if (isOver) return DONE;
    const woken = new Promise<undefined>((resolve) => {
      wake = () => {
        resolve(undefined);
      };
    });
    if (ended.aborted) wake();
    try {
      const item = await Promise.race([woken, texts.next()]);
      if (item === undefined) {
        await close();
        return { value: farewell(), done: false };
      }
      return item.done === true ? await close() : item;
    } catch (thrown) {
      await close();
      throw thrown;
    }
  };
  return {
    next,
    return: () => {
      wake();
      return close();
    },
  };
};
