import type { Redactor } from '../../../contracts/secrets/redactor.ts';
import { entryText, LONGEST } from '../fitted.ts';
import type { Item } from '../notes/note.ts';
import { entriesOf, isNote } from '../notes/note.ts';
import { Packer } from './packer.ts';
import type { PackText } from './recent-packs.ts';

/** Characters of a pack, after which no further item is added to it. */
const ENOUGH = 64 * 1024;

/** Items whose rows are written at once. */
const AT_ONCE = 32;

type Placed = readonly [item: Item, place: number];

/** Writes the first of some items as one pack; undefined for none. */
export const packItems = (items: Iterable<Placed>, redactor: Redactor): PackText | undefined => {
  const packer = new Packer(redactor);
  const parts: string[] = [];
  let [from, next, length] = [-1, 0, 0];
  for (const group of groupsOf(items)) {
    const text = rowsText(group, packer, redactor);
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) break;
    if (text === undefined) {
      // Its rows may refer to some that cannot be written: it begins a pack of its own, of one item.
      if (from >= 0) break;
      return packOne(first, redactor);
    }
    if (from < 0) [, from] = first;
    parts.push(text);
    next = endOf(last);
    length += text.length;
    if (length >= ENOUGH) break;
  }
  return from < 0 ? undefined : { text: packText(from, parts), from, next };
};

function* groupsOf(items: Iterable<Placed>): Generator<readonly Placed[]> {
  let group: Placed[] = [];
  for (const each of items) {
    group.push(each);
    if (group.length < AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** The rows of some items; undefined if one may be too long for a viewer in one of its entries, or is no JSON. */
const rowsText = (group: readonly Placed[], packer: Packer, redactor: Redactor): string | undefined => {
  try {
    const rows = group.map(([item]) => (isNote(item) ? item.row(packer) : [0, redactor.value(item)]));
    const text = JSON.stringify(rows).slice(1, -1);
    return text.length > LONGEST - 2 * ENOUGH ? undefined : text;
  } catch {
    return undefined;
  }
};

/** A pack of one item alone, by its entries as they are shown. */
const packOne = (placed: Placed, redactor: Redactor): PackText => {
  const [item, from] = placed;
  const rows = entriesOf(item).map((entry) => `[0,${entryText(redactor.value(entry))}]`);
  return { text: packText(from, rows), from, next: endOf(placed) };
};

const packText = (from: number, parts: readonly string[]): string =>
  `{"n":${from},"rows":[${parts.join(',')}]}`;

const endOf = ([item, place]: Placed): number => place + (isNote(item) ? item.count : 1);
