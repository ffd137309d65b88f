import type { GivenPart, Part } from '../../contracts/content/part.ts';
import { contentText } from '../../contracts/content/part.ts';
import { readParts } from '../../contracts/content/read-content.ts';
import type { ErrorData, Retryable } from '../../contracts/errors/error-data.ts';
import { passThrown } from '../../contracts/errors/thrown-by.ts';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { copyPlain } from '../../base/json/copy-plain.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type {
  Artifact,
  Control,
  DualResult,
  ToolErrorKind,
  ToolFailure,
  ToolSuccess,
} from '../../contracts/tools/tool-result.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';

const DUAL = Symbol.for('troupe.dual');
const PARTS = Symbol.for('troupe.failed-parts');

/** The result of {@link dual}, with the type of its value. */
export interface Dual<Value = unknown> extends DualResult {
  readonly [DUAL]: true;
  readonly text: string;
  readonly value?: Value;
}

/**
 * A result with two representations: `text` and `parts` for the model, `value` and `artifacts` for the program.
 *
 * Only results of this function count: a plain object with a `text` is an ordinary value. Parts are images, audio, files and
 * data that the model is shown after the text; without a text, their names stand for them where only text fits.
 *
 * @example
 * execute: async ({ city }) => {
 *   const forecast = await fetchForecast(city);
 *   return dual({ text: `${forecast.high} °C in ${city}`, value: forecast });
 * }
 */
export const dual = <Value = undefined>(result: {
  readonly text?: string | undefined;
  readonly parts?: readonly GivenPart[] | undefined;
  readonly value?: Value;
  readonly artifacts?: readonly Artifact[] | undefined;
  readonly control?: Control | undefined;
}): Dual<Value> => ({ ...result, text: result.text ?? '', [DUAL]: true });

/**
 * Fails a call, with exactly this text for the model: no prefix is added.
 *
 * @param options.retryable Whether an unchanged retry may help. Default `no`.
 * @param options.parts Images, audio and files for the model, after the text; a text says of one that the run does not take why.
 *
 * @example
 * execute: ({ id }) => orders.get(id) ?? failed(`There is no order ${id}.`)
 *
 * @throws {TroupeError} `tool.failed`, always: a tool's error is the result of its call.
 */
export const failed = (
  text: string,
  {
    retryable = 'no',
    details,
    parts = [],
  }: {
    readonly retryable?: Retryable | undefined;
    readonly details?: Json | undefined;
    readonly parts?: readonly GivenPart[] | undefined;
  } = {},
): never => {
  const error = new TroupeError('tool.failed', textOfFailure(text), { retryable, details });
  // Beside its data, which goes into events and journals: bytes do not.
  throw Object.defineProperty(error, PARTS, { value: parts });
};

/** The answer of another library may have anything as its error. */
const textOfFailure = (text: unknown): string =>
  text === undefined || text === null ? 'It failed, and no reason was given.' : messageOf(text);

/** Checks whether a tool's return value was made by {@link dual}; true across copies of the package. */
export const isDual = (value: unknown): value is Dual =>
  typeof value === 'object' && value !== null && DUAL in value;

/** Duration of a call, and the number of its attempts. */
export interface Effort {
  /** In ms, by the run's clock. */
  readonly durationMs: number;
  readonly attempts: number;
}

/** The text for the model if a tool returned none: providers refuse empty texts. */
export const NO_OUTPUT = '(no output)';

/**
 * Returns the text of a value for the model: a string as it is, anything else as JSON, never empty.
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

/** Primitives need no copy; all other values are copied, so that a tool cannot change a result later. */
const toPlain = (value: unknown): Json =>
  typeof value === 'string' || typeof value === 'boolean' || value === null ? value : toJson(value);

