import type { AnyActorRef, InspectionEvent, Observer } from 'xstate';
import { onlyOnce } from './safe-inspector.ts';

type System = AnyActorRef['system'];
type Report = (error: unknown) => void;
/** As actors hand it to their system, which adds whose system it is. */
type Unresolved = InspectionEvent extends infer Each
  ? Each extends InspectionEvent
    ? Omit<Each, 'rootId'>
    : never
  : never;

/** The runs under way in a system: who is told of an inspector that failed. */
const guarded = new WeakMap<System, Set<Report>>();

/**
 * Keeps the inspectors of somebody else's actor system from hurting a run that lives in it; gives what ends that.
 *
 * XState calls inspectors in the middle of sends and transitions and lets what they throw go on through these. While a
 * run is under way, it is told instead, once; when none is, XState's own behaviour holds. An inspector that is attached
 * later sees every event even if one before it throws; those from before stand in XState's own list, where the first
 * that throws hides an event from the ones behind it.
 */
export const guardInspection = (self: AnyActorRef, onFailure: Report): (() => void) => {
  const { system } = self;
  const runs = guarded.get(system) ?? guard(system, rootOf(self).sessionId);
  const report = onlyOnce(onFailure);
  runs.add(report);
  return () => {
    runs.delete(report);
  };
};

const rootOf = (self: AnyActorRef): AnyActorRef => (self._parent === undefined ? self : rootOf(self._parent));

/** Once for each system: each of its actors finds `_sendInspectionEvent` there whenever it has something to show. */
const guard = (system: System, rootId: string): Set<Report> => {
  const runs = new Set<Report>();
  guarded.set(system, runs);
  const send = '_sendInspectionEvent' in system ? system._sendInspectionEvent : undefined;
  // It is no part of XState's types. Were it gone one day, inspectors would be as dangerous as without us.
  if (!('_sendInspectionEvent' in system) || typeof send !== 'function') return runs;

  const safely = (look: () => unknown): void => {
    try {
      look();
    } catch (error) {
      if (runs.size === 0) throw error;
      for (const report of runs) report(error);
    }
  };
  const later = new Set<Observer<InspectionEvent>>();
  system.inspect = (inspector) => {
    const observer = typeof inspector === 'function' ? { next: inspector } : inspector;
    later.add(observer);
    return {
      unsubscribe: () => {
        later.delete(observer);
      },
    };
  };
  system._sendInspectionEvent = (event: Unresolved): void => {
    safely(() => Reflect.apply(send, system, [event]));
    if (later.size === 0) return;
    const resolved = { ...event, rootId };
    for (const observer of later) safely(() => observer.next?.(resolved));
  };
  return runs;
};
