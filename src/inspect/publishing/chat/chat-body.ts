import type { JsonObject } from '../../../base/json/json.ts';
import { isJsonObject, toJson } from '../../../base/json/json.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';

/** Limits on what a client sends. */
export interface ChatLimits {
  /** Of the whole request, in bytes; media in it are in base64. Default 33,554,432 (32 MiB). */
  readonly maxBytes?: number | undefined;
  /** Maximum number of messages. Default 1,000. */
  readonly maxMessages?: number | undefined;
  /** Maximum number of parts of one message. Default 1,000. */
  readonly maxParts?: number | undefined;
}

const MAX_BYTES = 33_554_432;

/**
 * Reads what a client has sent as a JSON object: the body of a request, or one that was parsed already.
 *
 * @throws {TroupeError} `content.too-large`; `input.invalid` for what is no JSON object.
 */
export const readChatBody = async (
  given: unknown,
  { maxBytes = MAX_BYTES }: ChatLimits,
): Promise<JsonObject> => {
  const parsed = given instanceof Request ? parseBody(await bodyText(given, maxBytes)) : given;
  const body = toJson(parsed);
  if (!isJsonObject(body)) throw refusal(`it is no JSON object: ${foundText(parsed)}`);
  return body;
};

/** The error for a request that no genuine client sends. */
export const refusal = (reason: string): TroupeError =>
  new TroupeError('input.invalid', `Cannot read the request of the chat as ${reason}`);

const parseBody = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(`its body is no JSON: ${foundText(text)}`);
  }
};

/** The text of a body, no more of which is read than is allowed. */
const bodyText = async (request: Request, maxBytes: number): Promise<string> => {
  if (request.body === null) return '';
  const decoder = new TextDecoder();
  const reader = request.body.getReader();
  let text = '';
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      throw new TroupeError(
        'content.too-large',
        `Cannot read the request of the chat as it is too large: more than ${maxBytes} bytes (\`maxBytes\`)`,
      );
    }
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
};