/** Builds the result of a successful call from the tool's return value. */
export const success = (
  call: ToolCall,
  returned: unknown,
  effort: Effort,
  content: TakesContent = WITHOUT_RUN,
): ToolSuccess => {
  const both = isDual(returned) ? returned : undefined;
  const given = both === undefined ? returned : both.value;
  const unread = typeof given === 'object' && given !== null ? unreadKind(given) : undefined;
  if (unread !== undefined)
    throw new TroupeError('tool.failed', `Cannot use the result of '${call.name}' as it returned ${unread}`);
  const value = toPlain(given);
  const said = both === undefined ? '' : both.text;
  const parts = shownParts(said, both?.parts, content);
  const text = parts === undefined ? said : contentText(parts);
  const artifacts = both?.artifacts?.map((artifact) => ({ ...artifact })) ?? [];
  return {
    callId: call.id,
    tool: call.name,
    ok: true,
    text: text.trim() !== '' ? text : given === undefined ? NO_OUTPUT : textOfPlain(value),
    ...(parts === undefined ? {} : { parts }),
    value,
    ...effort,
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(both?.control === undefined ? {} : { control: copyPlain(both.control) }),
  };
};

/** Names an object that must be read before it is a value, and how: as JSON it would be `{}`. */
const unreadKind = (given: object): string | undefined => {
  switch (Object.prototype.toString.call(given)) {
    case '[object Response]':
      return 'a Response: return await response.text(), or await response.json()';
    case '[object ReadableStream]':
      return 'a ReadableStream: return await new Response(stream).text()';
    case '[object Generator]':
      return 'an iterator: return a list of what it yields';
    default:
      // An object with data of its own, such as a page of results, shows them.
      return Symbol.asyncIterator in given && Object.keys(given).length === 0
        ? 'an async iterator: collect it, and return a value'
        : undefined;
  }
};

/** Takes the parts of a result into the run. */
export interface TakesContent {
  take(parts: readonly unknown[]): readonly Part[];
}

/** Outside a run nobody holds the bytes. */
const WITHOUT_RUN: TakesContent = { take: (parts) => readParts(parts, () => undefined) };

/** The text of a result and its parts, in order; undefined if there is only text. */
const shownParts = (
  text: string,
  given: readonly GivenPart[] = [],
  content: TakesContent,
): readonly Part[] | undefined => {
  if (given.length === 0) return undefined;
  const parts = content.take(given);
  return text.trim() === '' ? parts : [{ type: 'text', text }, ...parts];
};

/** Takes the parts of a failure into the run. One that is refused is a text that says why, as the failure itself must not be lost. */
export const takeFailedParts = (thrown: unknown, content: TakesContent = WITHOUT_RUN): readonly Part[] =>
  failedParts(thrown).flatMap((part): readonly Part[] => {
    try {
      return content.take([part]);
    } catch (refusal) {
      return [{ type: 'text', text: `(${messageOf(refusal)})` }];
    }
  });

/** The parts that {@link failed} was given; none of any other thrown value, which may throw when it is looked at. */
const failedParts = (thrown: unknown): readonly unknown[] => {
  try {
    const parts: unknown = isTroupeError(thrown) && PARTS in thrown ? thrown[PARTS] : [];
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
};

/** The result of a call that did not work; the model reads the error's message, and sees the parts after it. */
export const failure = (
  call: ToolCall,
  kind: ToolErrorKind,
  error: ErrorData,
  effort: Effort,
  shown: readonly Part[] = [],
): ToolFailure => {
  const kept = shortenError(error);
  const text = textOf(kept.message);
  const parts: readonly Part[] = [{ type: 'text', text }, ...shown];
  return {
    callId: call.id,
    tool: call.name,
    ok: false,
    kind,
    error: kept,
    ...(shown.length === 0 ? { text } : { text: contentText(parts), parts }),
    ...effort,
  };
};

/** Errors live in contexts, events and prompts: a page of a failed download must not. In characters. */
const MAX_MESSAGE = 4_000;

const shortenError = (error: ErrorData): ErrorData => {
  const isShort = error.message.length <= MAX_MESSAGE && (error.cause?.message.length ?? 0) <= MAX_MESSAGE;
  if (isShort) return error;
  const { cause } = error;
  return passThrown(error, {
    ...error,
    message: shorten(error.message),
    ...(cause === undefined ? {} : { cause: { name: cause.name, message: shorten(cause.message) } }),
  });
};

const shorten = (text: string): string =>
  text.length <= MAX_MESSAGE
    ? text
    : `${text.slice(0, MAX_MESSAGE)}… (${text.length - MAX_MESSAGE} more characters)`;
