/**
 * Shares the process fairly among all runs: work runs in microtasks, but only for a limited time between two turns of the event loop, so
 * that timers, sockets and other code are served however many agents there are.
 *
 * A unit of work is a few jobs of a run's queue; it has to be short.
 */
export interface Pacer {
  /** Runs `work` soon: in a microtask, or in a later turn of the event loop if this turn's share is used up. */
  schedule(work: () => void): void;
  /**
   * Runs `work`, which starts something new, after all scheduled work and after the reactions of the promises that are settled by now. Work
   * in progress finishes earlier that way, and less is in progress at once.
   */
  begin(work: () => void): void;
}

/** Share of one turn of the event loop, in ms. */
const SHARE_MS = 8;
/** Reading the clock costs about as much as the smallest piece of work, so it is read once in this many pieces. */
const READ_CLOCK_EVERY = 4;
/** Something new starts after at most this many pieces of other work, as work in progress may never pause. */
const BEGIN_EVERY = 32;
/** Finished entries in a list before it is compacted. */
const COMPACT_AFTER = 1_024;

/** Creates a pacer with its own share; all runs of a process use {@link processPacer}. */
export const createPacer = (now: () => number = () => performance.now()): Pacer => {
  const due = new WorkList();
  const beginnings = new WorkList();
  let isScheduled = false;
  let turnStartedAt: number | undefined;
  let untilReading = READ_CLOCK_EVERY;
  let untilBegin = BEGIN_EVERY;

  const endTurn = (): void => {
    turnStartedAt = undefined;
  };

  const isShareUsed = (): boolean => {
    if (turnStartedAt === undefined) {
      turnStartedAt = now();
      // The next turn of the event loop resets the share, whichever callback comes first.
      nextTurn(endTurn);
      return false;
    }
    untilReading -= 1;
    if (untilReading > 0) return false;
    untilReading = READ_CLOCK_EVERY;
    return now() - turnStartedAt > SHARE_MS;
  };

  /** Stays scheduled until nothing is left: a second drain, in a microtask, would not know that the share is used up. */
  const drain = (): void => {
    while (!due.isEmpty || !beginnings.isEmpty) {
      if (isShareUsed()) {
        nextTurn(() => {
          turnStartedAt = undefined;
          drain();
        });
        return;
      }
      untilBegin -= 1;
      if (!due.isEmpty && (untilBegin > 0 || beginnings.isEmpty)) {
        attempt(due.take());
        continue;
      }
      untilBegin = BEGIN_EVERY;
      attempt(beginnings.take());
      // A new start may schedule work as soon as a promise settles: that comes before the next start.
      queueMicrotask(drain);
      return;
    }
    isScheduled = false;
  };

  const wake = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(drain);
  };

  return {
    schedule: (work) => {
      due.push(work);
      wake();
    },
    begin: (work) => {
      beginnings.push(work);
      wake();
    },
  };
};

const attempt = (work: (() => void) | undefined): void => {
  try {
    work?.();
  } catch (thrown) {
    // Reported as uncaught, without holding up other work.
    queueMicrotask(() => {
      throw thrown;
    });
  }
};

/** A first-in, first-out list that reuses its slots. */
class WorkList {
  #places: ((() => void) | undefined)[] = [];
  #head = 0;
  #tail = 0;

  get isEmpty(): boolean {
    return this.#head === this.#tail;
  }

  push(work: () => void): void {
    this.#places[this.#tail] = work;
    this.#tail += 1;
  }

  take(): (() => void) | undefined {
    const work = this.#places[this.#head];
    this.#places[this.#head] = undefined;
    this.#head += 1;
    if (this.isEmpty) {
      this.#head = this.#tail = 0;
    } else if (this.#head === COMPACT_AFTER) {
      // A busy list never becomes empty: its finished slots are dropped here.
      this.#places = this.#places.slice(this.#head, this.#tail);
      this.#tail -= this.#head;
      this.#head = 0;
    }
    return work;
  }
}

/** Calls back in a later turn of the event loop, by `setImmediate` where available. */
const inNextTurn: (callback: () => void) => void = (() => {
  const immediate: unknown = Reflect.get(globalThis, 'setImmediate');
  if (typeof immediate === 'function')
    return (callback: () => void) => void Reflect.apply(immediate, undefined, [callback]);
  return (callback: () => void) => void setTimeout(callback, 0);
})();

/** Number of callbacks that wait for a later turn of the event loop. */
let putOff = 0;

/** Calls back after timers and I/O. */
export const nextTurn = (callback: () => void): void => {
  putOff += 1;
  inNextTurn(() => {
    putOff -= 1;
    callback();
  });
};

/** Resolves once no callback waits for a later turn of the event loop, after `turns` turns at most, as work may never pause. */
export const whenNothingIsPutOff = async (turns = 1_000): Promise<void> => {
  for (let turn = 0; turn < turns && putOff > 0; turn += 1) await new Promise<void>(inNextTurn);
};

/** The pacer shared by the runs of this process. */
export const processPacer: Pacer = createPacer();
