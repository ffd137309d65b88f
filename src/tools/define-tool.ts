import { messageOf, TroupeError } from '../contracts/error.ts';
import { foundText } from '../contracts/found-text.ts';
import type { OpsGroup } from '../contracts/environment.ts';
import type { Json, JsonSchema } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';
import type { Checked, InputOf, OutputOf, Schema } from '../contracts/schema.ts';
import type { Became, Safety, Tool, ToolContext, ToolRetry } from '../contracts/tool.ts';
import {
  canGiveJsonSchema,
  checkInput,
  isLikeJsonSchema,
  isSchema,
  jsonSchemaOf,
  schemaFound,
} from './schemas.ts';
import { letGo } from '../contracts/let-go.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { unsendableIn } from './unsendable-parts.ts';
import { isThenable } from '../contracts/thenable.ts';
import { jsonSchema } from './json-schema.ts';
import { becameOf, checkingOutput } from './fitting-output.ts';
import type { Dual } from './tool-result.ts';

/** In ms. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** Attempts in all, where a tool may be repeated and does not say how often. */
const DEFAULT_ATTEMPTS = 3;

/** What `execute` may return: with an `output` schema, what that takes in, plain or as a dual result. */
export type Returned<Output extends Schema | undefined> = Output extends Schema
  ? InputOf<Output> | Dual<InputOf<Output>> | PromiseLike<InputOf<Output> | Dual<InputOf<Output>>>
  : unknown;

/** The value in what a tool returned: without its promise, and without the text of a dual result. */
export type ValueOf<Result> = Awaited<Result> extends Dual<infer Value> ? Value : Awaited<Result>;

/** The result of `execute` where it is checked: what the schema makes of it; later, where either takes its time. */
export type Fitted<Value> = Value | Dual<Value> | Promise<Value | Dual<Value>>;

/** What a tool is. A name, a description, an input schema and `execute`; all else has a default. */
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
  /** What it does and when to use it: the model reads this. */
  readonly description: string;
  /** Any Standard Schema of an object. Required unless there are `parameters`, or `dynamicSchema` is set. */
  readonly input?: Input;
  /** Checks what `execute` returned (the value of a dual result); a value that does not fit is a failure. */
  readonly output?: Output;
  /**
   * Without `input`, the JSON Schema that arguments are checked against, as MCP and OpenAI define tools; `jsonSchema()` gives it a type. Beside
   * `input`, the one for the model, where the schema's library cannot give one. With `dynamicSchema` it only describes.
   */
  readonly parameters?: JsonSchema | undefined;
  /** Takes any input unchecked; excludes `input`. */
  readonly dynamicSchema?: boolean | undefined;
  /** Default `0.0.0`. */
  readonly version?: string | undefined;
  /** Default `general`. */
  readonly category?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Why not to use it any more; it still works. */
  readonly deprecated?: string | undefined;
  readonly replacedBy?: string | undefined;
  /** Default `read`. */
  readonly safety?: Safety | undefined;
  /** True if repeating it with the same key does no harm. Default: true for `read`. */
  readonly idempotent?: boolean | undefined;
  /**
   * Its answer follows from its input until something is changed, so that an equal call of the same run is answered from the
   * first. Only for `read`. Default: false.
   */
  readonly cacheable?: boolean | undefined;
  /** Runs alone. Default: false for `read`, true otherwise. */
  readonly exclusive?: boolean | undefined;
  /** Operations of the environment that it cannot do without. */
  readonly requires?: readonly OpsGroup[] | undefined;
  /** In ms, default 60,000; `Infinity` for a tool that may take as long as it likes. */
  readonly timeoutMs?: number | undefined;
  /** Unset: 3 attempts if idempotent, else 1. `true` or an object: 3 or as many as it says; `false`: 1. */
  readonly retry?: boolean | Partial<ToolRetry> | undefined;
  /** Has a person say yes first, always or for some inputs. Default: true for `danger`. */
  readonly approval?: boolean | ((input: OutputOf<Input, Json>) => boolean) | undefined;
  /** What a person reads while it runs, without secrets. Default: "Using <name>". */
  readonly describe?: ((input: OutputOf<Input, Json>) => string) | undefined;
  /**
   * What became of the call with this key (`context.key`): its value, or undefined if it was never done; a throw says that nobody knows.
   * Asked when a stored run is taken up again in the midst of a call and the tool is not `idempotent`; without it, a person decides.
   */
  readonly whatBecame?:
    | ((
        key: string,
        options: { readonly signal: AbortSignal },
      ) => Became | undefined | Promise<Became | undefined>)
    | undefined;
  /** Does it. A plain return value is answered at once; throw what went wrong, it becomes a failed result. */
  execute(input: OutputOf<Input, Json>, context: ToolContext): Result;
}

