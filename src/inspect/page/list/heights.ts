/**
 * The heights of the rows of a list, of which most are a guess until they are shown.
 *
 * Sums are kept in a Fenwick tree of what rows differ from the guess: a change, and a search, cost the logarithm of the number of
 * rows that were shown.
 */
export class Heights {
  readonly #guess: number;
  readonly #known: number[] = [];
  /** At `i - 1` the differences of the rows from `i - (i & -i)` to `i - 1`. */
  #sums: number[] = [];

  constructor(guess: number) {
    this.#guess = guess;
  }

  /** Notes the height of a row; returns by how much it differs from the one before. */
  set(index: number, height: number): number {
    this.#cover(index + 1);
    const change = height - (this.#known[index] ?? this.#guess);
    this.#known[index] = height;
    if (change !== 0)
      for (let at = index + 1; at <= this.#sums.length; at += at & -at)
        this.#sums[at - 1] = this.#sumAt(at) + change;
    return change;
  }

  /** The distance from the top of the list to the top of a row. */
  top(index: number): number {
    let top = index * this.#guess;
    for (let at = Math.min(index, this.#sums.length); at > 0; at -= at & -at) top += this.#sumAt(at);
    return top;
  }

  /** The row at a distance from the top, out of `count` rows. */
  rowAt(distance: number, count: number): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.top(middle + 1) <= distance) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sumAt(at: number): number {
    return this.#sums[at - 1] ?? 0;
  }

  /** Extends the tree, which doubles, so that this is rare. */
  #cover(count: number): void {
    if (count <= this.#sums.length) return;
    const length = Math.max(64, 2 ** Math.ceil(Math.log2(count)));
    const sums = Array.from({ length }, (_, index) => (this.#known[index] ?? this.#guess) - this.#guess);
    for (let at = 1; at <= length; at += 1) {
      const above = at + (at & -at);
      if (above <= length) sums[above - 1] = (sums[above - 1] ?? 0) + (sums[at - 1] ?? 0);
    }
    this.#sums = sums;
  }
}
