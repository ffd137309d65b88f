import type { Clock } from '../../../base/clock.ts';
import { isTroupeError } from '../../../contracts/errors/error.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';

/** Time after which a run counts as queued, in ms. */
const QUEUED_MS = 1_000;

/**
 * Waits until a run has its first event, so that a caller who knows of it finds it; of one that waits for its turn, a moment.
 *
 * @throws the error of a run that its store refused.
 */
export const awaitStart = async (handle: RunHandle<unknown, unknown>, clock: Clock): Promise<void> => {
  const events = handle[Symbol.asyncIterator]();
  let timer: unknown;
  const queued = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, QUEUED_MS);
  });
  try {
    const first = await Promise.race([events.next(), queued, endOf(handle)]);
    // A run that never started ends without an event.
    if (first?.done === true) await endOf(handle);
  } finally {
    clock.clearTimeout(timer);
    void events.return?.();
  }
};

/** Waits for the end of a run; rejects if it never started. */
const endOf = async ({ result }: RunHandle<unknown, unknown>): Promise<undefined> => {
  try {
    await result;
  } catch (thrown) {
    if (isTroupeError(thrown) && thrown.result === undefined) throw thrown;
  }
  return undefined;
};
