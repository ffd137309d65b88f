/** Characters that are kept at most. */
const MOST = 512 * 1024;

/** A pack as text. */
export interface PackText {
  readonly text: string;
  /** The place of its first entry, and that after its last one. */
  readonly from: number;
  readonly next: number;
}

/** The packs that were made last: all who read at the same place share them. */
export class RecentPacks {
  /** By the places of their first entries, in the order in which they were made. */
  readonly #packs = new Map<number, PackText>();
  #length = 0;

  at(place: number): PackText | undefined {
    return this.#packs.get(place);
  }

  add(pack: PackText): void {
    this.#packs.set(pack.from, pack);
    this.#length += pack.text.length;
    for (const [place, { text }] of this.#packs) {
      if (this.#length <= MOST) return;
      this.#packs.delete(place);
      this.#length -= text.length;
    }
  }

  clear(): void {
    this.#packs.clear();
    this.#length = 0;
  }
}
