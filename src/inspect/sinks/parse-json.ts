import type { Json } from '../../contracts/json.ts';

/** What a text that came from outside says, as JSON; undefined where it is none. */
export const parseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};