/** A tool that still knows its types, so that programs and tests can call it. */
export interface DefinedTool<Input = unknown, Output = unknown, Result = unknown> extends Tool {
  /** With checked input: `await add.execute({ a: 1, b: 2 }, context)`. */
  execute(input: Input, context: ToolContext): Result;
  /** Never there at run time: carries the types of the checked input and of the value. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/**
 * Defines a tool: something that an agent can do. Types of the input are inferred from its schema.
 *
 * Its input is checked before `execute` sees it; an error that it throws is told to the model, never to the caller.
 *
 * @example
 * const add = tool({
 *   name: 'add',
 *   description: 'Add two numbers.',
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * });
 *
 * @throws `tool.invalid` with all that is wrong: the name, a missing description, a schema that is none.
 */
export const tool = <
  Input extends Schema | undefined = undefined,
  Output extends Schema | undefined = undefined,
  Result extends Returned<Output> = Returned<Output>,
>(
  options: ToolOptions<Input, Output, Result>,
): DefinedTool<
  OutputOf<Input, Json>,
  Output extends Schema ? OutputOf<Output> : ValueOf<Result>,
  Executed<Output, Result>
> => {
  refuseInvalid(options);
  const { input, parameters } = checkedBy(options);
  return toolOf<Input, Output, Result>(options, () => input, parameters);
};

/**
 * Defines a tool of this package: as {@link tool} does, but its schema is made when the tool is first used, and nothing is checked,
 * as modules must not take long to load.
 */
export const packageTool = /* @__NO_SIDE_EFFECTS__ */ <Input extends Schema, Result>({
  input,
  forOutput,
  ...options
}: Omit<ToolOptions<Input, undefined, Result>, 'input'> &
  Pick<Tool, 'forOutput'> & { readonly input: () => Input }): DefinedTool<
  OutputOf<Input, Json>,
  ValueOf<Result>,
  Result
> =>
  Object.assign(
    toolOf<Input, undefined, Result>(options, onDemand(input)),
    forOutput === undefined ? {} : { forOutput },
  );

const toolOf = <
  Input extends Schema | undefined,
  Output extends Schema | undefined,
  Result extends Returned<Output>,
>(
  options: Omit<ToolOptions<Input, Output, Result>, 'input'>,
  input: () => Schema | undefined,
  parameters?: JsonSchema,
): DefinedTool<
  OutputOf<Input, Json>,
  Output extends Schema ? OutputOf<Output> : ValueOf<Result>,
  Executed<Output, Result>
> => {
  const { name, description, output, approval, describe } = options;
  const safety = options.safety ?? 'read';
  const idempotent = options.idempotent ?? safety === 'read';
  const check = checkerOf<OutputOf<Input, Json>>(input);
  let schema = parameters;

  return {
    name,
    description,
    version: options.version ?? '0.0.0',
    category: options.category ?? 'general',
    tags: options.tags ?? [],
    ...(options.requires === undefined ? {} : { requires: options.requires }),
    deprecated: options.deprecated,
    replacedBy: options.replacedBy,
    safety,
    idempotent,
    ...(options.cacheable === true ? { cacheable: true } : {}),
    exclusive: options.exclusive ?? safety !== 'read',
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    retry: retryOf(options.retry, idempotent),
    dynamicSchema: options.dynamicSchema ?? false,
    get parameters() {
      return (schema ??= parametersOf(name, input()));
    },
    get outputSchema() {
      return output === undefined ? undefined : describedBy(output);
    },
    check,
    needsApproval: (raw) => {
      if (typeof approval !== 'function') return approval ?? safety === 'danger';
      try {
        const checked = check(raw);
        letGo(checked);
        // Whether an input is harmless cannot be known before it is checked: then a person is asked.
        return isThenable(checked) || (checked.ok && approval(checked.value));
      } catch {
        return true;
      }
    },
    describe: (raw) => {
      try {
        const checked = describe === undefined ? undefined : check(raw);
        // Nobody waits for a check or a description: what becomes of a promise is no business of the process.
        letGo(checked);
        if (checked === undefined || isThenable(checked) || !checked.ok) return `Using ${name}`;
        const text: unknown = describe?.(checked.value);
        letGo(text);
        return typeof text === 'string' && text.trim() !== '' ? text : `Using ${name}`;
      } catch {
        return `Using ${name}`;
      }
    },
    execute: executorOf<OutputOf<Input, Json>, Output, Result>(options, output),
    ...becameOf(options, output),
  };
};

/** The schema of the input, and the one for the model where that is said; parameters alone are both. */
const checkedBy = ({
  name,
  input,
  parameters,
  dynamicSchema,
}: Pick<
  ToolOptions<Schema | undefined, Schema | undefined, unknown>,
  'name' | 'input' | 'parameters' | 'dynamicSchema'
>): {
  readonly input: Schema | undefined;
  readonly parameters: JsonSchema | undefined;
} => {
  if (input !== undefined || parameters === undefined) return { input, parameters };
  const described = { name, parameters: undefined, input: jsonSchema(parameters) };
  return dynamicSchema === true
    ? { input: undefined, parameters: parametersOf(name, described.input) }
    : { input: described.input, parameters: parametersOf(name, described.input) };
};

/** What `execute` of a tool gives: with an output schema what that makes of it. */
type Executed<Output extends Schema | undefined, Result> = Output extends Schema
  ? Fitted<OutputOf<Output>>
  : Result;

const executorOf = <Input, Output extends Schema | undefined, Result>(
  options: { readonly name: string; execute(input: Input, context: ToolContext): Result },
  output: Output | undefined,
): Executor<Input, Executed<Output, Result>> =>
  // TypeScript cannot see which branch of the conditional type this is.
  (output === undefined ? options.execute.bind(options) : checkingOutput(options, output)) as Executor<
    Input,
    Executed<Output, Result>
  >;

type Executor<Input, Executed> = (input: Input, context: ToolContext) => Executed;

/** The input's check; without a schema everything is let through as it is. */
const checkerOf =
  <Value>(input: () => Schema | undefined) =>
  (raw: Json): Checked<Value> | Promise<Checked<Value>> => {
    // The schema is the one from which `Value` was inferred: TypeScript cannot see that through the conditional type.
    const schema = input() as Schema<unknown, Value> | undefined;
    return schema === undefined ? { ok: true, value: raw as Value } : checkInput(schema, raw);
  };

/** Unset follows idempotence; what was said explicitly wins. */
const retryOf = (retry: boolean | Partial<ToolRetry> | undefined, idempotent: boolean): ToolRetry => {
  const said = typeof retry === 'object' ? retry : {};
  const isRepeated = retry === undefined ? idempotent : retry !== false;
  return {
    attempts: said.attempts ?? (isRepeated ? DEFAULT_ATTEMPTS : 1),
    initialWaitMs: said.initialWaitMs ?? 500,
    maxWaitMs: said.maxWaitMs ?? 10_000,
  };
};

/** Undefined where the library of the schema cannot say it. */
const describedBy = (schema: Schema): JsonSchema | undefined => {
  if (!canGiveJsonSchema(schema)) return undefined;
  try {
    return jsonSchemaOf(schema);
  } catch {
    return undefined;
  }
};

const parametersOf = (name: string, input: Schema | undefined): JsonSchema => {
  if (input === undefined) return { type: 'object', additionalProperties: true };
  const schema = jsonSchemaOf(input);
  // A union of objects has no type of its own, but providers insist on one at the root.
  if (schema['type'] === undefined) return { type: 'object', ...schema };
  if (schema['type'] === 'object') return schema;
  throw new TroupeError(
    'tool.invalid',
    `Cannot define tool '${name}' as its input is not an object: ${JSON.stringify(schema['type'])}`,
    { tool: name },
  );
};

const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_.:/-]{0,255}$/u;
const SET_NAME = /^[A-Za-z_][\w-]{0,63}$/;
const UNSAFE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Checks whether a tool may be called that. */
export const isToolName = (name: unknown): name is string =>
  typeof name === 'string' && NAME.test(name) && !UNSAFE_NAMES.has(name);

