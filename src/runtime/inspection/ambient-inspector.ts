import type { RunInspector } from '../../contracts/inspection.ts';

/** One place for the process: also for a program that has its own copy of troupe. */
const PLACE = Symbol.for('troupe.inspector');

/** The inspector of all runs of this process that were given none; undefined where nobody attached one. */
export const ambientInspector = (): RunInspector | undefined => {
  const found: unknown = Reflect.get(globalThis, PLACE);
  return isRunInspector(found) ? found : undefined;
};

/**
 * Attaches an inspector to all runs that begin in this process from now on and are given none; gives what ends that. One at a time: the
 * last one counts.
 */
export const attachInspector = (inspector: RunInspector): (() => void) => {
  Reflect.set(globalThis, PLACE, inspector);
  return () => {
    if (Reflect.get(globalThis, PLACE) === inspector) Reflect.deleteProperty(globalThis, PLACE);
  };
};

const isRunInspector = (value: unknown): value is RunInspector =>
  typeof value === 'object' && value !== null && 'inspects' in value && typeof value.inspects === 'function';
