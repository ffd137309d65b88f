import type { Json } from '../../base/json/json.ts';

/** Parses a foreign text as JSON; undefined if it is invalid. */
export const parseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};
