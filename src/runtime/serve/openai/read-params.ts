import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import { paramError } from './wire-error.ts';

/** The parameters of a protocol, by what becomes of them. */
export interface Params {
  /** Read by the face. */
  readonly taken: readonly string[];
  /** Settings of a model: an agent has its own. A response names those that had no effect. */
  readonly withoutEffect: readonly string[];
  /** Refused, unless the value asks for nothing; with the reason. */
  readonly refused: Readonly<
    Record<string, { readonly unless: (value: Json) => boolean; readonly why: string }>
  >;
}

/**
 * Sorts the parameters of a request; returns the names of those without effect.
 *
 * @throws {TroupeError} `input.invalid`, with the name of a parameter that is refused, or unknown.
 */
export const sortParams = (
  body: JsonObject,
  { taken, withoutEffect, refused }: Params,
): readonly string[] => {
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === null || value === undefined || taken.includes(name)) continue;
    if (withoutEffect.includes(name)) {
      ignored.push(name);
      continue;
    }
    const rule = Object.hasOwn(refused, name) ? refused[name] : undefined;
    if (rule === undefined)
      throw paramError(name, `it has an unknown parameter: '${name}'`, 'unknown_parameter');
    if (!rule.unless(value))
      throw paramError(name, `${rule.why}: leave out '${name}'`, 'unsupported_parameter');
  }
  return ignored;
};

/** Reads a parameter that is a text. @throws {TroupeError} `input.invalid` */
export const textIn = (body: JsonObject, name: string): string | undefined => {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw paramError(name, `'${name}' is no text: ${foundText(value)}`);
};

/** Reads a parameter that is true or false. @throws {TroupeError} `input.invalid` */
export const flagIn = (body: JsonObject, name: string): boolean | undefined => {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw paramError(name, `'${name}' is neither true nor false: ${foundText(value)}`);
};

/** Reads a parameter that is an object. @throws {TroupeError} `input.invalid` */
export const objectIn = (body: JsonObject, name: string): JsonObject | undefined => {
  const value = body[name] ?? undefined;
  if (value === undefined || isJsonObject(value)) return value;
  throw paramError(name, `'${name}' is no object: ${foundText(value)}`);
};

/** Reads the name of the agent. @throws {TroupeError} `input.invalid` */
export const modelIn = (body: JsonObject): string => {
  const model = textIn(body, 'model');
  if (model === undefined || model === '')
    throw paramError('model', "it has no 'model': name an agent, as GET /v1/models lists them");
  return model;
};

/** Reads the pairs that a client keeps with a response. @throws {TroupeError} `input.invalid` */
export const metadataIn = (body: JsonObject): Readonly<Record<string, string>> => {
  const pairs = Object.entries(objectIn(body, 'metadata') ?? {});
  const texts = pairs.flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' && value.length <= 512 && key.length <= 64 ? [[key, value]] : [],
  );
  if (texts.length === pairs.length && pairs.length <= 16) return Object.fromEntries(texts);
  throw paramError(
    'metadata',
    "'metadata' has more than 16 pairs, or one that is no text, or longer than 64 and 512 characters",
  );
};

export const isNothing = (value: Json): boolean =>
  value === false ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0);
