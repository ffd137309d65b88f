import { isJsonObject, type JsonObject, toJson } from '../../base/json/json.ts';

/**
 * Extracts the error of a body, as `{ message, code, type … }`; undefined if it has none.
 *
 * Providers write it in many ways: `{ error: {} }`, `{ error: 'text' }`, `[{ error }]`, `{ object: 'error', message }`,
 * `{ detail }` as text or as a list, `{ message }`, `{ errors: [] }`. If a relay wraps the error of the provider behind
 * it, the inner text is added: it distinguishes a full context from a wrong key.
 *
 * @example
 * errorInBody({ detail: [{ loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }] })
 * // => { message: 'body.seed: Extra inputs are not permitted' }
 */
export const errorInBody = (body: unknown): JsonObject | undefined => {
  const plain = toJson(body);
  if (Array.isArray(plain)) {
    const [first] = plain;
    return isJsonObject(first) ? errorInBody(first) : undefined;
  }
  if (!isJsonObject(plain)) return undefined;
  const { error, errors } = plain;
  if (isJsonObject(error)) return withWords(error, error);
  if (typeof error === 'string' && error !== '') return withWords(plain, { message: error });
  if (Array.isArray(errors) && isJsonObject(errors[0])) return withWords(errors[0], errors[0]);
  return wordsIn(plain) === undefined ? undefined : withWords(plain, plain);
};

/** Keeps the fields that describe the error, with its texts as one message. */
const withWords = (source: JsonObject, said: JsonObject): JsonObject => {
  const { error: _error, object: _object, detail: _detail, ...facts } = source;
  const words = wordsIn(said);
  const inner = relayedWords(source);
  const message = [words, inner].filter((each) => each !== undefined).join(': ');
  return message === '' ? facts : { ...facts, message };
};

const wordsIn = ({ message, detail, msg }: JsonObject): string | undefined => {
  for (const each of [message, detail, msg]) {
    const found = wordsOf(each);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Joins a text, or a list of problems, at any depth. */
const wordsOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (Array.isArray(value)) {
    const all = value.map(wordsOf).filter((each) => each !== undefined);
    return all.length === 0 ? undefined : all.join('; ');
  }
  if (!isJsonObject(value)) return undefined;
  const words = wordsIn(value);
  const { loc } = value;
  return words !== undefined && Array.isArray(loc) ? `${loc.join('.')}: ${words}` : words;
};

/** The body of the provider behind OpenRouter, which forwards it as text. */
const relayedWords = ({ metadata }: JsonObject): string | undefined => {
  const raw = isJsonObject(metadata) ? metadata['raw'] : undefined;
  if (typeof raw !== 'string' || raw === '') return undefined;
  try {
    const found = errorInBody(JSON.parse(raw))?.['message'];
    return typeof found === 'string' ? found : raw;
  } catch {
    return raw;
  }
};

/**
 * Rewrites the body of a refusal to the one form that the SDKs read; any other response is unchanged. They drop unknown
 * forms, and would only say "400 status code (no body)".
 */
export const withReadableError = async (response: Response): Promise<Response> => {
  if (response.ok || response.body === null) return response;
  const text = await response.text();
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // The text is decoded already, and its length may change.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  return new Response(readableBody(text), { status, statusText, headers });
};

const readableBody = (text: string): string => {
  try {
    const body: unknown = JSON.parse(text);
    const error = errorInBody(body);
    if (error === undefined) return text;
    return JSON.stringify(isJsonObject(body) ? { ...body, error } : { error });
  } catch {
    return text;
  }
};
