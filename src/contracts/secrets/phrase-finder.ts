/** A place in a text: from `start` up to, without, `end`. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A match of a {@link PhraseFinder}: the number of the phrase, and its place. */
export interface FoundPhrase extends Place {
  readonly phrase: number;
}

/** Characters that are looked at together. */
const BLOCK = 3;
/** Maximum width of the window that moves along the text. */
const WIDEST = 32;
const SIZE = 4_096;

/**
 * Finds any of many phrases in a text, ignoring case, in one pass that skips most of it.
 *
 * A table gives the shift of the window by the three characters at its end (Wu–Manber), so that a text without matches
 * costs about as much with a hundred phrases as with one. Takes time proportional to the text.
 */
export class PhraseFinder {
  readonly #phrases: string[] = [];
  /** Minimum length of the phrases. */
  #width = WIDEST;
  readonly #shifts = new Uint8Array(SIZE).fill(WIDEST - BLOCK + 1);
  /** By the block at the end of the window, the phrases that may match there, longest first. */
  readonly #candidates = new Map<number, number[]>();

  /** Phrases of fewer than three characters are never found. */
  constructor(phrases: readonly string[]) {
    this.add(phrases);
  }

  /** Adds phrases, numbered on from the last. Takes time for these alone, unless one is the shortest of all. */
  add(phrases: readonly string[]): void {
    const first = this.#phrases.length;
    this.#phrases.push(...phrases.map(inLowerCase));
    const isLong = (index: number): boolean => this.#lengthOf(index) >= BLOCK;
    const long = phrases.map((_, index) => first + index).filter(isLong);
    const width = Math.min(this.#width, ...long.map((index) => this.#lengthOf(index)));
    if (width < this.#width) {
      this.#width = width;
      this.#shifts.fill(width - BLOCK + 1);
      this.#candidates.clear();
      for (const index of this.#phrases.keys()) if (isLong(index)) this.#enter(index);
    } else for (const index of long) this.#enter(index);
  }

  /**
   * Returns every match, from left to right; of those that start at one position, the longest, and none within another.
   */
  find(text: string): readonly FoundPhrase[] {
    const found: FoundPhrase[] = [];
    for (let from = 0; ;) {
      const next = this.#next(text, from);
      if (next === undefined) return found;
      found.push(next);
      from = next.end;
    }
  }

  #next(text: string, from: number): FoundPhrase | undefined {
    const width = this.#width;
    const shifts = this.#shifts;
    const { length } = text;
    let end = from + width - 1;
    while (end < length) {
      const block = blockOf(text.charCodeAt(end - 2), text.charCodeAt(end - 1), text.charCodeAt(end));
      const shift = shifts[block] ?? 1;
      if (shift === 0) {
        const found = this.#at(text, end - width + 1, block);
        if (found !== undefined) return found;
        end += 1;
      } else end += shift;
    }
    return undefined;
  }

  #at(text: string, start: number, block: number): FoundPhrase | undefined {
    for (const phrase of this.#candidates.get(block) ?? []) {
      const wanted = this.#phrases[phrase] ?? '';
      const end = start + wanted.length;
      if (end <= text.length && isSame(text, start, wanted)) return { phrase, start, end };
    }
    return undefined;
  }

  #enter(index: number): void {
    const phrase = this.#phrases[index] ?? '';
    for (let end = BLOCK - 1; end < this.#width; end += 1) {
      const block = blockOf(phrase.charCodeAt(end - 2), phrase.charCodeAt(end - 1), phrase.charCodeAt(end));
      const shift = this.#width - 1 - end;
      if (shift < (this.#shifts[block] ?? 0)) this.#shifts[block] = shift;
      if (shift === 0) this.#offer(block, index);
    }
  }

  /** Of those of one length the first comes first. */
  #offer(block: number, index: number): void {
    const candidates = this.#candidates.get(block) ?? [];
    this.#candidates.set(block, candidates);
    const length = this.#lengthOf(index);
    const place = candidates.findIndex((other) => this.#lengthOf(other) < length);
    candidates.splice(place === -1 ? candidates.length : place, 0, index);
  }

  #lengthOf(index: number): number {
    return this.#phrases[index]?.length ?? 0;
  }
}

/** Checks whether `wanted`, in lower case, occurs in the text at `start`. */
const isSame = (text: string, start: number, wanted: string): boolean => {
  for (let index = 0; index < wanted.length; index += 1) {
    const found = text.charCodeAt(start + index);
    const isCapital = found >= CAPITAL_A && found <= CAPITAL_Z;
    if ((isCapital ? found | 32 : found) !== wanted.charCodeAt(index)) return false;
  }
  return true;
};

const CAPITAL_A = 65;
const CAPITAL_Z = 90;

/** Three characters as a number, the same for small and capital letters. */
const blockOf = (first: number, second: number, third: number): number =>
  (((((first | 32) * 33) ^ (second | 32)) * 33) ^ (third | 32)) & (SIZE - 1);

/** Without the letters whose small form is of another length. */
export const inLowerCase = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
