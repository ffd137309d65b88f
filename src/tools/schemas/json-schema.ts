import type { StandardJSONSchemaV1, StandardSchemaV1 } from '../../base/schemas/standard-schema.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { Json, JsonSchema } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { jsonSchemaIssues } from './json-schema-check.ts';
import { plainSchema } from './json-schema-names.ts';
import { brokenReference } from './json-schema-reference.ts';

/** A Standard Schema over a JSON Schema, as `jsonSchema()` makes it. */
export interface JsonSchemaOf<Value> {
  readonly '~standard': StandardSchemaV1.Props<unknown, Value> & StandardJSONSchemaV1.Props<unknown, Value>;
}

/**
 * Converts a plain JSON Schema, as MCP servers and OpenAI's function definitions have it, to a Standard Schema: for a
 * tool's `input` and elsewhere. Values are validated and stay unchanged; defaults are not filled in.
 *
 * Supports draft 2020-12 and deviating forms of older drafts, and the type names of other vocabularies (`dict`,
 * `float`, `any`). Formats are not checked, and neither is a `pattern` with back-references (`\1`), modifiers, or
 * counts that make it very long: its cost cannot be bounded. All other patterns are matched in time linear in the text.
 *
 * @throws `tool.invalid` for anything but an object, or a broken reference: nothing is fetched.
 *
 * @example
 * const add = tool({
 * name: 'math.add',
 * description: 'Add two numbers.',
 * input: jsonSchema<{ a: number; b: number }>({
 * type: 'object',
 * properties: { a: { type: 'number' }, b: { type: 'number' } },
 * required: ['a', 'b'],
 * }),
 * execute: ({ a, b }) => a + b,
 * });
 */
export const jsonSchema = <Value = Json>(schema: JsonSchema): JsonSchemaOf<Value> => {
  const given: unknown = schema;
  const root = isJsonObject(toJson(given)) ? plainSchema(schema) : undefined;
  if (root === undefined)
    throw new TroupeError(
      'tool.invalid',
      `Cannot read a JSON Schema as it is not an object: ${messageOf(given)}`,
    );
  const broken = brokenReference(root);
  if (broken !== undefined)
    throw new TroupeError(
      'tool.invalid',
      `Cannot read a JSON Schema as it has a broken reference: ${broken}`,
    );
  return {
    '~standard': {
      version: 1,
      vendor: 'json-schema',
      validate: (value) => {
        const issues = jsonSchemaIssues(root, toJson(value));
        // The schema's author vouches for the type of valid values.
        return issues.length === 0 ? { value: value as Value } : { issues };
      },
      jsonSchema: { input: () => root, output: () => root },
    },
  };
};
