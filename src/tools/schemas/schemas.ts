import type { StandardJSONSchemaV1, StandardSchemaV1 } from '../../base/schemas/standard-schema.ts';
import * as z from 'zod/mini';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { Json, JsonSchema } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { Checked, Schema, SchemaIssue } from '../../base/schemas/schema.ts';
import { onDemand } from '../../base/on-demand.ts';
import { isThenable } from '../../base/promises/thenable.ts';

/** Longer messages and paths are cut; in characters. */
const MAX_ISSUE_LENGTH = 300;

/**
 * Validates a value by any Standard Schema; synchronous if the schema is.
 *
 * All problems are listed, not only the first. A value nested so deeply that the schema overflows the stack is invalid;
 * any other error of a schema is passed on.
 *
 * @example
 * checkSchema(z.object({ a: z.number() }), { a: 'one' })
 * // => { ok: false, issues: [{ path: 'a', message: 'Invalid input: expected number, received string' }] }
 */
export const checkSchema = <Output>(
  schema: StandardSchemaV1<unknown, Output>,
  value: unknown,
): Checked<Output> | Promise<Checked<Output>> => {
  try {
    const result = isZod(schema) ? validateOnce<Output>(schema, value) : schema['~standard'].validate(value);
    if (isThenable(result)) return Promise.resolve(result).then(toChecked, tooDeep);
    return result.issues === undefined ? { ok: true, value: result.value } : toChecked(result);
  } catch (thrown) {
    return tooDeep(thrown);
  }
};

/**
 * Runs zod's validation once. Its own `validate` tries synchronously, and starts over if a check is asynchronous: each
 * check then runs twice, and one that rejects the first time is an unhandled rejection, which ends the process.
 */
const validateOnce = <Output>(
  schema: z.core.$ZodType,
  value: unknown,
): StandardSchemaV1.Result<Output> | Promise<StandardSchemaV1.Result<Output>> => {
  const found = schema._zod.run({ value, issues: [] }, { async: true });
  const toResult = ({ issues, value: output }: z.core.ParsePayload): StandardSchemaV1.Result<Output> =>
    issues.length === 0
      ? // Without an issue the value is the schema's output.
        { value: output as Output }
      : { issues: z.safeParse(issuesSchema(), issues).error?.issues ?? [] };
  return isThenable(found) ? Promise.resolve(found).then(toResult) : toResult(found);
};

/** Finds in a list of raw issues these issues, with the messages that zod gives them: to import what finishes one takes a bundler all of it. */
const issuesSchema = onDemand(() =>
  z.custom<z.core.$ZodRawIssue[]>().check(({ value, issues }) => {
    // One by one: there may be more than arguments can be.
    for (const issue of value) issues.push(issue);
  }),
);

/**
 * Validates a model's input: like {@link checkSchema}, but a string that is valid JSON of the right shape is decoded,
 * once, as some models encode their arguments twice.
 */
export const checkInput = <Output>(
  schema: StandardSchemaV1<unknown, Output>,
  input: Json,
): Checked<Output> | Promise<Checked<Output>> => {
  const checked = checkSchema(schema, input);
  if (typeof input !== 'string') return checked;
  if (!isThenable(checked)) return checked.ok ? checked : decodeInput(schema, input, checked);
  return Promise.resolve(checked).then((first) => (first.ok ? first : decodeInput(schema, input, first)));
};

const decodeInput = <Output>(
  schema: StandardSchemaV1<unknown, Output>,
  input: string,
  first: Checked<Output>,
): Checked<Output> | Promise<Checked<Output>> => {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    return first;
  }
  const second = checkSchema(schema, value);
  // The model's mistake is inside the string only if that contains an object.
  return isJsonObject(value)
    ? second
    : isThenable(second)
      ? second.then((it) => either(it, first))
      : either(second, first);
};

const either = <Output>(second: Checked<Output>, first: Checked<Output>): Checked<Output> =>
  second.ok ? second : first;

const toChecked = <Output>(result: StandardSchemaV1.Result<Output>): Checked<Output> =>
  result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, issues: result.issues.map(toIssue) };

