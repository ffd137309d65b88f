import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json, JsonSchema } from '../../base/json/json.ts';
import type { Checked, OutputOf, Schema } from '../../base/schemas/schema.ts';
import type { Tool, ToolContext, ToolRetry } from '../../contracts/tools/tool.ts';
import { canGiveJsonSchema, checkInput, jsonSchemaOf } from '../schemas/schemas.ts';
import { isThenable, letGo } from '../../base/promises/thenable.ts';
import { onDemand } from '../../base/on-demand.ts';
import { jsonSchema } from '../schemas/json-schema.ts';
import { becameOf, checkingOutput } from './fitting-output.ts';
import { checkTool } from './tool-options.ts';
import type { Returned, ToolOptions } from './tool-options.ts';
import type { Dual } from '../calls/tool-result.ts';

/** In ms. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** Default number of attempts of a repeatable tool. */
const DEFAULT_ATTEMPTS = 3;

/** The value in what a tool returned: without its promise, and without the text of a dual result. */
export type ValueOf<Result> = Awaited<Result> extends Dual<infer Value> ? Value : Awaited<Result>;

/** The validated result of `execute`; a promise if execution or validation is asynchronous. */
export type Fitted<Value> = Value | Dual<Value> | Promise<Value | Dual<Value>>;

/** A tool with its types, so that programs and tests can call it. */
export interface DefinedTool<Input = unknown, Output = unknown, Result = unknown> extends Tool {
  /** With checked input: `await add.execute({ a: 1, b: 2 }, context)`. */
  execute(input: Input, context: ToolContext): Result;
  /** Never there at run time: carries the types of the checked input and of the value. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/**
 * Defines a tool: something that an agent can do. Types of the input are inferred from its schema.
 *
 * The input is validated before `execute` sees it; an error thrown by `execute` is sent to the model, never to the
 * caller.
 *
 * @example
 * const add = tool({
 * name: 'add',
 * description: 'Add two numbers.',
 * input: z.object({ a: z.number(), b: z.number() }),
 * execute: ({ a, b }) => a + b,
 * });
 *
 * @throws `tool.invalid` with all problems: the name, a missing description, an invalid schema.
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
  checkTool(options);
  const { input, parameters } = schemasOf(options);
  return toolOf<Input, Output, Result>(options, () => input, parameters);
};

/** Defines a tool of this package: like {@link tool}, without validation and with a lazy schema, to load fast. */
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
    toolOf<Input, undefined, Result>({ safety: 'read', ...options }, onDemand(input)),
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
  const { safety = 'read' } = options;
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
    ...(options.deferred === undefined ? {} : { deferred: options.deferred }),
    deprecated: options.deprecated,
    replacedBy: options.replacedBy,
    safety,
    ...(options.safety === undefined ? { undeclared: true } : {}),
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
      return output === undefined ? undefined : deriveJsonSchema(output);
    },
    check,
    needsApproval: (raw) => {
      if (typeof approval !== 'function') return approval ?? safety === 'danger';
      const checked = check(raw);
      letGo(checked);
      // An input can be judged only after validation: until then a person is asked, as where it throws.
      return isThenable(checked) || (checked.ok && approval(checked.value));
    },
    describe: (raw) => {
      try {
        const checked = describe === undefined ? undefined : check(raw);
        // A promise from a check or a description is not awaited: its rejection must not go unhandled.
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

/** Returns the schema of the input, and the one for the model if it is given; parameters alone are both. */
const schemasOf = ({
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

/** The result type of a tool's `execute`: validated if there is an output schema. */
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

/** Creates the input validation; without a schema everything is accepted unchanged. */
const checkerOf =
  <Value>(input: () => Schema | undefined) =>
  (raw: Json): Checked<Value> | Promise<Checked<Value>> => {
    // The schema is the one from which `Value` was inferred: TypeScript cannot see that through the conditional type.
    const schema = input() as Schema<unknown, Value> | undefined;
    return schema === undefined ? { ok: true, value: raw as Value } : checkInput(schema, raw);
  };

/** An unset value follows idempotence; an explicit one takes precedence. */
const retryOf = (retry: boolean | Partial<ToolRetry> | undefined, idempotent: boolean): ToolRetry => {
  const said = typeof retry === 'object' ? retry : {};
  const isRepeated = retry === undefined ? idempotent : retry !== false;
  return {
    attempts: said.attempts ?? (isRepeated ? DEFAULT_ATTEMPTS : 1),
    initialWaitMs: said.initialWaitMs ?? 500,
    maxWaitMs: said.maxWaitMs ?? 10_000,
  };
};

/** Undefined if the schema's library cannot produce one. */
const deriveJsonSchema = (schema: Schema): JsonSchema | undefined => {
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
  // A union of objects has no type of its own, but providers require one at the root.
  if (schema['type'] === undefined) return { type: 'object', ...schema };
  if (schema['type'] === 'object') return schema;
  throw new TroupeError(
    'tool.invalid',
    `Cannot define tool '${name}' as its input is not an object: ${JSON.stringify(schema['type'])}`,
    { tool: name },
  );
};
