import type { Json, JsonSchema } from '../../base/json/json.ts';
import { stem } from '../../base/text/stem.ts';
import { plainText } from './offline-canonical.ts';
import type { Material } from './offline-material.ts';
import { isOfOtherUnit, unitsOf } from './offline-measures.ts';
import { contentWords, numbersIn, stemSet } from './offline-text.ts';
import { keyWords } from './offline-values.ts';

const numberOf = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

/**
 * Picks a number of the text within the schema's bounds and not of another unit: the one nearest to the property's
 * name, else the next unused one.
 */
export const fillNumber = (
  schema: JsonSchema,
  key: string,
  material: Material,
  isRequired: boolean,
): number | undefined => {
  const { pool, found } = material;
  const most = Math.min(
    numberOf(schema['maximum'], Infinity),
    numberOf(schema['exclusiveMaximum'], Infinity),
  );
  const least = Math.max(
    numberOf(schema['minimum'], -Infinity),
    numberOf(schema['exclusiveMinimum'], -Infinity),
  );
  if (
    found !== undefined &&
    material.purpose === 'answer' &&
    /confiden|certain|probab|coverage|score/i.test(key)
  ) {
    const share = Math.round(found.coverage * 100) / 100;
    const scaled = most > 1 && most !== Infinity ? Math.round(share * most) : share;
    return Math.min(Math.max(scaled, least), most);
  }
  const step = schema['type'] === 'integer' ? 1 : numberOf(schema['multipleOf'], 0);
  const text =
    found === undefined || material.purpose === 'call'
      ? pool.text
      : `${found.text.replace(/\[[^[\]]*\]/g, '')}`;
  const fits = (value: number): boolean =>
    value <= most &&
    value >= least &&
    value !== schema['exclusiveMaximum'] &&
    value !== schema['exclusiveMinimum'] &&
    (step === 0 || Number.isInteger(value / step));
  const units = unitsOf(key, plainText(schema['description'] ?? ''));
  const free = numbersIn(text).filter(
    (number) => fits(number.value) && !pool.used.has(`#${number.at}`) && !isOfOtherUnit(text, number, units),
  );
  const names = new Set(
    [...keyWords(key), ...contentWords(plainText(schema['description'] ?? ''))].map((word) => stem(word)),
  );
  const near = free
    .map((number) => ({ number, away: distance(text, number, names) }))
    .filter(({ away }) => away < NEAR)
    .sort((a, b) => a.away - b.away)[0]?.number;
  const chosen = near ?? (isRequired ? free[0] : undefined);
  if (chosen === undefined) return undefined;
  pool.used.add(`#${chosen.at}`);
  return chosen.value;
};

/** Maximum distance between a number and a related word. */
const NEAR = 24;
/** Length of text examined on either side: a nearby word may have 40 letters. */
const AROUND = NEAR + 40;

/** Returns the distance between a number and the nearest of the given words. */
const distance = (
  text: string,
  { at, end }: { at: number; end: number },
  names: ReadonlySet<string>,
): number => {
  let nearest = Infinity;
  const from = Math.max(0, at - AROUND);
  for (const match of text.slice(from, end + AROUND).matchAll(/[\p{L}°%]+/gu)) {
    if (!names.has(stem(match[0].toLowerCase()))) continue;
    const start = from + match.index;
    const away = start >= end ? start - end : at - (start + match[0].length);
    if (away >= 0) nearest = Math.min(nearest, away);
  }
  return nearest;
};

const NEGATION =
  /\b(?:no|not|never|without|don['’]?t|doesn['’]?t|disable|disabled|off|false|exclude|skip)\b/i;

/** Decides a boolean by what the text says of the property; for an answer also by whether anything was found. */
export const fillBoolean = (
  schema: JsonSchema,
  key: string,
  material: Material,
  isRequired: boolean,
): boolean | undefined => {
  const { text } = material.pool;
  const names = keyWords(key)
    .map((word) => stem(word))
    .filter((word) => !['is', 'has', 'should', 'with', 'be'].includes(word));
  const clause = text
    .split(/[,.;!?\n]|\b(?:but|and)\b/i)
    .find((each) => names.length > 0 && names.every((name) => stemSet(each).has(name)));
  if (material.found !== undefined && material.purpose === 'answer' && clause === undefined)
    return material.found.coverage > 0;
  if (clause !== undefined) return !NEGATION.test(clause);
  return isRequired && !('default' in schema) ? false : undefined;
};
