import type { Message } from '../../contracts/messages/message.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import { SmallSet } from '../../base/collections/small-set.ts';

/**
 * Limits the conversations in a run: counts exchanges per sender, receiver and task, and knows the messages sent.
 *
 * Two agents that keep answering each other are stopped, as models stay polite for ever.
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

  /** Registers a recorded message. */
  note({ id, sender, task }: Message, to: string): void {
    if (id !== undefined && this.#sent.has(id)) return;
    if (id !== undefined) this.#sent.add(id);
    if (sender === undefined || task === undefined) return;
    const pair = pairOf(sender, to, task);
    this.#exchanges.set(pair, (this.#exchanges.get(pair) ?? 0) + 1);
  }

  /** Checks whether repeated work has sent a message already. */
  wasSent(id: string): boolean {
    return this.#sent.has(id);
  }

  /** The limit that a message exceeds; undefined if none. */
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

/** The violated limit, as a code and a sentence. */
export interface Problem {
  readonly reason: 'hops' | 'ping-pong';
  readonly why: string;
}

const pairOf = (from: string, to: string, task: string): string => JSON.stringify([from, to, task]);
