/**
 * Shares the process fairly among all runs: work goes on in microtasks, but only for so long between two turns of the
 * event loop, so that timers, sockets and other people's code are served however many agents there are.
 *
 * A unit of work is a few jobs of a run's queue; it has to be short.
 */
export interface Pacer {
  /** Does `work` soon: in a microtask, or in a later turn of the event loop if this one has had its share. */
  schedule(work: () => void): void;
}

/** The share of one turn of the event loop, in ms. */
const SHARE_MS = 8;
/** Looking at the clock costs about as much as the smallest piece of work: look once in so many. */
const LOOK_EVERY = 4;

/** A pacer with a budget of its own; all runs of a process share {@link processPacer}. */
export const createPacer = (now: () => number = () => performance.now()): Pacer => {
  let queue: (() => void)[] = [];
  let head = 0;
  let isScheduled = false;
  let turnStartedAt: number | undefined;
  let untilLook = LOOK_EVERY;

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
    while (head < queue.length) {
      if (isShareUsed()) {
        // Hot work never lets the queue run dry: what is done is let go of here.
        queue = queue.slice(head);
        head = 0;
        nextTurn(() => {
          turnStartedAt = undefined;
          drain();
        });
        return;
      }
      const work = queue[head];
      head += 1;
      try {
        work?.();
      } catch (thrown) {
        // It is the process's to know, but no reason to hold up everybody else.
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
    queue = [];
    head = 0;
    isScheduled = false;
  };

  return {
    schedule: (work) => {
      queue.push(work);
      if (isScheduled) return;
      isScheduled = true;
      queueMicrotask(drain);
    },
  };
};

/** After timers and I/O have had their turn: `setImmediate` where there is one, else a message to ourselves. */
const nextTurn: (callback: () => void) => void = (() => {
  const immediate: unknown = Reflect.get(globalThis, 'setImmediate');
  if (typeof immediate === 'function')
    return (callback: () => void) => void Reflect.apply(immediate, undefined, [callback]);
  return (callback: () => void) => void setTimeout(callback, 0);
})();

/** The one pacer of this process. */
export const processPacer: Pacer = createPacer();
