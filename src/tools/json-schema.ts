import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { messageOf, TroupeError } from '../contracts/error.ts';
import type { Json, JsonSchema } from '../contracts/json.ts';
import { isJsonObject, toJson } from '../contracts/json.ts';
import { jsonSchemaIssues } from './json-schema-check.ts';
import { plainSchema } from './json-schema-names.ts';
import { brokenReference } from './json-schema-reference.ts';

/** A Standard Schema over a JSON Schema, as `jsonSchema()` makes it. */
export interface JsonSchemaOf<Value> {
  readonly '~standard': StandardSchemaV1.Props<unknown, Value> & StandardJSONSchemaV1.Props<unknown, Value>;
}

/**
 * Makes a schema of a plain JSON Schema, as MCP servers and OpenAI's function definitions give it: for a tool's `input`, or wherever a
 * Standard Schema is taken. Values are checked against it and stay as they are; no default is filled in.
 *
 * Draft 2020-12 and what older drafts write otherwise are understood, and the type names of other vocabularies (`dict`, `float`, `any`).
 * Formats are not checked, and neither is a `pattern` that refers back to what it matched (`\1`), has modifiers, or counts that make it very long: what
 * it takes to match one cannot be bounded. All others are matched in time that grows with the text, whoever wrote them.
 *
 * @throws `tool.invalid` for what is no object, or refers to what is not in it: nothing is fetched.
 *
 * @example
 * const add = tool({
 *   name: 'math.add',
 *   description: 'Add two numbers.',
 *   input: jsonSchema<{ a: number; b: number }>({
 *     type: 'object',
 *     properties: { a: { type: 'number' }, b: { type: 'number' } },
 *     required: ['a', 'b'],
 *   }),
 *   execute: ({ a, b }) => a + b,
 * });
 */
export const jsonSchema = <Value = Json>(schema: JsonSchema): JsonSchemaOf<Value> => {
  const given: unknown = schema;
  const root = isJsonObject(toJson(given)) ? plainSchema(schema) : undefined;
  if (root === undefined)
    throw new TroupeError(
      'tool.invalid',
      `Cannot read a JSON Schema as it is no object: ${messageOf(given)}`,
    );
  const broken = brokenReference(root);
  if (broken !== undefined)
    throw new TroupeError(
      'tool.invalid',
      `Cannot read a JSON Schema as it refers to what is not in it: ${broken}`,
    );
  return {
    '~standard': {
      version: 1,
      vendor: 'json-schema',
      validate: (value) => {
        const issues = jsonSchemaIssues(root, toJson(value));
        // What fits the schema is what its author says it is.
        return issues.length === 0 ? { value: value as Value } : { issues };
      },
      jsonSchema: { input: () => root, output: () => root },
    },
  };
};
