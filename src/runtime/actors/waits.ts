import { callInKey, isCallKey, pathInCallKey } from '../../actors/call-key.ts';
import type { TroupeError } from '../../contracts/error.ts';
import { deadlockError } from '../../machines/deadlock-error.ts';
import type { Wait, WaitArrow } from '../../machines/wait-graph.ts';
import { WaitGraph } from '../../machines/wait-graph.ts';

/** Whoever may wait: an actor, a question that somebody was asked, or, by its name, a call or an owner of a lock. */
export type Party = PlacedParty | string;

/** A party with an address, that knows by itself what it waits for. */
export interface PlacedParty {
  readonly path: string;
  /** What it waits for as things are now. */
  readonly awaits: readonly Wait<Party>[];
}

/**
 * Who waits for whom in this process: actors of all its runs, their calls, and whoever else wants a lock. One for all of them, as a circle
 * may go from a question through a lock into another run. Nothing is kept of who waits for nobody, and what follows from the tree of actors is
 * read off it when somebody waits.
 */
export const waits = new WaitGraph<Party>((party) => (typeof party === 'string' ? NONE : party.awaits));

const NONE: readonly never[] = [];

/** The party that an owner of locks is: a call by its key, whichever locks it has; any other name is known to `scope` only. */
export const ownerParty = (scope: string, owner: string): Party =>
  isCallKey(owner) ? callInKey(owner) : `${scope}${SCOPE_END}${owner}`;

const SCOPE_END = '\u0000';

/** The error for whoever would have closed a circle. */
export const refusalOf = (circle: readonly WaitArrow<Party>[]): TroupeError =>
  deadlockError(circle, { nameOf, distinctNameOf });

const nameOf = (party: Party): string => {
  if (typeof party !== 'string') return party.path;
  return isCallKey(party) ? pathInCallKey(party) : distinctNameOf(party);
};

/** Where two parties of a circle sit at the same address, as in two runs, or are two calls of one agent. */
const distinctNameOf = (party: Party): string =>
  typeof party === 'string' ? party.slice(party.indexOf(SCOPE_END) + 1) : party.path;
