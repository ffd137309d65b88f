import type { Json, JsonObject } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';

/** The reference of `schema` that leads nowhere, anywhere in it; undefined if there is none. */
export const brokenReference = (root: JsonObject): string | undefined => {
  const look = (value: Json | undefined): string | undefined => {
    if (Array.isArray(value)) return firstOf(value, look);
    if (!isJsonObject(value)) return undefined;
    const reference = value['$ref'];
    if (typeof reference === 'string' && resolveReference(root, reference) === undefined) return reference;
    return firstOf(Object.entries(value), ([key, each]) => {
      if (VALUES.has(key)) return undefined;
      // By name: a property may be called like a keyword.
      return MAPS.has(key) && isJsonObject(each) ? firstOf(Object.values(each), look) : look(each);
    });
  };
  return look(root);
};

/** What stands under these are schemas by name. */
const MAPS: ReadonlySet<string> = new Set(
  'properties patternProperties $defs definitions dependentSchemas'.split(' '),
);

/** What stands under these is a value, not a schema. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'example']);

const firstOf = <T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined => {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The schema that a reference within a schema names; undefined where it names none. */
export const resolveReference = (root: JsonObject, reference: string): Json | undefined => {
  if (reference === '#') return root;
  if (!reference.startsWith('#')) return named(root, '$id', reference) ?? named(root, 'id', reference);
  if (!reference.startsWith('#/'))
    return named(root, '$anchor', reference.slice(1)) ?? named(root, '$id', reference);
  let found: Json | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const key = unescaped(part);
    if (Array.isArray(found)) found = found[Number(key)];
    else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
};

const unescaped = (part: string): string => {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
};

const named = (value: Json | undefined, key: string, name: string): JsonObject | undefined => {
  if (Array.isArray(value)) return firstOf(value, (each: Json) => named(each, key, name));
  if (!isJsonObject(value)) return undefined;
  if (value[key] === name) return value;
  return firstOf(Object.values(value), (each) => named(each, key, name));
};
