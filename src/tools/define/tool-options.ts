import type { Json, JsonSchema } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { optionProblems, refusedOptions } from '../../contracts/errors/check-options.ts';
import {
  aBoolean,
  aBound,
  aFunction,
  anything,
  aText,
  aTime,
  fulfilling,
  listOf,
  oneOf,
  optional,
  optionsSchema,
  shortOr,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import type { InputOf, OutputOf, Schema } from '../../base/schemas/schema.ts';
import type { OpsGroup } from '../../contracts/environments/operations.ts';
import type { Became, Safety, ToolContext, ToolRetry } from '../../contracts/tools/tool.ts';
import { canGiveJsonSchema, isLikeJsonSchema, isSchema, schemaFound } from '../schemas/schemas.ts';
import { unsendableIn } from '../schemas/unsendable-parts.ts';
import type { Dual } from '../calls/tool-result.ts';

/** The type that `execute` may return: with an `output` schema its input type, plain or as a dual result. */
export type Returned<Output extends Schema | undefined> = Output extends Schema
  ? InputOf<Output> | Dual<InputOf<Output>> | PromiseLike<InputOf<Output> | Dual<InputOf<Output>>>
  : unknown;

/** Options of a tool. A name, a description, an input schema and `execute`; all others have defaults. */
export interface ToolOptions<
  Input extends Schema | undefined,
  Output extends Schema | undefined,
  Result extends Returned<Output>,
> {
  /**
   * Letters of any script, digits, `_`, `-`, `.`, `:` and `/`, up to 256. What a provider does not take (all but ASCII letters, digits, `_` and
   * `-`, and more than 64) is mapped to what it does, and back.
   */
  readonly name: string;
  /** Its purpose and when to use it: the model reads this. */
  readonly description: string;
  /** Any Standard Schema of an object. Required unless there are `parameters`, or `dynamicSchema` is set. */
  readonly input?: Input;
  /** Validates the result of `execute` (the value of a dual result); an invalid one is a failure. */
  readonly output?: Output;
  /**
   * Without `input`, the JSON Schema that validates arguments, as MCP and OpenAI define tools; `jsonSchema()` gives it
   * a type. Beside `input`, the schema for the model, if the schema's library cannot produce one. With `dynamicSchema`
   * it is only a description.
   */
  readonly parameters?: JsonSchema | undefined;
  /** Takes any input unchecked; excludes `input`. */
  readonly dynamicSchema?: boolean | undefined;
  /** Default `0.0.0`. */
  readonly version?: string | undefined;
  /** Default `general`. */
  readonly category?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Deprecation notice; the tool still works. */
  readonly deprecated?: string | undefined;
  readonly replacedBy?: string | undefined;
  /** Not sent to the model until it is found by `find_tools`, which the agent then has. Default false. */
  readonly deferred?: boolean | undefined;
  /** Default `read`; a policy takes a tool that does not declare it for one that writes. */
  readonly safety?: Safety | undefined;
  /** True if repeating it with the same key does no harm. Default: true for `read`. */
  readonly idempotent?: boolean | undefined;
  /** Until something changes, an equal call of the same run reuses the first result. Only for `read`. Default: false. */
  readonly cacheable?: boolean | undefined;
  /** Runs alone. Default: false for `read`, true otherwise. */
  readonly exclusive?: boolean | undefined;
  /** Operations of the environment that it cannot do without. */
  readonly requires?: readonly OpsGroup[] | undefined;
  /** In ms, default 60,000; `Infinity` for no limit. The time in which it waits for a person does not count. */
  readonly timeoutMs?: number | undefined;
  /** Unset: 3 attempts if idempotent, else 1. `true` or an object: 3 or the given number; `false`: 1. */
  readonly retry?: boolean | Partial<ToolRetry> | undefined;
  /** Requires a person's approval, always or for some inputs. Default: true for `danger`. */
  readonly approval?: boolean | ((input: OutputOf<Input, Json>) => boolean) | undefined;
  /** Describes a running call for people, without secrets. Default: "Using <name>". */
  readonly describe?: ((input: OutputOf<Input, Json>) => string) | undefined;
  /**
   * Returns the outcome of the call with this key (`context.key`): its value, or undefined if it was never executed;
   * throw if it is unknown. Called when a stored run is resumed within a call and the tool is not `idempotent`; without
   * it, a person decides.
   */
  readonly whatBecame?:
    | ((
        key: string,
        options: { readonly signal: AbortSignal },
      ) => Became | undefined | Promise<Became | undefined>)
    | undefined;
  /** Executes the tool. A plain return value is passed on synchronously; a thrown error becomes a failed result. */
  execute(input: OutputOf<Input, Json>, context: ToolContext): Result;
}

const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_.:/-]{0,255}$/u;
const SET_NAME = /^[A-Za-z_][\w-]{0,63}$/;
const UNSAFE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Checks whether a name is valid for a tool. */
export const isToolName = (name: unknown): name is string =>
  typeof name === 'string' && NAME.test(name) && !UNSAFE_NAMES.has(name);

/** Checks whether a name is valid for a toolset, where it precedes a dot. */
export const isToolsetName = (name: unknown): name is string =>
  typeof name === 'string' && SET_NAME.test(name) && !UNSAFE_NAMES.has(name);

