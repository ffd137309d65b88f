import type { NewEntry } from '../entry.ts';
import type { Tableau } from '../tableau.ts';
import type { Item } from './note.ts';
import { entriesOf, isNote } from './note.ts';

/** Entries in order, each at its place, kept as items that are made entries of when they are read. */
export class KeptItems {
  #items: Item[] = [];
  /** The place of the first entry of each item. */
  #places: number[] = [];
  #first: number;
  #length: number;
  /** The item that was read last. */
  #read: { readonly item: Item; readonly entries: readonly NewEntry[] } | undefined;

  constructor(first: number) {
    this.#first = first;
    this.#length = first;
  }

  /** The place of the first entry that is there. */
  get first(): number {
    return this.#first;
  }

  /** The place after the last one. */
  get length(): number {
    return this.#length;
  }

  /** Adds an item; gives the place of its first entry. */
  push(item: Item): number {
    const place = this.#length;
    this.#items.push(item);
    this.#places.push(place);
    this.#length += isNote(item) ? item.count : 1;
    return place;
  }

  entryAt(place: number): NewEntry | undefined {
    const index = this.#indexOf(place);
    const item = this.#items[index];
    return item && this.#entriesOf(item)[place - (this.#places[index] ?? 0)];
  }

  /** The items from a place on, each with its own place; of one that begins before it the entries. */
  *from(place: number): Generator<readonly [item: Item, place: number]> {
    let index = this.#indexOf(place);
    const item = this.#items[index];
    if (item === undefined) return;
    const begun = place - (this.#places[index] ?? 0);
    if (begun > 0) {
      let next = place;
      for (const entry of this.#entriesOf(item).slice(begun)) yield [entry, next++];
      index += 1;
    }
    for (; index < this.#items.length; index += 1) {
      const each = this.#items[index];
      if (each !== undefined) yield [each, this.#places[index] ?? 0];
    }
  }

  /** Takes a tableau, which is at the first entry, on to a place. */
  fold(end: number, tableau: Tableau): void {
    for (let index = 0; index < this.#items.length; index += 1) {
      const item = this.#items[index];
      const place = this.#places[index] ?? 0;
      if (item === undefined || place >= end) return;
      if (isNote(item) && place + item.count <= end) item.fold(tableau, place);
      else
        for (const [nth, entry] of entriesOf(item)
          .slice(0, end - place)
          .entries())
          tableau.take(entry, place + nth);
    }
  }

  /** Drops the entries before a place. */
  dropTo(end: number): void {
    let dropped = 0;
    while (dropped < this.#places.length && (this.#places[dropped + 1] ?? this.#length) <= end) dropped += 1;
    const cut = this.#items[dropped];
    const begun = end - (this.#places[dropped] ?? end);
    const rest = cut === undefined || begun === 0 ? [] : entriesOf(cut).slice(begun);
    if (begun > 0) dropped += 1;
    this.#items = [...rest, ...this.#items.slice(dropped)];
    this.#places = [...rest.map((_, nth) => end + nth), ...this.#places.slice(dropped)];
    this.#first = end;
    this.#read = undefined;
  }

  #entriesOf(item: Item): readonly NewEntry[] {
    if (this.#read?.item !== item) this.#read = { item, entries: entriesOf(item) };
    return this.#read.entries;
  }

  /** The index of the item that has a place; -1 where none has. */
  #indexOf(place: number): number {
    if (place < this.#first || place >= this.#length) return -1;
    let [low, high] = [0, this.#places.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#places[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
