import { contentText, isPartList } from '../../contracts/content/part.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { looseJson } from '../../models/parsers/loose-json.ts';

/**
 * Parses what a member said as data: a text that is JSON, or has JSON in it (in a fence, amid words, with small mistakes), is that JSON.
 * Anything else stays as it is.
 *
 * An agent with an output schema answers with data already; this is for those without.
 *
 * @example saidJson('Well: {"cost": 3}') // => { cost: 3 }
 */
export const saidJson = (said: Json): Json => {
  if (typeof said !== 'string') return said;
  try {
    return toJson(JSON.parse(said));
  } catch {
    const found = looseJson(said);
    return found === undefined ? said : toJson(found.value);
  }
};

/** Data as a text that a model reads: a text as it is, parts by the text that stands for them, anything else as JSON. */
export const textOf = (value: Json): string => {
  if (typeof value === 'string') return value;
  return isPartList(value) ? contentText(value) : JSON.stringify(value);
};