type AnyToolOptions = ToolOptions<Schema | undefined, Schema | undefined, unknown>;

const isBoolean = (given: unknown): boolean => typeof given === 'boolean';

/** The schema of what a tool is made of. Its input, output and parameters are checked as schemas. */
const toolSchema = onDemand(() =>
  optionsSchema<AnyToolOptions>({
    name: fulfilling(
      isToolName,
      'not a name: write up to 256 letters, digits, and _ - . : /, the first a letter or _',
    ),
    description: fulfilling(
      (given) => typeof given === 'string' && given.trim() !== '',
      'not a text: write what it does and when to use it, for the model',
    ),
    execute: aFunction(),
    input: anything(),
    output: anything(),
    parameters: anything(),
    dynamicSchema: optional(aBoolean()),
    version: optional(aText()),
    category: optional(aText()),
    tags: optional(listOf(aText())),
    deprecated: optional(aText()),
    deferred: optional(aBoolean()),
    replacedBy: optional(aText()),
    safety: optional(oneOf(['read', 'write', 'danger'])),
    idempotent: optional(aBoolean()),
    cacheable: optional(aBoolean()),
    exclusive: optional(aBoolean()),
    requires: optional(listOf(aText())),
    timeoutMs: optional(aTime()),
    retry: optional(
      shortOr(
        isBoolean,
        optionsSchema<ToolRetry>({
          attempts: optional(wholeNumber(1)),
          initialWaitMs: optional(aBound(0)),
          maxWaitMs: optional(aBound(0)),
        }),
      ),
    ),
    approval: optional(shortOr(isBoolean, aFunction())),
    describe: optional(aFunction()),
    whatBecame: optional(aFunction()),
  }),
);

/**
 * Checks what a tool is made of. Many callers write JavaScript: what the types forbid is checked all the same.
 *
 * @throws {TroupeError} `tool.invalid` with all that is wrong.
 */
export const checkTool = (options: AnyToolOptions): void => {
  const problems = isJsonObject(options)
    ? [...optionProblems(toolSchema(), options), ...schemaProblems(options)]
    : [`its options are not an object: found ${foundText(options)}`];
  if (problems.length === 0) return;
  const name: unknown = isJsonObject(options) ? options['name'] : undefined;
  const tool = typeof name === 'string' ? name : '';
  throw refusedOptions(problems, {
    code: 'tool.invalid',
    owner: `tool '${tool}'`,
    tool: tool === '' ? undefined : tool,
  });
};

/** Problems of a tool's schemas, and of options that do not go together. */
const schemaProblems = ({
  input,
  parameters,
  output,
  safety = 'read',
  cacheable,
  dynamicSchema,
}: AnyToolOptions): readonly string[] =>
  [
    dynamicSchema === true &&
      input !== undefined &&
      'a dynamic schema excludes input: describe it with parameters',
    dynamicSchema !== true && inputProblem(input, parameters),
    parameters !== undefined && parametersProblem(parameters),
    isSchema(input) &&
      !canGiveJsonSchema(input) &&
      parameters === undefined &&
      `its input gives no JSON Schema and there are no parameters: a schema of ${input['~standard'].vendor}`,
    ...(isSchema(input) && parameters === undefined ? unsendableIn(input) : []),
    output !== undefined &&
      !isSchema(output) &&
      `its output is not a Standard Schema: ${schemaFound(output)}`,
    cacheable === true &&
      safety !== 'read' &&
      `only what reads can be answered from a cache: its safety is ${messageOf(safety)}`,
  ].filter((problem) => problem !== false);

/**
 * Describes an invalid input schema. Two mistakes are common: a JSON Schema in place of a Standard Schema, and none at
 * all.
 */
const inputProblem = (input: unknown, parameters: unknown): string | false => {
  if (isSchema(input)) return false;
  if (input === undefined)
    return (
      parameters === undefined &&
      'it has neither input nor parameters: write `input:` with a Standard Schema such as z.object({ … }), or `parameters:` with a JSON Schema'
    );
  return isLikeJsonSchema(input)
    ? `its input is a JSON Schema, ${schemaFound(input)}: write it as \`parameters:\`, or as \`input: jsonSchema(…)\` to keep its type`
    : `its input is not a Standard Schema: ${schemaFound(input)}`;
};

const parametersProblem = (parameters: unknown): string | false => {
  if (isSchema(parameters))
    return `its parameters are a Standard Schema of ${parameters['~standard'].vendor}: write it as \`input:\``;
  return !isJsonObject(parameters) && `its parameters are not a JSON Schema: ${foundText(parameters)}`;
};

/** Returns the reason why a value is not a tool, also one made by hand or in JavaScript; undefined if it is one. */
export const toolProblem = (tool: unknown): string | undefined => {
  if (typeof tool !== 'object' || tool === null) return messageOf(tool);
  if (!('name' in tool) || !isToolName(tool.name))
    return `its name is ${'name' in tool ? messageOf(tool.name) : 'missing'}`;
  const isWhole =
    'execute' in tool &&
    typeof tool.execute === 'function' &&
    'check' in tool &&
    typeof tool.check === 'function';
  return isWhole ? undefined : `'${tool.name}' was not made by tool()`;
};
