import type { NewEntry } from '../entry.ts';
import type { Tableau } from '../tableau.ts';
import type { Packer } from '../packs/packer.ts';
import type { PackRow } from '../packs/pack.ts';

/** Several entries in a row, as references to what they are made of. They are made when they are read, or by who is sent the note. */
export interface Note {
  /** The number of its entries. */
  readonly count: number;
  /** Makes its entries: each time the same. */
  entries(): readonly NewEntry[];
  /** Takes a tableau, which is at its first entry, on to its end. */
  fold(tableau: Tableau, place: number): void;
  /** Its row in a pack. */
  row(packer: Packer): PackRow;
}

/** An item of a recording: an entry, or a note of several. */
export type Item = NewEntry | Note;

export const isNote = (item: Item): item is Note => 'count' in item;

/** The entries of an item. */
export const entriesOf = (item: Item): readonly NewEntry[] => (isNote(item) ? item.entries() : [item]);