const tooDeep = (thrown: unknown): Checked<never> => {
  if (!(thrown instanceof RangeError)) throw thrown;
  return {
    ok: false,
    issues: [{ path: '', message: `Cannot be read as it is nested too deeply: ${thrown.message}` }],
  };
};

const toIssue = ({ message, path = [] }: StandardSchemaV1.Issue): SchemaIssue => ({
  path: cutText(path.map((segment) => String(typeof segment === 'object' ? segment.key : segment)).join('.')),
  message: cutText(message),
});

const cutText = (text: string): string =>
  text.length <= MAX_ISSUE_LENGTH ? text : `${text.slice(0, MAX_ISSUE_LENGTH)}…`;

/** Checks whether a value is a Standard Schema. */
export const isSchema = (value: unknown): value is Schema =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  '~standard' in value &&
  typeof value['~standard'] === 'object' &&
  value['~standard'] !== null &&
  'validate' in value['~standard'] &&
  typeof value['~standard'].validate === 'function';

/** Describes a value that was found in place of a schema. */
export const schemaFound = (value: unknown): string =>
  isJsonObject(value)
    ? `a plain object with ${Object.keys(value).join(', ') || 'nothing in it'}`
    : foundText(value);

/** Checks whether a plain object is written as JSON Schemas are, and not as a schema's fields. */
export const isLikeJsonSchema = (value: unknown): boolean => {
  if (!isJsonObject(value) || isSchema(value)) return false;
  const { type, properties, $ref: reference, $schema: dialect } = value;
  return (
    typeof type === 'string' ||
    typeof reference === 'string' ||
    typeof dialect === 'string' ||
    (isJsonObject(properties) && !isSchema(properties)) ||
    [type, value['anyOf'], value['oneOf'], value['allOf'], value['enum']].some((each) => Array.isArray(each))
  );
};

type WithJsonSchema = Schema & StandardJSONSchemaV1;

const givesJsonSchema = (schema: Schema): schema is WithJsonSchema =>
  'jsonSchema' in schema['~standard'] && typeof schema['~standard'].jsonSchema === 'object';

/** Checks whether a schema is one of zod 4. */
export const isZod = (schema: Schema): schema is Schema & z.core.$ZodType =>
  schema['~standard'].vendor === 'zod' && '_zod' in schema;

/** The schema of the items of a list; undefined for anything but a list of zod. */
export const itemSchemaOf = (schema: Schema): Schema | undefined =>
  isZod(schema) && schema._zod.def.type === 'array' && 'element' in schema && isSchema(schema.element)
    ? schema.element
    : undefined;

/** Checks whether {@link jsonSchemaOf} can succeed: false for a library without JSON Schema. */
export const canGiveJsonSchema = (schema: Schema): boolean => isZod(schema) || givesJsonSchema(schema);

const known = new WeakMap<Schema, JsonSchema>();

/**
 * Returns the JSON Schema (draft 2020-12) of a schema's input, computed once per schema.
 *
 * A type that JSON cannot express (a Date, a custom check) is described as "anything": validation still refuses it.
 *
 * @throws `tool.invalid` if the schema's library cannot produce a JSON Schema.
 */
export const jsonSchemaOf = (schema: Schema): JsonSchema => {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const made = convert(schema);
  known.set(schema, made);
  return made;
};

const convert = (schema: Schema): JsonSchema => {
  const vendor = schema['~standard'].vendor;
  try {
    const found: unknown = isZod(schema)
      ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
      : givesJsonSchema(schema)
        ? schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
        : `${vendor} gives none (no ~standard.jsonSchema)`;
    const plain = toJson(found);
    if (!isJsonObject(plain)) throw new TypeError(typeof plain === 'string' ? plain : 'it gave no object');
    const { $schema: _, ...rest } = plain;
    return rest;
  } catch (thrown) {
    throw new TroupeError(
      'tool.invalid',
      `Cannot describe a schema of ${vendor} to a model as it has no JSON Schema: ${messageOf(thrown)}`,
      { cause: thrown },
    );
  }
};
