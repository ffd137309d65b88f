import type { ErrorData, Retryable } from '../contracts/error.ts';
import { TroupeError } from '../contracts/error.ts';
import { copyPlain } from '../contracts/copy-plain.ts';
import type { Json } from '../contracts/json.ts';
import { toJson } from '../contracts/json.ts';
import type {
  Artifact,
  Control,
  DualResult,
  ToolCall,
  ToolErrorKind,
  ToolFailure,
  ToolSuccess,
} from '../contracts/tool.ts';
import { capOutput } from './cap-output.ts';

const DUAL = Symbol.for('troupe.dual');

/** What {@link dual} makes: a result that keeps the type of its value. */
export interface Dual<Value = unknown> extends DualResult {
  readonly [DUAL]: true;
  readonly text: string;
  readonly value?: Value;
}

/**
 * A result in two languages: `text` for the model, `value` and `artifacts` for the program.
 *
 * Only what this function made counts as such: a plain object with a `text` is an ordinary value.
 *
 * @example
 * execute: async ({ city }) => {
 *   const forecast = await fetchForecast(city);
 *   return dual({ text: `${forecast.high} °C in ${city}`, value: forecast });
 * }
 */
export const dual = <Value = undefined>(result: {
  readonly text: string;
  readonly value?: Value;
  readonly artifacts?: readonly Artifact[] | undefined;
  readonly control?: Control | undefined;
}): Dual<Value> => ({ ...result, [DUAL]: true });

/**
 * Ends a call as failed, with these very words for the model: nothing is put before them.
 *
 * @param options.retryable Whether calling it again as it is may help. Default `no`.
 *
 * @example
 * execute: ({ id }) => orders.get(id) ?? failed(`There is no order ${id}.`)
 *
 * @throws {TroupeError} `tool.failed`, always: what a tool throws is the result of its call.
 */
export const failed = (
  text: string,
  {
    retryable = 'no',
    details,
  }: { readonly retryable?: Retryable | undefined; readonly details?: Json | undefined } = {},
): never => {
  throw new TroupeError('tool.failed', text, { retryable, details });
};

/** Checks whether a tool's return value was made by {@link dual}; true across copies of the package. */
export const isDual = (value: unknown): value is Dual =>
  typeof value === 'object' && value !== null && DUAL in value;

/** The time that a call took, and the number of its attempts: what a result holds beside its outcome. */
export interface Effort {
  /** In ms, by the run's clock. */
  readonly durationMs: number;
  readonly attempts: number;
}

/** What the model reads where a tool said nothing: providers refuse empty texts. */
export const NO_OUTPUT = '(no output)';

/**
 * What the model reads of a value: a string as it is, anything else as JSON, never empty.
 *
 * @example
 * textOf({ celsius: 21 }) // => '{"celsius":21}'
 * textOf(undefined) // => '(no output)'
 */
export const textOf = (value: unknown): string =>
  value === undefined ? NO_OUTPUT : textOfPlain(toPlain(value));

const textOfPlain = (value: Json): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.trim() === '' ? NO_OUTPUT : text;
};

/** Primitives need no copy; all else is copied, so that a tool cannot change a result after it was given. */
const toPlain = (value: unknown): Json =>
  typeof value === 'string' || typeof value === 'boolean' || value === null ? value : toJson(value);

/**
 * The result of a call that worked, from what the tool returned.
 *
 * A text of more than 65,536 bytes is cut, and the whole of it kept as an artifact, after those of the tool itself; so is
 * the value.
 */
export const success = (call: ToolCall, returned: unknown, effort: Effort): ToolSuccess => {
  const both = isDual(returned) ? returned : undefined;
  const given = both === undefined ? returned : both.value;
  const value = toPlain(given);
  const hasText = both !== undefined && both.text.trim() !== '';
  const capped = capOutput(hasText ? both.text : given === undefined ? NO_OUTPUT : textOfPlain(value), call);
  const artifacts =
    both?.artifacts === undefined
      ? capped.artifacts
      : [...both.artifacts.map((artifact) => ({ ...artifact })), ...capped.artifacts];
  return {
    callId: call.id,
    tool: call.name,
    ok: true,
    text: capped.text,
    value,
    ...effort,
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(both?.control === undefined ? {} : { control: copyPlain(both.control) }),
  };
};

/** The result of a call that did not work; the model reads the error's message. */
export const failure = (
  call: ToolCall,
  kind: ToolErrorKind,
  error: ErrorData,
  effort: Effort,
): ToolFailure => {
  const kept = shortened(error);
  return {
    callId: call.id,
    tool: call.name,
    ok: false,
    kind,
    error: kept,
    text: textOf(kept.message),
    ...effort,
  };
};

/** Errors live in contexts, events and prompts: a page of a failed download must not. In characters. */
const MAX_MESSAGE = 4_000;

const shortened = (error: ErrorData): ErrorData => {
  const isShort = error.message.length <= MAX_MESSAGE && (error.cause?.message.length ?? 0) <= MAX_MESSAGE;
  if (isShort) return error;
  const { cause } = error;
  return {
    ...error,
    message: shorten(error.message),
    ...(cause === undefined ? {} : { cause: { name: cause.name, message: shorten(cause.message) } }),
  };
};

const shorten = (text: string): string =>
  text.length <= MAX_MESSAGE
    ? text
    : `${text.slice(0, MAX_MESSAGE)}… (${text.length - MAX_MESSAGE} more characters)`;
