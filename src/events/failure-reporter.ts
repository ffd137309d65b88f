import type { LiveEvent } from '../contracts/event.ts';
import { SmallMap } from '../contracts/small-map.ts';

/** Told of every observer that failed; the runtime makes an `observer.failed` event of it. */
export type OnFailure = (observer: string, error: unknown, event?: LiveEvent) => void;

/** Past this many, an observer that fails each time would fill the log with news of itself. */
const MAX_REPORTS = 100;

/**
 * Passes failures of observers on: it never throws itself, and reports at most 100 failures of each name.
 *
 * @example
 * const report = failureReporter((observer, error) => console.error(observer, error));
 */
export const failureReporter = (onFailure: OnFailure): OnFailure => {
  const reports = new SmallMap<string, number>();
  return (observer, error, event) => {
    const count = reports.get(observer) ?? 0;
    if (count >= MAX_REPORTS) return;
    reports.set(observer, count + 1);
    try {
      onFailure(observer, error, event);
    } catch {
      // Whoever is told of failures has none left to tell of its own.
    }
  };
};

/** Checks whether an event is about observers: one that fails on it is not reported, or two of them would keep each other busy. */
export const isAboutObservers = (event: LiveEvent): boolean =>
  event.type === 'observer.failed' || event.type === 'observer.dropped';
