import { inLowerCase } from './phrase-finder.ts';

const ROOT = 0;
const CHARACTERS = 65_536;

/**
 * Finds the longest phrase prefix at the end of a text, ignoring case, in time that depends on the longest phrase only.
 *
 * A tree of all prefixes, each linked to its longest proper suffix in the tree (Aho–Corasick).
 */
export class BeginningFinder {
  /** By a beginning and the character after it, the beginning that is one longer. */
  readonly #next = new Map<number, number>();
  /** By prefix: its length, its longest suffix that is a prefix too, and whether a phrase extends it. */
  readonly #lengths: number[] = [0];
  readonly #shorter: number[] = [ROOT];
  readonly #goesOn: boolean[] = [true];
  readonly #longest: number;

  constructor(phrases: readonly string[]) {
    const small = phrases.map(inLowerCase);
    this.#longest = small.reduce((longest, { length }) => Math.max(longest, length), 0);
    let nodes = small.map((phrase) => ({ phrase, node: ROOT }));
    for (let index = 0; nodes.length > 0; index += 1)
      nodes = nodes.flatMap(({ phrase, node }) =>
        index < phrase.length ? [{ phrase, node: this.#enter(node, phrase.charCodeAt(index)) }] : [],
      );
  }

  /**
   * Returns the position from which the end of the text could be an incomplete phrase; the text's length if there is
   * none.
   */
  find(text: string): number {
    if (this.#longest < 2) return text.length;
    const tail = inLowerCase(text.slice(1 - this.#longest));
    let node = ROOT;
    for (let index = 0; index < tail.length; index += 1) node = this.#after(node, tail.charCodeAt(index));
    while (this.#goesOn[node] !== true) node = this.#shorter[node] ?? ROOT;
    return text.length - (this.#lengths[node] ?? 0);
  }

  /** Prefixes are entered from shortest to longest, so shorter ones are already present. */
  #enter(node: number, character: number): number {
    const known = this.#next.get(node * CHARACTERS + character);
    if (known !== undefined) return known;
    const entered = this.#lengths.length;
    this.#lengths.push((this.#lengths[node] ?? 0) + 1);
    this.#shorter.push(node === ROOT ? ROOT : this.#after(this.#shorter[node] ?? ROOT, character));
    this.#goesOn[node] = true;
    this.#goesOn.push(false);
    this.#next.set(node * CHARACTERS + character, entered);
    return entered;
  }

  #after(node: number, character: number): number {
    for (let from = node; ; from = this.#shorter[from] ?? ROOT) {
      const next = this.#next.get(from * CHARACTERS + character);
      if (next !== undefined) return next;
      if (from === ROOT) return ROOT;
    }
  }
}
