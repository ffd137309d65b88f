import type { Message } from '../../contracts/message.ts';
import { SmallMap } from '../../contracts/small-map.ts';
import { SmallSet } from '../../contracts/small-set.ts';

/**
 * How far talk has gone in a run: who said how much to whom about what, and what was sent already.
 *
 * What two say to each other about one thing comes to an end, whatever they think of it: models are polite for ever.
 */
export class Talk {
  readonly #maxHops: number;
  readonly #maxExchanges: number;
  /** By sender, receiver and task. */
  readonly #exchanges = new SmallMap<string, number>();
  readonly #sent = new SmallSet<string>();

  constructor({ maxHops, maxExchanges }: { readonly maxHops: number; readonly maxExchanges: number }) {
    this.#maxHops = maxHops;
    this.#maxExchanges = maxExchanges;
  }

  /** Takes down a message that is on record. */
  note({ id, sender, task }: Message, to: string): void {
    if (id !== undefined && this.#sent.has(id)) return;
    if (id !== undefined) this.#sent.add(id);
    if (sender === undefined || task === undefined) return;
    const pair = pairOf(sender, to, task);
    this.#exchanges.set(pair, (this.#exchanges.get(pair) ?? 0) + 1);
  }

  /** Checks whether the work that sends it sent it before: it is done again, and says nothing twice. */
  wasSent(id: string): boolean {
    return this.#sent.has(id);
  }

  /** Why a message goes too far; undefined if it does not. */
  problem({ hops = 0, sender, task }: Message, to: string): Problem | undefined {
    if (hops >= this.#maxHops)
      return {
        reason: 'hops',
        why: `it would be number ${hops + 1} of a row, each in the wake of the one before: ${this.#maxHops} are allowed (maxHops)`,
      };
    const said =
      sender === undefined || task === undefined ? 0 : (this.#exchanges.get(pairOf(sender, to, task)) ?? 0);
    if (said < this.#maxExchanges) return undefined;
    return {
      reason: 'ping-pong',
      why: `'${sender}' has said ${said} messages to '${to}' about the same thing: ${this.#maxExchanges} are allowed (maxExchanges)`,
    };
  }
}

/** What is wrong with a message, in a word and in a sentence. */
export interface Problem {
  readonly reason: 'hops' | 'ping-pong';
  readonly why: string;
}

const pairOf = (from: string, to: string, task: string): string => JSON.stringify([from, to, task]);
