import type { Clock } from '../../../base/clock.ts';
import type { Json } from '../../../base/json/json.ts';
import { hasUnsafeKey, isTooDeep, toJson } from '../../../base/json/json.ts';
import type { TroupeError } from '../../../contracts/errors/error.ts';
import { readText, TooLate, TooLong } from '../../../base/text/read-text.ts';
import { refusal } from './refusal.ts';

/** Bounds of a body. */
export interface BodyBounds {
  readonly bodyBytes: number;
  readonly bodyMs: number;
  readonly clock: Clock;
}

/**
 * Reads the body of a request as JSON; an empty one is an empty object.
 *
 * @throws {TroupeError} `server.refused` with its status: 413 for one that is too long, counted as it arrives; 408 for one that takes too
 * long; 415 for one that does not say it is JSON; 400 for one that is none, or has keys that could change a prototype.
 */
export const readJson = async (request: Request, bounds: BodyBounds): Promise<Json> => {
  const isEmpty = request.body === null;
  const type = request.headers.get('content-type');
  if (type === null ? !isEmpty && request.headers.get('content-length') !== '0' : !isJson(type))
    throw refusal(415, 'its content type is not application/json');
  if (isEmpty) return {};
  const text = await textIn(request, bounds);
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusal(400, 'its body is not JSON');
  }
  if (isTooDeep(value)) throw refusal(400, 'its body is nested too deeply');
  if (hasUnsafeKey(value)) throw refusal(400, 'its body has a key that could change a prototype');
  return toJson(value);
};

const isJson = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type);

const textIn = async (
  { body, headers }: Request,
  { bodyBytes, bodyMs, clock }: BodyBounds,
): Promise<string> => {
  if (Number(headers.get('content-length') ?? 0) > bodyBytes) throw tooLong(bodyBytes);
  try {
    return await readText(body, bodyBytes, { withinMs: bodyMs, clock });
  } catch (thrown) {
    if (thrown instanceof TooLong) throw tooLong(bodyBytes);
    if (thrown instanceof TooLate) throw refusal(408, `its body did not arrive within ${bodyMs} ms`);
    throw refusal(400, 'its body is not UTF-8, or not whole');
  }
};

const tooLong = (bodyBytes: number): TroupeError => refusal(413, `its body has more than ${bodyBytes} bytes`);
