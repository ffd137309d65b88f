import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { NewEntry } from './entry.ts';
import type { TableauData } from './tableau.ts';

/** The most that is shown of one value, in characters of JSON. */
export const LONGEST = 1024 * 1024;
const LONGEST_TEXT = 4_096;
const MOST_ITEMS = 200;

/** Machines hold plain JSON; an app's own actors need not. */
export const asJson = (value: unknown): string => {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(toJson(value));
  }
};

/** An entry at its place as it is shown, as JSON. */
export const entryLine = (entry: NewEntry, n: number): string => `{"n":${n},${entryText(entry).slice(1)}`;

/** An entry as it is shown, as JSON. */
export const entryText = (entry: NewEntry): string => {
  const text = asJson(entry);
  // What is short as a whole has nothing in it that is too long: that need not be looked for.
  return text.length <= LONGEST ? text : asJson(fitEntry(entry));
};

/** An entry as it is shown: of values that are too long for a viewer, the head. */
const fitEntry = (entry: NewEntry): NewEntry => {
  if (entry.kind === 'moved' && entry.patch !== undefined) {
    const patch = fittedValues(entry.patch);
    return patch === entry.patch ? entry : { ...entry, patch };
  }
  if (entry.kind === 'published' || entry.kind === 'received') {
    const shown: unknown = fittedValue(entry.event);
    if (shown === entry.event) return entry;
    const event = typeof shown === 'string' ? { type: entry.event.type, cut: shown } : shown;
    // It is still an event of that type, with less in it.
    return { ...entry, event } as NewEntry;
  }
  if (entry.kind !== 'gone' || entry.output === undefined) return entry;
  return { ...entry, output: fittedValue(entry.output) };
};

/** A tableau as it is shown: what the entries that led to it show. */
export const fittedTableau = (tableau: TableauData): TableauData => ({
  ...tableau,
  actors: tableau.actors.map((actor) => ({
    ...actor,
    context: fittedValues(actor.context),
    ...(actor.output === undefined ? {} : { output: fittedValue(actor.output) }),
  })),
});

const fittedValues = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  let fit: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(values)) {
    const shown = fittedValue(value);
    if (shown !== value) (fit ??= { ...values })[key] = shown;
  }
  return fit ?? values;
};

/** The very value, unless it is too long. */
const fittedValue = <Value>(value: Value): Value => {
  if (!isLong(value, LONGEST)) return value;
  const text = asJson(value);
  if (text === undefined || text.length <= LONGEST) return value;
  const cut: unknown = JSON.parse(text, (_key, part: Json) => cutPart(part));
  // It is the same but for what is left out, unless there is too much of it even so.
  return (
    asJson(cut).length <= LONGEST ? cut : `${text.slice(0, LONGEST_TEXT)}${omissionMark(text.length)}`
  ) as Value;
};

const cutPart = (part: Json): Json => {
  if (typeof part === 'string' && part.length > LONGEST_TEXT)
    return `${part.slice(0, LONGEST_TEXT)}${omissionMark(part.length)}`;
  if (Array.isArray(part) && part.length > MOST_ITEMS)
    return [...part.slice(0, MOST_ITEMS), `… (${part.length - MOST_ITEMS} more)`];
  return part;
};

const omissionMark = (length: number): string => ` … (${length - LONGEST_TEXT} characters more)`;

/** Checks whether a value may be longer than that as JSON: looks at no more of it than it has to. */
const isLong = (value: unknown, most: number): boolean => {
  let left = most;
  const within = (part: unknown): boolean => {
    if (typeof part === 'string') left -= part.length * 6 + 3;
    else if (typeof part !== 'object' || part === null) left -= 26;
    else
      for (const [key, below] of Object.entries(part)) {
        left -= key.length * 6 + 4;
        if (!within(below)) return false;
      }
    return left > 0;
  };
  return !within(value);
};
