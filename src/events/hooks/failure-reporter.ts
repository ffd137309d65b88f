import type { LiveEvent } from '../../contracts/events/event.ts';
import { SmallMap } from '../../base/collections/small-map.ts';

/** Called for each failed observer; the runtime records it as `observer.failed`. */
export type OnFailure = (observer: string, error: unknown, event?: LiveEvent) => void;

/** Limits the reports of an observer that fails at every event. */
const MAX_REPORTS = 100;

/**
 * Forwards failures of observers: never throws, and reports at most 100 failures of each name.
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
      // A failing failure handler cannot be reported.
    }
  };
};

/** Checks whether an event is about observers: failures on such events are not reported, to avoid loops. */
export const isAboutObservers = (event: LiveEvent): boolean =>
  event.type === 'observer.failed' || event.type === 'observer.dropped';
