/**
 * Shares the process fairly among all runs: work goes on in microtasks, but only for so long between two turns of the
 * event loop, so that timers, sockets and other people's code are served however many agents there are.
 *
 * A unit of work is a few jobs of a run's queue; it has to be short.
 */
export interface Pacer {
  /** Does `work` soon: in a microtask, or in a later turn of the event loop if this one has had its share. */
  schedule(work: () => void): void;
  /**
   * Does `work`, which begins something new, in its turn: after what was scheduled, and after what comes of the promises
   * that are settled by now. What is under way is through earlier then, and less is under way at once.
   */
  begin(work: () => void): void;
}

/** The share of one turn of the event loop, in ms. */
const SHARE_MS = 8;
/** Looking at the clock costs about as much as the smallest piece of work: look once in so many. */
const LOOK_EVERY = 4;
/** Something begins after so many pieces of other work at the latest: what is under way may never pause. */
const BEGIN_EVERY = 32;
/** Places of a list whose work is done, before they are let go of. */
const DONE_AT_MOST = 1_024;

/** A pacer with a budget of its own; all runs of a process share {@link processPacer}. */
export const createPacer = (now: () => number = () => performance.now()): Pacer => {
  const due = new WorkList();
  const beginnings = new WorkList();
  let isScheduled = false;
  let turnStartedAt: number | undefined;
  let untilLook = LOOK_EVERY;
  let untilBegin = BEGIN_EVERY;

  const endTurn = (): void => {
    turnStartedAt = undefined;
  };

  const isShareUsed = (): boolean => {
    if (turnStartedAt === undefined) {
      turnStartedAt = now();
      // Whatever comes first in the next turn of the loop gives everybody a fresh share.
      nextTurn(endTurn);
      return false;
    }
    untilLook -= 1;
    if (untilLook > 0) return false;
    untilLook = LOOK_EVERY;
    return now() - turnStartedAt > SHARE_MS;
  };

  /** Stays scheduled until nothing is left: a second drain, in a microtask, would know nothing of a share used up. */
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
      // What has begun may be due as soon as a promise settles: it comes before what begins next.
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
    // It is the process's to know, but no reason to hold up everybody else.
    queueMicrotask(() => {
      throw thrown;
    });
  }
};

/** First in, first out, in places that are used again. */
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
    } else if (this.#head === DONE_AT_MOST) {
      // Hot work never lets a list run dry: the places of what is done are let go of here.
      this.#places = this.#places.slice(this.#head, this.#tail);
      this.#tail -= this.#head;
      this.#head = 0;
    }
    return work;
  }
}

/** Calls back in a later turn of the event loop: `setImmediate` where there is one, else a message to ourselves. */
const inNextTurn: (callback: () => void) => void = (() => {
  const immediate: unknown = Reflect.get(globalThis, 'setImmediate');
  if (typeof immediate === 'function')
    return (callback: () => void) => void Reflect.apply(immediate, undefined, [callback]);
  return (callback: () => void) => void setTimeout(callback, 0);
})();

/** Callbacks that wait for a later turn of the event loop. */
let putOff = 0;

/** After timers and I/O have had their turn. */
export const nextTurn = (callback: () => void): void => {
  putOff += 1;
  inNextTurn(() => {
    putOff -= 1;
    callback();
  });
};

/**
 * Resolves once nothing is put off to a later turn of the event loop any more, after `turns` turns at the latest: work
 * that never pauses would be waited for without end.
 */
export const whenNothingIsPutOff = async (turns = 1_000): Promise<void> => {
  for (let turn = 0; turn < turns && putOff > 0; turn += 1) await new Promise<void>(inNextTurn);
};

/** The one pacer of this process. */
export const processPacer: Pacer = createPacer();
