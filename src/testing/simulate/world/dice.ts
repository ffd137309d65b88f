import { hashOf } from '../../../base/hash.ts';

/** Draws by chance that follow from a text: the same text, the same draws. */
export class Dice {
  readonly #text: string;
  #count = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** A number from 0 to below 1. */
  next(): number {
    this.#count += 1;
    return hashOf(`${this.#text} ${this.#count}`);
  }

  /** True in that share of draws. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** A whole number from 0 to below `count`. */
  whole(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.whole(items.length)] ?? items[0];
  }
}