/** Checks whether a toolset may be called that: its name stands before a dot. */
export const isToolsetName = (name: unknown): name is string =>
  typeof name === 'string' && SET_NAME.test(name) && !UNSAFE_NAMES.has(name);

const isOptionalFunction = (given: unknown): boolean => given === undefined || typeof given === 'function';

const SAFETIES: readonly unknown[] = ['read', 'write', 'danger'];

// Many callers write JavaScript: what the types forbid is checked all the same.
const refuseInvalid = (options: ToolOptions<Schema | undefined, Schema | undefined, unknown>): void => {
  if (!isJsonObject(options)) throw invalid('', [`it needs options: ${messageOf(options)}`]);
  const { name, description, input, parameters, output, timeoutMs, retry, safety } = options;
  const execute: unknown = Reflect.get(options, 'execute');
  const isDynamic = options.dynamicSchema === true;
  const attempts = typeof retry === 'object' ? retry.attempts : undefined;
  const wrong: readonly (string | false)[] = [
    !isToolName(name) &&
      `its name may hold up to 256 letters, digits, and _ - . : / only, and begins with a letter or _: ${messageOf(name)}`,
    (typeof description !== 'string' || description.trim() === '') &&
      `it needs a description for the model: ${messageOf(description)}`,
    typeof execute !== 'function' && `execute is no function: ${messageOf(execute)}`,
    !isOptionalFunction(Reflect.get(options, 'whatBecame')) &&
      `whatBecame is no function: ${messageOf(Reflect.get(options, 'whatBecame'))}`,
    isDynamic && input !== undefined && 'a dynamic schema excludes input: describe it with parameters',
    !isDynamic && inputProblem(input, parameters),
    parameters !== undefined && parametersProblem(parameters),
    isSchema(input) &&
      !canGiveJsonSchema(input) &&
      parameters === undefined &&
      `its input gives no JSON Schema and there are no parameters: a schema of ${input['~standard'].vendor}`,
    ...(isSchema(input) && parameters === undefined ? unsendableIn(input) : []),
    output !== undefined && !isSchema(output) && `its output is no Standard Schema: ${schemaFound(output)}`,
    timeoutMs !== undefined &&
      !(typeof timeoutMs === 'number' && timeoutMs > 0) &&
      `its time-out is no positive number of ms: ${foundText(timeoutMs)}`,
    attempts !== undefined &&
      !(Number.isInteger(attempts) && attempts > 0) &&
      `its attempts are no positive whole number: ${foundText(attempts)}`,
    safety !== undefined &&
      !SAFETIES.includes(safety) &&
      `its safety is none of read, write and danger: ${messageOf(safety)}`,
    options.cacheable === true &&
      (safety ?? 'read') !== 'read' &&
      `only what reads can be answered from a cache: its safety is ${messageOf(safety)}`,
  ];
  const problems = wrong.filter((each) => each !== false);
  if (problems.length > 0) throw invalid(typeof name === 'string' ? name : '', problems);
};

