import type { Wait } from '../../machines/wait-graph.ts';
import type { Actor } from '../actors/actor.ts';
import type { Party, PlacedParty } from '../actors/waits.ts';

/**
 * Whoever somebody wants an answer of, or room in a mailbox: the agent at an address, or who follows it there.
 *
 * An agent reads between its steps: what it has not read needs all its calls to be over. What it has read, any one of them may answer that it
 * still makes, or is about to make: nobody waits in vain before the last of them is stuck.
 */
export class Sought implements PlacedParty {
  readonly path: string;
  readonly #sits: () => Actor | undefined;
  readonly #isRead: () => boolean;

  constructor(path: string, sits: () => Actor | undefined, isRead: () => boolean) {
    this.path = path;
    this.#sits = sits;
    this.#isRead = isRead;
  }

  get awaits(): readonly Wait<Party>[] {
    const actor = this.#sits();
    if (actor === undefined) return NOTHING;
    const calls = this.#isRead() ? actor.calls : NOTHING;
    if (calls.length === 0) return [{ who: this, on: [actor], kind: 'call' }];
    return actor.isAtRest ? [{ who: this, on: calls, kind: 'call', enough: 'one' }] : NOTHING;
  }
}

const NOTHING: readonly never[] = [];
