import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';

/** Finds a broken reference anywhere in `schema`; undefined if there is none. */
export const brokenReference = (root: JsonObject): string | undefined => {
  const look = (value: Json | undefined): string | undefined => {
    if (Array.isArray(value)) return firstOf(value, look);
    if (!isJsonObject(value)) return undefined;
    const reference = value['$ref'];
    if (typeof reference === 'string' && resolveReference(root, reference) === undefined) return reference;
    return firstOf(Object.entries(value), ([key, each]) => {
      if (VALUES.has(key)) return undefined;
      // By name: a property may have the name of a keyword.
      return MAPS.has(key) && isJsonObject(each) ? firstOf(Object.values(each), look) : look(each);
    });
  };
  return look(root);
};

/** Keywords whose value maps names to schemas. */
const MAPS: ReadonlySet<string> = new Set(
  'properties patternProperties $defs definitions dependentSchemas'.split(' '),
);

/** Keywords whose value is plain data, not a schema. */
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
  if (!reference.startsWith('#'))
    return schemaNamed(root, '$id', reference) ?? schemaNamed(root, 'id', reference);
  if (!reference.startsWith('#/'))
    return schemaNamed(root, '$anchor', reference.slice(1)) ?? schemaNamed(root, '$id', reference);
  let found: Json | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const key = unescapePart(part);
    if (Array.isArray(found)) found = found[Number(key)];
    else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
};

const unescapePart = (part: string): string => {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
};

const schemaNamed = (value: Json | undefined, key: string, name: string): JsonObject | undefined => {
  if (Array.isArray(value)) return firstOf(value, (each: Json) => schemaNamed(each, key, name));
  if (!isJsonObject(value)) return undefined;
  if (value[key] === name) return value;
  return firstOf(Object.values(value), (each) => schemaNamed(each, key, name));
};
