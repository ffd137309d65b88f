import type { Hook } from '../../contracts/events/event.ts';
import type { LogSink } from '../../contracts/events/log.ts';

const NAME = 'log';

/**
 * Passes every error of a run to a log as it happens. It is a hook, so that a failing or slow log has no effect on the run, and is reported
 * together with the error being logged.
 */
export const logHook = (log: LogSink): Hook => ({
  name: NAME,
  handle: (event) => {
    if (!('error' in event) || event.error === undefined) return undefined;
    // Its own failure.
    if (event.type === 'observer.failed' && event.observer === NAME) return undefined;
    const { at, path, type, error } = event;
    return log({ at, path, type, error });
  },
});
