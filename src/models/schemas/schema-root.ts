import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';
import { asProperty, isReferenceWithin } from '../../base/schemas/schema-as-property.ts';
import { resolveReference } from './schema-dialect.ts';

/** A schema with an object at its root, and the variants it was merged from. */
export interface ObjectRoot {
  readonly schema: JsonObject;
  /** One for a plain object; several where it was a union. */
  readonly variants: readonly JsonObject[];
}

/** Keywords that are not allowed beside an object's type at the root. */
const ROOT_KEYWORDS = ['anyOf', 'oneOf', 'allOf', '$ref', 'not', 'enum', 'const', 'if', 'then', 'else'];

/**
 * Merges a schema to one object without alternatives at its root; undefined if it accepts anything besides objects, or
 * refers to a place in itself that would move.
 *
 * @example
 * objectVariants({ anyOf: [{ type: 'object', properties: { a: {} } }, { type: 'string' }] }) // => undefined
 */
export const objectVariants = (root: JsonObject): ObjectRoot | undefined => {
  if (root['type'] === 'object' && !ROOT_KEYWORDS.some((key) => key in root))
    return { schema: root, variants: [root] };
  if (refersWithin(root)) return undefined;
  const variants = variantsOf(root, root, 0);
  if (variants === undefined || variants.length === 0) return undefined;
  const { $defs, definitions, description } = root;
  const words = [
    ...(typeof description === 'string' ? [description] : []),
    ...(variants.length > 1 ? [`Give one of: ${variants.map(shapeOf).join(' or ')}.`] : []),
  ];
  const schema: JsonObject = {
    ...eitherOf(variants),
    ...(words.length === 0 ? {} : { description: words.join(' ') }),
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
  return { schema, variants };
};

/** A schema as the property `value` of an object. */
export const wrapAsValue = (schema: JsonObject): JsonObject => {
  const { property, definitions } = asProperty(schema, 'value');
  return {
    type: 'object',
    properties: { value: property },
    required: ['value'],
    additionalProperties: false,
    ...definitions,
  };
};

/** `#` itself may stay: what it names is still the root. */
const refersWithin = (schema: Json): boolean => {
  if (Array.isArray(schema)) return schema.some(refersWithin);
  if (!isJsonObject(schema)) return false;
  const { $ref: reference } = schema;
  if (typeof reference === 'string' && reference !== '#' && isReferenceWithin(reference)) return true;
  return Object.values(schema).some((each) => each !== undefined && refersWithin(each));
};

/** Unions within unions, and references to references, have an end. */
const DEEPEST = 8;

/** More variants are useless to a model; nested alternatives multiply. */
const MOST_VARIANTS = 100;

/** Returns the objects that a schema allows; undefined if it allows anything else. */
const variantsOf = (schema: Json, root: JsonObject, depth: number): readonly JsonObject[] | undefined => {
  if (!isJsonObject(schema) || depth > DEEPEST) return undefined;
  const { $ref: reference, anyOf, oneOf, allOf, ...own } = schema;
  let found: readonly JsonObject[] | undefined = isObjectSchema(own) ? [own] : undefined;
  const narrow = (more: readonly JsonObject[] | undefined): boolean => {
    if (more === undefined || more.length * (found?.length ?? 1) > MOST_VARIANTS) return false;
    found = found === undefined ? more : found.flatMap((left) => more.map((right) => bothOf(left, right)));
    return true;
  };
  if (reference !== undefined) {
    const target = resolveReference(reference, root);
    if (target === undefined || target === root || !narrow(variantsOf(target, root, depth + 1)))
      return undefined;
  }
  for (const alternatives of [anyOf, oneOf]) {
    if (!Array.isArray(alternatives)) continue;
    const all: JsonObject[] = [];
    for (const each of alternatives) {
      const more = variantsOf(found === undefined ? each : asObject(each), root, depth + 1);
      if (more === undefined || all.push(...more) > MOST_VARIANTS) return undefined;
    }
    if (!narrow(all)) return undefined;
  }
  if (Array.isArray(allOf)) {
    for (const each of allOf) if (!narrow(variantsOf(asObject(each), root, depth + 1))) return undefined;
  }
  return found;
};

const isObjectSchema = (schema: JsonObject): boolean =>
  schema['type'] === 'object' || (schema['type'] === undefined && isJsonObject(schema['properties']));

/** Within a schema of objects a part may omit the type: `{ required: ['a'] }`. */
const asObject = (schema: Json): Json =>
  isJsonObject(schema) &&
  schema['type'] === undefined &&
  !['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'].some((key) => key in schema)
    ? { ...schema, type: 'object' }
    : schema;

const propertiesOf = ({ properties }: JsonObject): JsonObject => (isJsonObject(properties) ? properties : {});

const requiredNames = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? required.map(String) : [];

/** An object that is both. */
const bothOf = (left: JsonObject, right: JsonObject): JsonObject => {
  const properties: Record<string, Json | undefined> = { ...propertiesOf(left) };
  for (const [key, value] of Object.entries(propertiesOf(right))) {
    const before = properties[key];
    properties[key] = isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value;
  }
  const required = [...new Set([...requiredNames(left), ...requiredNames(right)])];
  return {
    ...left,
    ...right,
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
  };
};

/** Merges variants to one object: the properties of all, of which those are required that all require. */
const eitherOf = (variants: readonly JsonObject[]): JsonObject => {
  const [first, ...others] = variants;
  if (first === undefined) return { type: 'object' };
  if (others.length === 0) return withoutRootKeywords({ ...first, type: 'object' });
  const kinds = new Map<string, Map<string, Json>>();
  for (const variant of variants) {
    for (const [key, value] of Object.entries(propertiesOf(variant))) {
      if (value === undefined) continue;
      const known = kinds.get(key) ?? new Map<string, Json>();
      kinds.set(key, known.set(JSON.stringify(value), value));
    }
  }
  const required = requiredNames(first).filter((key) =>
    others.every((other) => requiredNames(other).includes(key)),
  );
  const isClosed = variants.every((variant) => variant['additionalProperties'] === false);
  return {
    type: 'object',
    properties: Object.fromEntries([...kinds].map(([key, known]) => [key, oneKind([...known.values()])])),
    ...(required.length === 0 ? {} : { required }),
    ...(isClosed ? { additionalProperties: false } : {}),
  };
};

const withoutRootKeywords = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !ROOT_KEYWORDS.includes(key)));

