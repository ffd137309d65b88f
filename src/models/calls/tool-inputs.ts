import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../base/json/json.ts';
import type { ToolCall, ToolSpec } from '../../contracts/tools/tool-call.ts';
import { echoedInput } from './call-arguments.ts';
import { inDialect } from '../schemas/schema-dialect.ts';
import { strictSchema } from '../schemas/output-schema.ts';
import { objectVariants, wrapAsValue } from '../schemas/schema-root.ts';
import { isDocumented } from '../schemas/strict-schema.ts';

/** Maps between the inputs of our tools and those that a provider accepts. */
export interface ToolInputs {
  /** Returns the schema to send: an object at its root, whatever the tool accepts. */
  schema(tool: ToolSpec): JsonObject;
  /** True if the schema to send follows the rules of OpenAI's strict mode. */
  isStrict(tool: ToolSpec): boolean;
  /** True if the tool takes something else than an object, which is requested as the property `value` of one. */
  isWrapped(tool: ToolSpec): boolean;
  /** The input that the tool expects, from what the model wrote. */
  read(tool: string, input: Json): Json;
  /** The input of a call of the past, as the model wrote it. */
  echo(call: ToolCall): JsonObject;
}

/**
 * Prepares the inputs of tools. Providers accept only an object at the root of a tool's schema, without `anyOf`,
 * `oneOf` or `allOf`. A union of objects becomes one object with the properties of all (its description says which
 * belong together); any other value is requested as the property `value` of one, and unwrapped again. With `isStrict`, for a server with
 * OpenAI's strict mode, optional properties are requested as ones that may be null, and such a null is taken back as absent.
 *
 * @example
 * toolInputs([{ name: 'add', description: '', parameters: { type: 'array', items: { type: 'number' } } }])
 *   .read('add', { value: [1, 2] }) // => [1, 2]
 */
export const toolInputs = (
  tools: readonly ToolSpec[],
  refused: readonly string[] = NONE,
  isStrict = false,
): ToolInputs => {
  const known = isStrict ? strictOnes : refused;
  const inputOf = (name: string): WireInput | undefined => {
    const tool = tools.find((each) => each.name === name);
    return tool === undefined ? undefined : wireInput(tool.parameters, known);
  };
  return {
    schema: ({ parameters }) => wireInput(parameters, known).schema,
    isStrict: ({ parameters }) => wireInput(parameters, known).isStrict,
    isWrapped: ({ parameters }) => wireInput(parameters, known).isWrapped,
    read: (name, input) => inputOf(name)?.read(input) ?? input,
    echo: (call) => {
      const isWrapped = call.problem === undefined && inputOf(call.name)?.isWrapped === true;
      return isWrapped ? { value: call.input } : echoedInput(call);
    },
  };
};

const NONE: readonly string[] = [];

/** Stands for strict mode, where nothing is refused as what it does not take is not sent as strict. */
const strictOnes: readonly string[] = [];

interface WireInput {
  readonly schema: JsonObject;
  readonly isStrict: boolean;
  readonly isWrapped: boolean;
  read(input: Json): Json;
}

/** By refused keywords, and then by schema: tools keep their schemas for life, and a step must not copy them. */
const prepared = new WeakMap<readonly string[], WeakMap<JsonSchema, WireInput>>();

const wireInput = (parameters: JsonSchema, refused: readonly string[]): WireInput => {
  let known = prepared.get(refused);
  if (known === undefined) prepared.set(refused, (known = new WeakMap()));
  let input = known.get(parameters);
  if (input === undefined) known.set(parameters, (input = prepareInput(parameters, refused)));
  return input;
};

const prepareInput = (parameters: JsonSchema, refused: readonly string[]): WireInput => {
  const plain = plainInput(parameters, refused);
  const isMerged = !plain.isWrapped && plain.read !== asItIs;
  if (refused !== strictOnes || isMerged) return plain;
  const strict = strictSchema(plain.schema, 'nullable');
  if (strict === undefined || !isDocumented(strict.schema)) return plain;
  const { schema, read = asItIs } = strict;
  return { ...plain, schema, isStrict: true, read: (input) => plain.read(read(input)) };
};

const plainInput = (parameters: JsonSchema, refused: readonly string[]): WireInput => {
  const { $schema: _dialect, ...plain } = parameters;
  // A schema that does not constrain the type accepts any object.
  const found = objectVariants(KINDS.some((key) => key in plain) ? plain : { ...plain, type: 'object' });
  if (found === undefined)
    return {
      schema: inDialect(wrapAsValue(plain), refused),
      isStrict: false,
      isWrapped: true,
      read: unwrapInput,
    };
  const { schema, variants } = found;
  return {
    schema: inDialect(schema, refused),
    isStrict: false,
    isWrapped: false,
    read: variants.length < 2 ? asItIs : (input) => withoutForeignNulls(input, variants),
  };
};

const asItIs = (input: Json): Json => input;

/** Keywords that constrain the type of a value. */
const KINDS = 'type anyOf oneOf allOf $ref enum const not if items prefixItems pattern format'.split(' ');

/** Unwraps a value; a model that omitted the wrapper meant the same. */
const unwrapInput = (input: Json): Json =>
  isJsonObject(input) && Object.keys(input).length === 1 && input['value'] !== undefined
    ? input['value']
    : input;

/** Removes nulls for properties of other variants, which models write as they see all properties together. */
const withoutForeignNulls = (input: Json, variants: readonly JsonObject[]): Json => {
  if (!isJsonObject(input)) return input;
  const variant = variants.find((each) => isOf(input, each));
  const properties = variant?.['properties'];
  if (!isJsonObject(properties)) return input;
  const foreign = Object.keys(input).filter((key) => input[key] === null && !(key in properties));
  return foreign.length === 0
    ? input
    : Object.fromEntries(Object.entries(input).filter(([key]) => !foreign.includes(key)));
};

const isOf = (input: JsonObject, { properties, required }: JsonObject): boolean => {
  const needed = Array.isArray(required) ? required : [];
  if (!needed.every((key) => input[String(key)] != null)) return false;
  return Object.entries(isJsonObject(properties) ? properties : {}).every(([key, schema]) => {
    const wanted = isJsonObject(schema) ? schema['const'] : undefined;
    return wanted === undefined || input[key] === wanted;
  });
};
