import type { Json, JsonSchema } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';

/** Most samples of one schema: what has more is sampled by the first. */
const MOST = 8;

/** Deepest nesting of samples: what is deeper is left at its simplest. */
const DEEPEST = 6;

/**
 * Values that fit a JSON Schema, one for each way that a machine may tell apart: both booleans, each item of an enumeration, each form
 * of a union. Texts and numbers have one.
 */
export const samplesOf = (schema: JsonSchema): readonly Json[] => samplesAt(schema, schema, 0).slice(0, MOST);

const samplesAt = (schema: unknown, root: JsonSchema, depth: number): readonly Json[] => {
  if (!isJsonObject(schema) || depth > DEEPEST) return [null];
  const { $ref, anyOf, oneOf, allOf, type, properties } = schema;
  if ('const' in schema) return [schema['const'] ?? null];
  if (Array.isArray(schema['enum'])) return schema['enum'];
  if (typeof $ref === 'string') return samplesAt(resolveReference($ref, root), root, depth + 1);
  const forms = anyOf ?? oneOf;
  if (Array.isArray(forms)) return forms.flatMap((form: Json) => samplesAt(form, root, depth + 1));
  if (Array.isArray(allOf)) return samplesAt(mergeForms(schema, allOf), root, depth + 1);
  const kind: unknown = Array.isArray(type) ? type[0] : type;
  switch (kind ?? (properties === undefined ? undefined : 'object')) {
    case 'object':
      return objectSamples(schema, root, depth);
    case 'array':
      return listSamples(schema, root, depth);
    case 'boolean':
      return [true, false];
    case 'number':
    case 'integer':
      return [numberIn(schema)];
    case 'string':
      return [textIn(schema)];
    default:
      return [null];
  }
};

const resolveReference = (reference: string, root: JsonSchema): unknown =>
  reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .reduce<unknown>((found, part) => (isJsonObject(found) ? found[part] : undefined), root);

const mergeForms = (schema: JsonSchema, parts: readonly Json[]): JsonSchema => {
  const { allOf: _parts, ...own } = schema;
  const all = [own, ...parts.filter(isJsonObject)];
  const properties = Object.assign({}, ...all.map((each) => each['properties'] ?? {})) as JsonSchema;
  return Object.assign({}, ...all, { properties }) as JsonSchema;
};

/** All combinations of the samples of its properties, as far as there is room. */
const objectSamples = (
  { properties, required }: JsonSchema,
  root: JsonSchema,
  depth: number,
): readonly Json[] => {
  const needed = Array.isArray(required) ? required : [];
  const entries = Object.entries(isJsonObject(properties) ? properties : {}).filter(([name]) =>
    needed.includes(name),
  );
  return entries.reduce<readonly Record<string, Json>[]>(
    (made, [name, schema]) =>
      samplesAt(schema, root, depth + 1)
        .flatMap((value) => made.map((each) => ({ ...each, [name]: value })))
        .slice(0, MOST),
    [{}],
  );
};

const listSamples = ({ items, minItems }: JsonSchema, root: JsonSchema, depth: number): readonly Json[] => {
  const count = typeof minItems === 'number' ? Math.max(1, minItems) : 1;
  const one = samplesAt(items, root, depth + 1);
  const lists = one.map((item) => Array.from({ length: count }, () => item));
  return typeof minItems === 'number' && minItems > 0 ? lists : [[], ...lists];
};

const numberIn = ({ minimum, exclusiveMinimum, maximum }: JsonSchema): number => {
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
};

const textIn = ({ minLength }: JsonSchema): string =>
  typeof minLength === 'number' ? 'x'.repeat(Math.max(1, minLength)) : 'x';
