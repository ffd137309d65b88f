import type { AnyActorRef } from 'xstate';

/** What of an actor React's bindings keep and put back; no part of XState's types. */
interface Insides {
  observers: Set<unknown>;
  _snapshot: unknown;
  _processingStatus: number;
}

const below = (actor: AnyActorRef): readonly AnyActorRef[] => {
  const { children = {} } = actor.getSnapshot() as { readonly children?: Record<string, AnyActorRef> };
  return [actor, ...Object.values(children).flatMap(below)];
};

/** Stops an actor so that it can be started again, as `stopRootWithRehydration` of `@xstate/react` does under StrictMode. */
export const stopWithRehydration = (actor: AnyActorRef): void => {
  const kept = below(actor).map((each) => [each, each.getSnapshot() as unknown] as const);
  const insides = (each: unknown): Insides => each as Insides;
  for (const [each] of kept) insides(each).observers = new Set();
  const system: unknown = actor.system.getSnapshot();
  actor.stop();
  (actor.system as unknown as { _snapshot: unknown })._snapshot = system;
  for (const [each, snapshot] of kept) {
    insides(each)._processingStatus = 0;
    insides(each)._snapshot = snapshot;
  }
};
