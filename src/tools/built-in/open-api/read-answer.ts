import type { Json } from '../../../base/json/json.ts';
import type { MediaKind } from '../../../contracts/content/part.ts';
import type { ContentLimits } from '../../../contracts/content/read-content.ts';
import type { HttpResponse } from '../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { dual } from '../../calls/tool-result.ts';
import { failedAnswer } from '../http/failed-answer.ts';
import { isMediaType, mediaTypeOf } from '../http/media-types.ts';
import { redactEchoes, type HeaderFields } from '../http/redact-echoes.ts';
import { assertWithin } from './given-bytes.ts';

/** The call that an answer is of. */
export interface AnswerPlan {
  /** The name of the tool. */
  readonly name: string;
  readonly method: string;
  /** Headers that authenticated the request. */
  readonly secrets: HeaderFields;
  /** Limits on media. */
  readonly limits: ContentLimits;
}

/** JSON as a value, text as text, anything else as media. Fails the call for a status that is no success. */
export const readAnswer = (plan: AnswerPlan, response: HttpResponse): unknown => {
  const { name, method, secrets, limits } = plan;
  const { status, headers, isCut } = response;
  const mediaType = mediaTypeOf(headers);
  const text = redactEchoes(response.text, secrets);
  if (status < 200 || status >= 300)
    throw failedAnswer(name, response, isMediaType(mediaType) && text !== '' ? `[${mediaType}]` : text);
  if (method === 'HEAD' || response.text === '')
    return dual({ text: `Done: status ${status}.`, value: null });
  if (isMediaType(mediaType)) {
    // Bytes cannot be redacted.
    if (text !== response.text)
      throw failed(name, 'its answer repeats a header that authenticates the request');
    return mediaIn(plan, response, mediaType, limits);
  }
  if (isCut) return dual({ text: `${text}\n[cut here: the answer is longer]`, value: text });
  return /\bjson\b/i.test(mediaType) ? parseJson(text) : text;
};

const mediaIn = (
  { name }: AnswerPlan,
  { bytes, headers, isCut, text }: HttpResponse,
  mediaType: string,
  limits: ContentLimits,
) => {
  if (bytes === undefined)
    throw failed(
      name,
      `its answer is ${mediaType}, and the HTTP of the tools reads texts only: have \`ops.request\` return \`bytes\``,
    );
  if (isCut)
    throw new TroupeError(
      'content.too-large',
      `Cannot take the answer of '${name}' as it is longer than the ${bytes.byteLength || text.length} bytes of ${mediaType} that were read: raise \`content.maxBytes\`, or \`maxBytes\` of publicHttp`,
      { retryable: 'no' },
    );
  assertWithin({ mediaType, size: bytes.byteLength }, `the answer of '${name}'`, limits);
  const file = fileNameIn(headers['content-disposition'] ?? '');
  const named = file === undefined ? {} : { name: file };
  return dual({
    parts: [{ type: kindOf(mediaType), data: bytes, mediaType, ...named }],
    value: { mediaType, size: bytes.byteLength, ...named },
  });
};

const kindOf = (mediaType: string): MediaKind => {
  const [kind] = mediaType.split('/', 1);
  return kind === 'image' || kind === 'audio' ? kind : 'file';
};

/** Longest name of a file, in characters. */
const LONGEST_NAME = 120;

/** The name of a file that a server gives, without folders and control characters. */
const fileNameIn = (disposition: string): string | undefined => {
  const encoded = /;\s*filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(disposition);
  const name = (encoded === undefined ? undefined : decodePart(encoded)) ?? plain?.[1] ?? plain?.[2] ?? '';
  const last = name.split(/[/\\]/).at(-1)?.replaceAll(/\p{C}/gu, '').trim().slice(0, LONGEST_NAME);
  return last === undefined || /^\.*$/.test(last) ? undefined : last;
};

const decodePart = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const parseJson = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};

const failed = (name: string, reason: string): TroupeError =>
  new TroupeError('tool.failed', `Cannot finish '${name}' as ${reason}`, { retryable: 'no' });
