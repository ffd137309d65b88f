import type { RunInspector } from '../../contracts/events/inspection.ts';

/** A global symbol, shared by all copies of troupe in the process. */
const PLACE = Symbol.for('troupe.inspector');

/** The inspector attached for runs of this process that have none of their own; undefined if there is none. */
export const ambientInspector = (): RunInspector | undefined => {
  const found: unknown = Reflect.get(globalThis, PLACE);
  return isRunInspector(found) ? found : undefined;
};

/**
 * Attaches an inspector to all runs that start in this process from now on without one; returns a function that detaches it. The last one
 * attached counts.
 */
export const attachInspector = (inspector: RunInspector): (() => void) => {
  Reflect.set(globalThis, PLACE, inspector);
  return () => {
    if (Reflect.get(globalThis, PLACE) === inspector) Reflect.deleteProperty(globalThis, PLACE);
  };
};

const isRunInspector = (value: unknown): value is RunInspector =>
  typeof value === 'object' && value !== null && 'inspects' in value && typeof value.inspects === 'function';
