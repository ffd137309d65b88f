import { looseJson } from './loose-json.ts';

/** Returns the JSON value that a text was meant as; the text unchanged if it is valid already, or holds no whole one. */
export const repairJson = (text: string): string => {
  try {
    JSON.parse(text);
    return text;
  } catch {
    const found = looseJson(text);
    return found === undefined || found.isTruncated ? text : JSON.stringify(found.value);
  }
};