/** Fixed values become an enum; anything else an alternative. */
const oneKind = (kinds: readonly Json[]): Json => {
  const [first] = kinds;
  if (first !== undefined && kinds.length === 1) return first;
  const values = kinds.map(valuesOf);
  if (values.includes(undefined)) return { anyOf: kinds };
  const types = new Set(kinds.map((each) => (isJsonObject(each) ? each['type'] : undefined)));
  const [type] = types;
  return {
    ...(types.size === 1 && type !== undefined ? { type } : {}),
    enum: [...new Set(values.flatMap((each) => each ?? []))],
  };
};

const valuesOf = (schema: Json): readonly Json[] | undefined => {
  if (!isJsonObject(schema)) return undefined;
  const { const: value, enum: values } = schema;
  if (value !== undefined) return [value];
  return Array.isArray(values) ? values : undefined;
};

/** Describes a variant briefly: `{kind: "circle", radius, name?}`. */
const shapeOf = (variant: JsonObject): string => {
  const required = requiredNames(variant);
  const parts = Object.entries(propertiesOf(variant)).map(([key, schema]) => {
    const [value, ...more] = (schema === undefined ? undefined : valuesOf(schema)) ?? [];
    const fixed = value !== undefined && more.length === 0 ? `: ${JSON.stringify(value)}` : '';
    return `${key}${required.includes(key) ? '' : '?'}${fixed}`;
  });
  return `{${parts.join(', ')}}`;
};
