import type { InspectionEvent, Observer } from 'xstate';
import { freezeJson } from '../../contracts/freeze-json.ts';
import { isThenable } from '../../contracts/thenable.ts';

/** An inspector that cannot hurt a run: what it throws is reported, once, and otherwise ignored; what it is shown it cannot change. */
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
      // An asynchronous inspector fails later; what it sees is not held up for it.
      if (isThenable(returned)) Promise.resolve(returned).catch(report);
    } catch (error) {
      report(error);
    }
  };
};

/** The machine's own, and the envelope: frozen before anybody sees them. */
const freezeSeen = (event: InspectionEvent): void => {
  if ('snapshot' in event && 'context' in event.snapshot) freezeJson(event.snapshot.context);
  if ('event' in event) freezeJson(event.event);
};

/** An inspector that fails, fails at every event: a log full of it helps nobody. */
export const onlyOnce = (report: (error: unknown) => void): ((error: unknown) => void) => {
  let isReported = false;
  return (error) => {
    if (isReported) return;
    isReported = true;
    report(error);
  };
};
