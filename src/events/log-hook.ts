import type { Hook } from '../contracts/event.ts';
import type { LogSink } from '../contracts/log.ts';

/**
 * Hands every error of a run to a log, the moment it is told: a hook like any other, so that a log that throws, or takes
 * its time, harms nobody, and is reported together with the error that it was told of.
 */
export const logHook = (log: LogSink): Hook => ({
  name: 'log',
  handle: (event) => {
    if (event.type === 'observer.failed' || !('error' in event) || event.error === undefined)
      return undefined;
    const { at, path, type, error } = event;
    return log({ at, path, type, error });
  },
});
