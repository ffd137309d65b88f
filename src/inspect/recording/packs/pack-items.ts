import type { Redactor } from '../../../contracts/secrets/redactor.ts';
import type { NewEntry } from '../entry.ts';
import { entryText, LONGEST } from '../fitted.ts';
import type { Item } from '../notes/note.ts';
import { entriesOf, isNote } from '../notes/note.ts';
import { Packer } from './packer.ts';
import type { PackText } from './recent-packs.ts';

/** Characters of a pack, after which no further item is added to it. */
const ENOUGH = 64 * 1024;

/** Writes the first of some items as one pack; undefined for none. */
export const packItems = (
  items: Iterable<readonly [item: Item, place: number]>,
  redactor: Redactor,
): PackText | undefined => {
  const packer = new Packer(redactor);
  const rows: string[] = [];
  let [from, next, length] = [-1, 0, 0];
  for (const [item, place] of items) {
    const row = isNote(item) ? rowText(() => item.row(packer)) : entryRow(item, redactor);
    if (from < 0) from = place;
    // It may refer to what did not fit: a pack begins with what does not go into a row.
    else if (row === undefined) break;
    rows.push(
      row ??
        entriesOf(item)
          .map((entry) => entryRow(entry, redactor))
          .join(','),
    );
    next = place + (isNote(item) ? item.count : 1);
    if (row === undefined) break;
    length += row.length;
    if (length >= ENOUGH) break;
  }
  return from < 0 ? undefined : { text: `{"n":${from},"rows":[${rows.join(',')}]}`, from, next };
};

/** The text of a row; undefined if it may be too long for a viewer in one of its entries, or is no JSON. */
const rowText = (row: () => unknown): string | undefined => {
  try {
    const text = JSON.stringify(row());
    return text.length > LONGEST - 2 * ENOUGH ? undefined : text;
  } catch {
    return undefined;
  }
};

/** An entry as it is shown. */
const entryRow = (entry: NewEntry, redactor: Redactor): string => `[0,${entryText(redactor.value(entry))}]`;
