import type { Json } from '../../../base/json/json.ts';
import type { MediaKind } from '../../../contracts/content/part.ts';
import type { ContentLimits } from '../../../contracts/content/read-content.ts';
import type { HttpResponse } from '../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { classifyToolError } from '../../calls/classify-tool-error.ts';
import { dual } from '../../calls/tool-result.ts';
import { assertWithin } from './given-bytes.ts';

/** Headers by their names. */
type HeaderFields = Readonly<Record<string, string>>;

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

/** Characters of a body that an error quotes. */
const MAX_QUOTED = 2_000;

/** Shorter values are no secrets, and would tear words apart. */
const LEAST_SECRET = 8;

/** JSON as a value, text as text, anything else as media. Fails the call for a status that is no success. */
export const readAnswer = (plan: AnswerPlan, response: HttpResponse): unknown => {
  const { name, method, secrets, limits } = plan;
  const { status, headers, isCut } = response;
  const mediaType = typeOf(headers);
  const text = redactEchoes(response.text, secrets);
  if (status < 200 || status >= 300)
    throw failureOf(name, response, isMedia(mediaType) && text !== '' ? `[${mediaType}]` : text);
  if (method === 'HEAD' || response.text === '')
    return dual({ text: `Done: status ${status}.`, value: null });
  if (isMedia(mediaType)) {
    // Bytes cannot be redacted.
    if (text !== response.text)
      throw failed(name, 'its answer repeats a header that authenticates the request');
    return mediaIn(plan, response, mediaType, limits);
  }
  if (isCut) return dual({ text: `${text}\n[cut here: the answer is longer]`, value: text });
  return /\bjson\b/i.test(mediaType) ? parseJson(text) : text;
};

/** The media type of an answer, without parameters. */
const typeOf = (headers: HeaderFields): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Types of `application` that are texts. */
const TEXTS =
  /^application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|json-seq|x-ndjson|ndjson|jsonl|x-yaml|(?:x-)?javascript|ecmascript|x-www-form-urlencoded|graphql|sql|toml)$/;

const isMedia = (type: string): boolean =>
  (/^(?:image|audio|video|font|model)\//.test(type) && !type.endsWith('+xml')) ||
  (type.startsWith('application/') && !TEXTS.test(type));

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

/** Some servers repeat the headers that they were sent. */
const redactEchoes = (text: string, secrets: HeaderFields): string =>
  Object.entries(secrets)
    .flatMap(([name, value]) => [value, ...value.split(/\s+/)].map((part) => ({ name, part })))
    .filter(({ part }) => part.length >= LEAST_SECRET)
    .reduce((shown, { name, part }) => shown.replaceAll(part, () => `[redacted ${name}]`), text);

const parseJson = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};

const failed = (name: string, reason: string): TroupeError =>
  new TroupeError('tool.failed', `Cannot finish '${name}' as ${reason}`, { retryable: 'no' });

const failureOf = (name: string, { status, headers }: HttpResponse, text: string): TroupeError => {
  const body = text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`;
  const waitMs = Number(headers['retry-after'] ?? NaN) * 1_000;
  return new TroupeError(
    'tool.failed',
    `Cannot finish '${name}' as the server answered ${status}${body === '' ? '' : `: ${body}`}`,
    {
      status,
      // A redirect that was not followed leads nowhere the next time, either.
      retryable: status < 400 ? 'no' : classifyToolError({ status }),
      details: { status, body },
      ...(waitMs >= 0 && Number.isFinite(waitMs) ? { retryAfterMs: waitMs } : {}),
    },
  );
};
