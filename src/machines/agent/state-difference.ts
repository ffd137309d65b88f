import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { StateChange } from '../../contracts/runs/step-record.ts';

/** The keys whose values a reducer replaced. */
export const difference = (before: Json, after: Json): Readonly<Record<string, StateChange>> => {
  if (before === after) return NO_CHANGES;
  if (!isJsonObject(before) || !isJsonObject(after)) return { state: { before, after } };
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changes: [string, StateChange][] = [];
  for (const key of keys) {
    const change = { before: own(before, key), after: own(after, key) };
    if (change.before !== change.after) changes.push([key, change]);
  }
  return Object.fromEntries(changes);
};

/** Inherited keys such as `valueOf` are not data. */
const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

const NO_CHANGES: Readonly<Record<string, StateChange>> = {};
