import { isJsonObject, type Json } from './json.ts';

/** A value as text, with sorted keys: equal values, equal texts. */
export const canonical = (value: Json | undefined): string => {
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonical(item)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
};
