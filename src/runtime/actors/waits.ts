import { callInKey, isCallKey, pathInCallKey } from '../../actors/acting/call-key.ts';
import type { TroupeError } from '../../contracts/errors/error.ts';
import { deadlockError } from '../../machines/messages/deadlock-error.ts';
import type { Wait, WaitArrow } from '../../machines/messages/wait-graph.ts';
import { WaitGraph } from '../../machines/messages/wait-graph.ts';

/** A party that may wait: an actor, a question to an actor, or, by its name, a call or a lock owner. */
export type Party = PlacedParty | string;

/** A party with an address that knows what it waits for. */
export interface PlacedParty {
  readonly path: string;
  /** The parties that it waits for now. */
  readonly awaits: readonly Wait<Party>[];
}

/**
 * The wait graph of this process, across runs, as a cycle may lead from a question through a lock into another run. Parties that wait for
 * nothing are not stored, and waits that follow from the tree of actors are read from it on demand.
 */
export const waits = new WaitGraph<Party>((party) => (typeof party === 'string' ? NONE : party.awaits));

const NONE: readonly never[] = [];

/** The party of a lock owner: a call by its key, whatever its locks; any other name is local to `scope`. */
export const ownerParty = (scope: string, owner: string): Party =>
  isCallKey(owner) ? callInKey(owner) : `${scope}${SCOPE_END}${owner}`;

const SCOPE_END = '\u0000';

/** The error for the party that would have closed a cycle. */
export const refusalOf = (circle: readonly WaitArrow<Party>[]): TroupeError =>
  deadlockError(circle, { nameOf, distinctNameOf });

const nameOf = (party: Party): string => {
  if (typeof party !== 'string') return party.path;
  return isCallKey(party) ? pathInCallKey(party) : distinctNameOf(party);
};

/** A name for parties of a cycle that share an address, as in two runs, or as two calls of one agent. */
const distinctNameOf = (party: Party): string =>
  typeof party === 'string' ? party.slice(party.indexOf(SCOPE_END) + 1) : party.path;
