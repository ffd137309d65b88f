import { isJsonObject } from '../../../base/json/json.ts';
import type { Json } from '../../../base/json/json.ts';

/** Returns what stands in a list for the items that were left out of it. */
export type Gap = (count: number) => Json;

/** No text is cut to fewer characters. */
const SHORTEST = 24;
/** With less room than this, a cut is marked by an ellipsis alone. */
const ROOM_FOR_COUNT = 80;
/** Objects keep at least this many fields, so that messages and their parts keep all of theirs. */
const FEWEST_FIELDS = 12;
/** The longest text that counts as a name. */
const LONGEST_NAME = 128;

/** Fields by which readers recognize a message or a part: their texts are names, and stay whole. */
const names: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'name',
  'finish_reason',
  'modality',
  'mime_type',
  'file_id',
]);

/**
 * Writes a value as JSON of at most `longest` characters, which a reader can parse.
 *
 * The longest texts are shortened first, all to the same length, and marked. Where that is not enough, lists keep their first item
 * and their last ones, with a gap between.
 *
 * @example
 * fitJson({ text: 'x'.repeat(1_000) }, 100) // => '{"text":"xxxxxx… [944 more characters]"}'
 */
export const fitJson = (value: Json, longest: number, gap: Gap = itemsLeftOut): string => {
  const whole = JSON.stringify(value);
  if (whole.length <= longest) return whole;
  const kept = fewEnough(value, longest, gap);
  return kept === undefined
    ? leastOf(value, whole.length, longest, gap)
    : JSON.stringify(shortenTexts(kept, widthFor(kept, longest)));
};

/** Cuts a text to at most `longest` characters; one that is JSON remains JSON. */
export const fitText = (text: string, longest: number): string => {
  if (text.length <= longest) return text;
  const value = structureIn(text);
  return value === undefined ? cut(text, longest, (piece) => piece.length) : fitJson(value, longest);
};

const itemsLeftOut: Gap = (count) => `… [${count} more items]`;

/** The object or list that a text is the JSON of. */
const structureIn = (text: string): Json | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
};

/** Returns the value with as many items of its lists as fit if texts are cut to the shortest. */
const fewEnough = (value: Json, longest: number, gap: Gap): Json | undefined => {
  const short = shortenTexts(value, SHORTEST);
  const size = JSON.stringify(short).length;
  if (size <= longest) return value;
  const fits = (most: number): boolean => JSON.stringify(thinOut(short, most, gap)).length <= longest;
  const all = mostItems(value);
  // More than their share of the length do not fit, if items are of one size.
  let [fit, tooMany] = [0, Math.min(all, Math.ceil((all * longest) / size)) + 1];
  while (tooMany - fit > 1) {
    const most = Math.floor((fit + tooMany) / 2);
    if (fits(most)) fit = most;
    else tooMany = most;
  }
  return fit === 0 ? undefined : thinOut(value, fit, gap);
};

const mostItems = (value: Json): number => {
  if (typeof value !== 'object' || value === null) return 1;
  const items: readonly (Json | undefined)[] = Object.values(value);
  return items.reduce<number>((most, item) => Math.max(most, mostItems(item ?? null)), items.length);
};

const thinOut = (value: Json, most: number, gap: Gap): Json => {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    const within = (some: readonly Json[]): readonly Json[] =>
      some.map((item) => thinOut(item, most, itemsLeftOut));
    if (items.length <= most) return within(items);
    const first = within(items.slice(0, most > 1 ? 1 : 0));
    return [...first, gap(items.length - most), ...within(items.slice(items.length - most + first.length))];
  }
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value);
  const kept = fields
    .slice(0, Math.max(most, FEWEST_FIELDS))
    .map(([name, item]) => [name, item === undefined ? item : thinOut(item, most, itemsLeftOut)] as const);
  const lost = fields.length - kept.length;
  return Object.fromEntries(lost === 0 ? kept : [...kept, ['…', `[${lost} more fields]`]]);
};

/** Nothing of the value fits: its number of items, or its length. */
const leastOf = (value: Json, length: number, longest: number, gap: Gap): string => {
  const items = Array.isArray(value) ? value.length : undefined;
  const told = JSON.stringify(items === undefined ? `… [${length} characters of JSON]` : [gap(items)]);
  if (told.length <= longest) return told;
  return items === undefined ? '""' : '[]';
};

/** Returns the width to which texts have to be cut for the JSON to fit: the widest that will do. */
const widthFor = (value: Json, longest: number): number => {
  const over = JSON.stringify(value).length - longest;
  if (over <= 0) return Infinity;
  const widths = textsIn(value)
    .map(widthOf)
    .toSorted((a, b) => b - a);
  let sum = 0;
  for (const [index, width] of widths.entries()) {
    sum += width;
    const cap = Math.floor((sum - over) / (index + 1));
    if (cap >= (widths[index + 1] ?? SHORTEST)) return cap;
  }
  return SHORTEST;
};

/** The texts that may be cut. */
const textsIn = (value: Json, field = ''): readonly string[] => {
  if (typeof value === 'string') return isCuttable(value, field) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item: Json) => textsIn(item));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => (item === undefined ? [] : textsIn(item, name)));
};

const shortenTexts = (value: Json, width: number, field = ''): Json => {
  if (typeof value === 'string') return isCuttable(value, field) ? cut(value, width, widthOf) : value;
  if (Array.isArray(value)) return value.map((item: Json) => shortenTexts(item, width));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      item === undefined ? item : shortenTexts(item, width, name),
    ]),
  );
};

const isCuttable = (text: string, field: string): boolean =>
  text.length > SHORTEST && !(names.has(field) && text.length <= LONGEST_NAME);

/** Characters that a text takes in JSON, without its quotes. */
const widthOf = (text: string): number => JSON.stringify(text).length - 2;

/** Cuts a text to a width, and says how much is missing where there is room for that. */
const cut = (text: string, width: number, measure: (piece: string) => number): string => {
  if (text.length <= width && measure(text) <= width) return text;
  const markOf = (missing: number): string =>
    width < ROOM_FOR_COUNT ? '…' : `… [${missing} more characters]`;
  const room = Math.max(0, width - markOf(text.length).length);
  let end = Math.min(text.length, room);
  for (let wide = measure(text.slice(0, end)); wide > room; wide = measure(text.slice(0, end)))
    end = Math.min(end - 1, Math.floor((end * room) / wide));
  // Half of a pair is no character.
  if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
  return `${text.slice(0, end)}${markOf(text.length - end)}`;
};
