import { isObject } from '../../base/schemas/option-schemas.ts';
import type { ContentLimits, KeepBlob } from '../../contracts/content/read-content.ts';
import { isMediaBytes, readParts } from '../../contracts/content/read-content.ts';
import type { GivenPart } from '../../contracts/content/part.ts';
import { contentText } from '../../contracts/content/part.ts';
import { errorData, toError, TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { requireJson } from '../../base/json/odd-value.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { Definition } from '../define/definition.ts';

/** Bytes by their hash, on their way into a run. */
export type GivenBlobs = ReadonlyMap<string, Uint8Array>;

/** Input and options of a run with references in place of bytes, and the bytes. */
export interface GivenRun<Options extends RunOptions> {
  readonly input: Json;
  readonly options: Options;
  readonly blobs?: GivenBlobs;
}

/**
 * Takes the bytes of media out of the input and the history of a run, before anything is made of them.
 *
 * An agent that takes text takes a list of parts; in the input of others, media are found by their bytes.
 *
 * @throws {TroupeError} `content.*`; `input.invalid` for an input that is not plain JSON; `internal` if what is read throws
 */
export const readGiven = <Options extends RunOptions>(
  definition: Definition,
  input: unknown,
  options: Options,
): GivenRun<Options> => {
  try {
    return takeBytes(definition, input, options);
  } catch (thrown) {
    throw failToRead(thrown);
  }
};

const takeBytes = <Options extends RunOptions>(
  definition: Definition,
  input: unknown,
  options: Options,
): GivenRun<Options> => {
  const { history } = options;
  if (!isObject(input) && (history === undefined || !hasParts(history)))
    return { input: plainInput(definition, input), options };
  const blobs = new Map<string, Uint8Array>();
  const keep: KeepBlob = (hash, bytes) => {
    if (bytes !== undefined) blobs.set(hash, bytes);
  };
  const limits = options.content ?? {};
  const read = {
    input: readInput(definition, input, keep, limits),
    options: history === undefined ? options : { ...options, history: readTurns(history, keep, limits) },
  };
  // What was read before has references only.
  return blobs.size === 0 ? read : { ...read, blobs };
};

/** An input is recorded as it is: what JSON would change is refused before the run starts. */
const plainInput = ({ name }: Definition, input: unknown): Json =>
  // An input that is left out is null.
  requireJson(input ?? null, 'input', (problem) => {
    return new TroupeError('input.invalid', `Cannot run '${name}' as ${problem}`);
  });

/** The history of a run, whose bytes were taken when it was given. */
export const takenHistory = ({ history }: Pick<RunOptions, 'history'>): readonly Turn[] | undefined =>
  // As `readGiven` leaves it: its parts are references.
  history as readonly Turn[] | undefined;

/** The values that a caller gives may throw when they are read. */
const failToRead = (thrown: unknown): Error =>
  toError(errorData(thrown, 'internal', { message: 'Cannot start the run as what it was given threw' }));

/** Takes the bytes of media out of an input; see {@link readGiven}. @throws {TroupeError} `content.*`, `input.invalid` */
export const readInput = (
  definition: Definition,
  input: unknown,
  keep: KeepBlob,
  limits: ContentLimits,
): Json =>
  plainInput(
    definition,
    (definition.agent?.takesText ?? true) && isContent(input)
      ? readParts(input, keep, limits)
      : withoutBytes(input, keep, limits),
  );

/** Checks whether an input is a list of parts. */
const isContent = (input: unknown): input is readonly object[] =>
  Array.isArray(input) && input.length > 0 && input.every((part) => isObject(part) && 'type' in part);

/** JavaScript callers may pass anything as history: invalid turns are reported when the run prepares. */
const hasParts = (history: unknown): boolean =>
  Array.isArray(history) &&
  history.some((turn: unknown) => isObject(turn) && ('parts' in turn || 'whole' in turn));

/** Takes the bytes of media out of turns; see {@link readGiven}. @throws {TroupeError} `content.*` */
export const readTurns = (
  history: readonly Turn<GivenPart>[],
  keep: KeepBlob,
  limits: ContentLimits,
): readonly Turn<GivenPart>[] =>
  hasParts(history) ? history.map((turn) => readTurn(turn, keep, limits)) : history;

const readTurn = (turn: Turn<GivenPart>, keep: KeepBlob, limits: ContentLimits): Turn<GivenPart> => {
  const { parts, whole }: { readonly parts?: unknown; readonly whole?: unknown } = isObject(turn) ? turn : {};
  // Checked as any reference is: its hash names a file in some stores.
  if (isObject(whole)) readParts([whole], keep, limits);
  if (!Array.isArray(parts)) return turn;
  const read = readParts(parts, keep, limits);
  return { ...turn, text: saysText(turn) ? turn.text : contentText(read), parts: read };
};

const saysText = ({ text }: { readonly text: unknown }): boolean => typeof text === 'string';

/** A value in which each object of media with its bytes is a reference; the value itself if there is none. */
const withoutBytes = (value: unknown, keep: KeepBlob, limits: ContentLimits, depth = 0): unknown => {
  if (!isObject(value) || depth > DEEPEST) return value;
  if (isMediaBytes(value)) return readParts([value], keep, limits)[0];
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withoutBytes(item, keep, limits, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(
    ([key, item]: readonly [string, unknown]) => [key, withoutBytes(item, keep, limits, depth + 1)] as const,
  );
  return entries.some(([key, item]) => item !== Reflect.get(value, key))
    ? Object.fromEntries(entries)
    : value;
};

/** Media deeper than this stay as they are: plain JSON is cut there, too. */
const DEEPEST = 100;

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
