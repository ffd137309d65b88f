import { TroupeError } from '../contracts/error.ts';
import { isThenable } from '../contracts/thenable.ts';
import type { Desk } from './desk.ts';

/**
 * What one of an agent's own functions gives, within the time that the agent allows it: what is there at once is given at
 * once; a promise that is not kept in time rejects with `agent.timeout`, and what comes of it later is nobody's.
 */
export const withinTime = <T>(
  given: T | Promise<T>,
  name: string,
  { clock, definition, abort }: Pick<Desk, 'clock' | 'definition' | 'abort'>,
): T | Promise<T> => {
  if (!isThenable(given)) return given;
  const { timeoutMs } = definition;
  // Adopted first: a thenable of somebody's own may throw, or settle twice.
  const work = Promise.resolve(given);
  if (timeoutMs === Infinity) return work;
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      const message = `Cannot wait for '${name}' of '${definition.name}' any longer as it is past its time-out: ${timeoutMs} ms`;
      reject(new TroupeError('agent.timeout', message, { retryable: 'yes' }));
    }, timeoutMs);
    // Called off, it may take as long as it likes: what it gives comes late.
    const forget = abort.onAbort(() => {
      clock.clearTimeout(timer);
    });
    const done = (): void => {
      clock.clearTimeout(timer);
      forget();
    };
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (thrown: unknown) => {
        done();
        // As it is: whoever waits for it makes data of it.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(thrown);
      },
    );
  });
};
