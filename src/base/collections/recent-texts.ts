/** Characters that are kept at most. */
const MOST = 512 * 1024;

/** Texts that were made last, of places one after the other: all who read at about the same place share them. */
export class RecentTexts {
  #first = 0;
  #texts: string[] = [];
  #length = 0;

  /** The text of a place, which is made where it is not among them. */
  at(place: number, make: () => string): string {
    const known = this.#texts[place - this.#first];
    if (known !== undefined) return known;
    const text = make();
    const end = this.#first + this.#texts.length;
    // A reader that comes later makes its own until it is where the others are.
    if (place < end) return text;
    if (place > end) this.clear(place);
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length > MOST) this.#dropHalf();
    return text;
  }

  /** Drops all of them; the next may be that of `place`. */
  clear(place = 0): void {
    this.#first = place;
    this.#texts = [];
    this.#length = 0;
  }

  #dropHalf(): void {
    const dropped = this.#texts.splice(0, Math.ceil(this.#texts.length / 2));
    this.#first += dropped.length;
    for (const { length } of dropped) this.#length -= length;
  }
}
