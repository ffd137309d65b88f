import { wordsOf } from './offline-text.ts';

/** Units, each with the words for it in a property or after a number, and those valid after a number only. */
const UNITS: readonly (readonly [names: string, marks?: string])[] = [
  ['celsius centigrade', 'c °c'],
  ['fahrenheit', 'f °f'],
  ['kelvin kelvins'],
  ['millisecond milliseconds millis ms'],
  // An ordinal ("second") is not a unit of time.
  ['seconds secs', 'second sec s'],
  ['minute minutes mins', 'min m'],
  ['hour hours hrs', 'hr h'],
  ['day days'],
  ['week weeks'],
  ['month months'],
  ['year years'],
  ['millimetre millimetres millimeter millimeters mm'],
  ['centimetre centimetres centimeter centimeters cm'],
  ['metre metres meter meters', 'm'],
  ['kilometre kilometres kilometer kilometers km kms'],
  ['inch inches'],
  ['foot feet', 'ft'],
  ['yard yards', 'yd'],
  ['mile miles', 'mi'],
  ['gram grams', 'g'],
  ['kilogram kilograms kilo kilos kg kgs'],
  ['pound pounds lb lbs'],
  ['ounce ounces oz'],
  ['litre litres liter liters', 'l'],
  ['gallon gallons'],
  ['byte bytes'],
  ['kilobyte kilobytes kb'],
  ['megabyte megabytes mb'],
  ['gigabyte gigabytes gb'],
  ['percent percentage pct', '%'],
  ['dollar dollars usd', '$'],
  ['euro euros eur', '€'],
  ['pound pounds gbp sterling', '£'],
  ['yen jpy', '¥'],
];

/** Maps words to the units that they may mean: a pound is a weight, and money. */
const byWord = (hasMarks: boolean): ReadonlyMap<string, ReadonlySet<number>> => {
  const known = new Map<string, Set<number>>();
  UNITS.forEach(([names, marks = ''], unit) => {
    for (const word of `${names} ${hasMarks ? marks : ''}`.trim().split(' '))
      known.set(word, (known.get(word) ?? new Set()).add(unit));
  });
  return known;
};

const named = byWord(false);
const written = byWord(true);
const NONE: ReadonlySet<number> = new Set();

/** Returns the units of a property, by its name or its description: `in minutes`, `degrees Celsius`. */
export const unitsOf = (key: string, description: string): ReadonlySet<number> => {
  const said = [...description.matchAll(/\b(?:in|degrees?)\s+(\p{L}+)/giu)].map(([, word = '']) => word);
  return new Set([...wordsOf(key), ...said].flatMap((word) => [...(named.get(word.toLowerCase()) ?? NONE)]));
};

/**
 * Checks whether a number of the text has another unit than those expected: 5 minutes are not 5 seconds, and units are
 * not converted.
 */
export const isOfOtherUnit = (
  text: string,
  { at, end }: { readonly at: number; readonly end: number },
  wanted: ReadonlySet<number>,
): boolean => {
  if (wanted.size === 0) return false;
  const after = /^[\s-]?(?:degrees?\s|deg\.?\s|°)?\s?([\p{L}%$€£¥]+)/iu.exec(text.slice(end, end + 40))?.[1];
  const before = /[$€£¥](?=\s?$)/.exec(text.slice(Math.max(0, at - 2), at))?.[0];
  const found = written.get(before ?? '') ?? written.get(after?.toLowerCase() ?? '');
  return found !== undefined && ![...found].some((unit) => wanted.has(unit));
};
