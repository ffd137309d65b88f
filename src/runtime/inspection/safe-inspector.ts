import type { InspectionEvent, Observer } from 'xstate';
import { freezeJson } from '../../base/json/freeze-json.ts';
import { isThenable } from '../../base/promises/thenable.ts';

/** Isolates an inspector from its run: it sees frozen data, and only its first exception is reported. */
export const safeInspector = (
  inspect: ((event: InspectionEvent) => void) | Observer<InspectionEvent>,
  onFailure: (error: unknown) => void,
): ((event: InspectionEvent) => void) => {
  const look: (event: InspectionEvent) => unknown =
    typeof inspect === 'function' ? inspect : (event) => inspect.next?.(event);
  const report = onlyOnce(onFailure);
  return (event) => {
    try {
      freezeSeen(event);
      const returned = look(event);
      // An asynchronous inspector may fail later; the run does not wait for it.
      if (isThenable(returned)) Promise.resolve(returned).catch(report);
    } catch (error) {
      report(error);
    }
  };
};

/** Freezes the machine's own context and the envelope before they are shown. */
const freezeSeen = (event: InspectionEvent): void => {
  if ('snapshot' in event && 'context' in event.snapshot) freezeJson(event.snapshot.context);
  if ('event' in event) freezeJson(event.event);
};

/** Reports the first failure only, as a failing inspector fails at every event. */
export const onlyOnce = (report: (error: unknown) => void): ((error: unknown) => void) => {
  let isReported = false;
  return (error) => {
    if (isReported) return;
    isReported = true;
    report(error);
  };
};
