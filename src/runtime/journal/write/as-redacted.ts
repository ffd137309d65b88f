import type { Json } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';

const MARK = /\[redacted [^\]]*\]/;

/** Checks whether `found` equals `recorded` before redaction: `[redacted NAME]` stands for any text. */
export const isAsRedacted = (recorded: Json, found: Json): boolean => {
  if (typeof recorded === 'string')
    return typeof found === 'string' ? isTextAsRedacted(recorded, found) : isWholeMark(recorded);
  if (Array.isArray(recorded))
    return (
      Array.isArray(found) &&
      found.length === recorded.length &&
      recorded.every((item: Json, index) => isAsRedacted(item, found[index] ?? null))
    );
  if (!isJsonObject(recorded)) return recorded === found;
  if (!isJsonObject(found)) return false;
  const names = Object.keys(recorded);
  const others = Object.keys(found);
  return (
    names.length === others.length &&
    names.every((name, index) => {
      const other = name in found ? name : (others[index] ?? '');
      return isTextAsRedacted(name, other) && isAsRedacted(recorded[name] ?? null, found[other] ?? null);
    })
  );
};

const isWholeMark = (text: string): boolean => MARK.exec(text)?.[0] === text;

/** Checks whether a text contains the parts between the other's marks, in order. */
const isTextAsRedacted = (recorded: string, found: string): boolean => {
  if (recorded === found) return true;
  const pieces = recorded.split(MARK);
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1 || !found.startsWith(first) || !found.endsWith(last)) return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = found.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return from + last.length <= found.length;
};
