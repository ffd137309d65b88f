import type { Json, JsonObject, JsonSchema } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';

/** Deeper parts of a schema, and those of a longer type, are written as `unknown`. */
const MAX_DEPTH = 6;
const MAX_CHARACTERS = 2_000;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * Writes a JSON Schema as a TypeScript type, for a model that writes code: names, types, what is optional, and short descriptions.
 *
 * What TypeScript cannot say (formats, bounds, patterns) is left out, as calls are validated by the schema itself.
 *
 * @example
 * schemaAsType({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }) // => '{ city: string }'
 */
export const schemaAsType = (schema: JsonSchema): string => {
  const text = new TypeText(schema).of(schema, 0);
  return text.length <= MAX_CHARACTERS ? text : 'unknown';
};

class TypeText {
  readonly #root: JsonSchema;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  of(schema: Json | undefined, depth: number): string {
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return 'unknown';
    if (typeof schema['$ref'] === 'string') return this.of(this.#find(schema['$ref']), depth + 1);
    if ('const' in schema) return JSON.stringify(schema['const']);
    if (Array.isArray(schema['enum'])) return union(schema['enum'].map((value) => JSON.stringify(value)));
    for (const key of ['anyOf', 'oneOf'])
      if (Array.isArray(schema[key])) return union(schema[key].map((each: Json) => this.of(each, depth + 1)));
    if (Array.isArray(schema['allOf']))
      return schema['allOf'].map((each: Json) => this.of(each, depth + 1)).join(' & ');
    const { type } = schema;
    if (Array.isArray(type)) return union(type.map((each) => this.of({ ...schema, type: each }, depth)));
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      case 'number':
      case 'integer':
        return 'number';
      case 'array':
        return this.#list(schema, depth);
      case 'object':
        return this.#object(schema, depth);
      default:
        return isJsonObject(schema['properties']) ? this.#object(schema, depth) : 'unknown';
    }
  }

  #list({ items }: JsonObject, depth: number): string {
    const item = this.of(items, depth + 1);
    return IDENTIFIER.test(item) ? `${item}[]` : `Array<${item}>`;
  }

  #object(schema: JsonObject, depth: number): string {
    const { properties, required, additionalProperties } = schema;
    const wanted: readonly unknown[] = Array.isArray(required) ? required : [];
    const fields = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, field]) => {
      const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
      const about = isJsonObject(field) ? remark(field['description']) : '';
      return `${about}${key}${wanted.includes(name) ? '' : '?'}: ${this.of(field, depth + 1)}`;
    });
    if (fields.length > 0) return `{ ${fields.join('; ')} }`;
    return isJsonObject(additionalProperties)
      ? `Record<string, ${this.of(additionalProperties, depth + 1)}>`
      : additionalProperties === false
        ? '{}'
        : 'Record<string, unknown>';
  }

  /** The part of the schema that a reference within it names. */
  #find(reference: string): Json | undefined {
    if (!reference.startsWith('#')) return undefined;
    let found: Json | undefined = this.#root;
    for (const part of reference.slice(1).split('/').slice(1)) {
      if (!isJsonObject(found)) return undefined;
      found = found[part.replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    return found;
  }
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** A description as a comment on one line, which it cannot end. */
const remark = (description: Json | undefined): string =>
  typeof description === 'string' && description.trim() !== ''
    ? `/* ${description.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ').trim().slice(0, 200)} */ `
    : '';
