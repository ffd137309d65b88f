import { isJsonObject, type Json, type JsonSchema } from '../../base/json/json.ts';

/** Returns the items of a JSON array; none for any other value. */
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** Resolves references and merges `allOf`. A circular reference becomes "anything". */
export const resolveSchema = (schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema => {
  if (depth > 20) return {};
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const { $ref: _, ...own } = schema;
    return resolveSchema({ ...lookUp(reference, root), ...own }, root, depth + 1);
  }
  const all = listOf(schema['allOf']).filter(isJsonObject);
  if (all.length === 0) return schema;
  const { allOf: _, ...own } = schema;
  return all
    .map((part) => resolveSchema(part, root, depth + 1))
    .reduce<JsonSchema>(
      (sum, part) => ({
        ...sum,
        ...part,
        properties: { ...propertiesOf(sum), ...propertiesOf(part) },
        required: [...listOf(sum['required']), ...listOf(part['required'])],
      }),
      own,
    );
};

const lookUp = (reference: string, root: JsonSchema): JsonSchema => {
  let found: Json | undefined = root;
  for (const step of reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((each) => each !== '')) {
    found = isJsonObject(found) ? found[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  }
  return isJsonObject(found) ? found : {};
};

/** The properties of an object schema. */
export const propertiesOf = (schema: JsonSchema): JsonSchema => {
  const properties = schema['properties'];
  return isJsonObject(properties) ? properties : {};
};

/** Of alternatives the first that is not null, which then is optional; a union of constants is an enum. */
export const branchOf = (schema: JsonSchema, root: JsonSchema): JsonSchema => {
  const branches = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
    .filter(isJsonObject)
    .map((each) => resolveSchema(each, root));
  if (branches.length === 0) return schema;
  const { anyOf: _, oneOf: __, ...own } = schema;
  if (branches.every((branch) => 'const' in branch))
    return { ...own, enum: branches.map((branch) => branch['const'] ?? null) };
  const chosen = branches.find((branch) => branch['type'] !== 'null') ?? branches[0] ?? {};
  const plain = branchOf(chosen, root);
  const isNullable = branches.some((branch) => branch['type'] === 'null');
  return { ...own, ...plain, ...(isNullable ? { type: [...new Set([...typesOf(plain), 'null'])] } : {}) };
};

/** Returns the types that a schema allows; inferred from its keywords if it names none. */
export const typesOf = (schema: JsonSchema): string[] => {
  const type = schema['type'];
  if (typeof type === 'string') return [type];
  const named = listOf(type).filter((each) => typeof each === 'string');
  if (named.length > 0) return named;
  if ('properties' in schema) return ['object'];
  if ('items' in schema || 'prefixItems' in schema) return ['array'];
  return 'minimum' in schema || 'maximum' in schema ? ['number'] : ['string'];
};
