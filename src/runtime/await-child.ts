import { callInKey } from '../actors/call-key.ts';
import type { Wait } from '../machines/wait-graph.ts';
import type { Actor } from './stage.ts';
import type { Party } from './waits.ts';
import { waits } from './waits.ts';

const awaiting = new WeakMap<Actor, Wait<Party>>();

/** Whoever has a child waits for it, be it a call or an agent: nobody below may wait for them in turn. */
export const awaitChild = (child: Actor): void => {
  const { sponsor } = child;
  if (sponsor.kind === 'root' || child.isCall) return;
  // Whoever gave work away goes on meanwhile.
  if (sponsor.kind === 'machine' && sponsor.port === 'delegate') return;
  const key = sponsor.kind === 'effect' ? sponsor.call : undefined;
  // A call is one party in the graph, whatever form its key has.
  const who = key === undefined ? sponsor.parent.principal : callInKey(key);
  const wait = { who, on: [child], kind: 'child' } as const;
  waits.note(wait);
  awaiting.set(child, wait);
};

/** The child is over. */
export const noLongerAwaited = (child: Actor): void => {
  const wait = awaiting.get(child);
  if (wait !== undefined) waits.remove(wait);
  waits.forget(child);
};
