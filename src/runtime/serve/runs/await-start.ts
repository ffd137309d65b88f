import type { Clock } from '../../../base/clock.ts';
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
  const queued = new Promise<'queued'>((resolve) => {
    timer = clock.setTimeout(() => {
      resolve('queued');
    }, QUEUED_MS);
  });
  try {
    const first = await Promise.race([events.next(), queued]);
    // The only event of a run that never started is its end.
    if (first !== 'queued' && first.value?.type !== 'run.started') await handle.result;
  } finally {
    clock.clearTimeout(timer);
    void events.return?.();
  }
};
