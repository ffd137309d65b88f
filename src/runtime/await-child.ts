import type { Wait } from '../machines/wait-graph.ts';
import type { Actor } from './stage.ts';
import { waits } from './waits.ts';

const awaiting = new WeakMap<Actor, Wait<Actor>>();

/** Whoever has a child waits for it: nobody below may wait for him in turn. */
export const awaitChild = (child: Actor): void => {
  if (child.sponsor.kind === 'root' || child.isCall) return;
  // Whoever gave work away goes on meanwhile.
  if (child.sponsor.kind === 'machine' && child.sponsor.port === 'delegate') return;
  const wait = { who: child.sponsor.parent.principal, on: [child], kind: 'child' } as const;
  // A child that is new waits for nobody: this closes no circle.
  waits.add(wait);
  awaiting.set(child, wait);
};

/** The child is over. */
export const noLongerAwaited = (child: Actor): void => {
  const wait = awaiting.get(child);
  if (wait !== undefined) waits.remove(wait);
  waits.forget(child);
};
