import type { Wait } from '../../machines/messages/wait-graph.ts';
import type { Actor } from '../actors/actor.ts';
import type { Party, PlacedParty } from '../actors/waits.ts';

/**
 * The wait for an answer from, or for room in the mailbox of, the agent at an address or its successor.
 *
 * An agent reads between its steps: to read a message it needs all its calls to be done. A message that it has read may be answered by any
 * call that it is making or about to make, so the wait is a deadlock only when the last of them is stuck.
 */
export class AddressWait implements PlacedParty {
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
