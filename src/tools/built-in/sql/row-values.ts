import type { Json } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';

/** A text, which may hold anything, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Digits that every number of JavaScript has exactly. */
const EXACT_DIGITS = 15;

/**
 * Reads the values of a row that is an object of JSON, in their order. Numbers of more digits than JavaScript's become texts.
 *
 * @example
 * rowValues('{"c0":9007199254740993,"c1":1}') // => ['9007199254740993', 1]
 */
export const rowValues = (text: string): readonly Json[] => {
  const quoted = text.replaceAll(TOKEN, (token) =>
    token.startsWith('"') || token.replaceAll(/\D/g, '').length <= EXACT_DIGITS ? token : `"${token}"`,
  );
  const row: unknown = JSON.parse(quoted);
  return isJsonObject(row) ? Object.values(row).map((value) => value ?? null) : [];
};
