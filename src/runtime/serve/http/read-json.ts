import type { Clock } from '../../../base/clock.ts';
import type { Json } from '../../../base/json/json.ts';
import { hasUnsafeKey, isTooDeep, toJson } from '../../../base/json/json.ts';
import type { TroupeError } from '../../../contracts/errors/error.ts';
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
  const text = await readText(request, bounds);
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

const isJson = (type: string): boolean => /^application\/json\s*(?:;|$)/i.test(type);

const readText = async (
  { body, headers }: Request,
  { bodyBytes, bodyMs, clock }: BodyBounds,
): Promise<string> => {
  if (body === null) return '';
  if (Number(headers.get('content-length') ?? 0) > bodyBytes) throw tooLong(bodyBytes);
  const reader = body.getReader();
  let late: (error: TroupeError) => void = () => undefined;
  const lateness = new Promise<never>((_, reject) => {
    late = reject;
  });
  const timer = clock.setTimeout(() => {
    late(refusal(408, `its body did not arrive within ${bodyMs} ms`));
  }, bodyMs);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const texts: string[] = [];
  let length = 0;
  try {
    for (;;) {
      const { value, done } = await Promise.race([reader.read(), lateness]);
      if (done) break;
      length += value.byteLength;
      if (length > bodyBytes) throw tooLong(bodyBytes);
      texts.push(textOf(decoder, value));
    }
    texts.push(textOf(decoder));
    return texts.join('');
  } catch (thrown) {
    // The rest is not read; the client may be gone.
    void reader.cancel().catch(() => undefined);
    throw thrown;
  } finally {
    clock.clearTimeout(timer);
    lateness.catch(() => undefined);
  }
};

const textOf = (decoder: InstanceType<typeof TextDecoder>, bytes?: Uint8Array): string => {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    throw refusal(400, 'its body is not UTF-8');
  }
};

const tooLong = (bodyBytes: number): TroupeError => refusal(413, `its body has more than ${bodyBytes} bytes`);
