import type { Json } from './json.ts';
import { isJsonObject } from './json.ts';
import { isSameJson } from './same-json.ts';

/**
 * Checks whether an input is the recorded one, to which a schema may have added defaults.
 *
 * @example
 * fitsJson({ city: 'Oslo' }, { city: 'Oslo', unit: 'C' }) // => true
 */
export const fitsJson = (recorded: Json, input: Json): boolean =>
  isJsonObject(recorded) && isJsonObject(input)
    ? Object.entries(recorded).every(([name, value]) => isSameJson(value, input[name]))
    : isSameJson(recorded, input);