/** The problem of an input that is no schema. Two mistakes are made often: a JSON Schema where a Standard Schema goes, and nothing at all. */
const inputProblem = (input: unknown, parameters: unknown): string | false => {
  if (isSchema(input)) return false;
  if (input === undefined)
    return (
      parameters === undefined &&
      'it has neither input nor parameters: write `input:` with a Standard Schema such as z.object({ … }), or `parameters:` with a JSON Schema'
    );
  return isLikeJsonSchema(input)
    ? `its input is a JSON Schema, ${schemaFound(input)}: write it as \`parameters:\`, or as \`input: jsonSchema(…)\` to have its type`
    : `its input is no Standard Schema: ${schemaFound(input)}`;
};

const parametersProblem = (parameters: unknown): string | false => {
  if (isSchema(parameters))
    return `its parameters are a Standard Schema of ${parameters['~standard'].vendor}: write it as \`input:\``;
  return !isJsonObject(parameters) && `its parameters are no JSON Schema: ${foundText(parameters)}`;
};

const invalid = (name: string, problems: readonly string[]): TroupeError =>
  new TroupeError('tool.invalid', `Cannot define tool '${name}' as ${problems.join('; and as ')}`, {
    details: problems,
    ...(name === '' ? {} : { tool: name }),
  });
