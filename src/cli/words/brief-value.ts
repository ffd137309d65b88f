import type { Json } from '../../base/json/json.ts';

/** Characters of a value. */
const LONGEST = 140;

/** A value in a line for people: a text as it is, all else as JSON, cut to 140 characters. */
export const briefValue = (value: Json): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (value === null || text === '') return 'nothing';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};
