import { bytesIn, fromBase64 } from '../../base/bytes.ts';
import { oddValueIn } from '../../base/json/odd-value.ts';
import { platformSha256 } from '../../base/platform-sha256.ts';
import { TroupeError } from '../errors/error.ts';
import { foundText } from '../errors/found-text.ts';
import { imageSize } from './image-size.ts';
import { agreedMediaType, isAmong, mediaTypeOf, UNKNOWN } from './media-type.ts';
import type { LinkPart, MediaKind, MediaPart, Part } from './part.ts';

/** Limits on the media that come into a run. */
export interface ContentLimits {
  /** Of one part, in bytes. Default 33,554,432 (32 MiB). */
  readonly maxBytes?: number | undefined;
  /** Of one image, width times height as its header states them. Default 100,000,000. */
  readonly maxPixels?: number | undefined;
  /** The media types that may come in, such as `image/png` or `image/*`. Default: all. */
  readonly mediaTypes?: readonly string[] | undefined;
}

/** Takes over the bytes of a part; of a reference, which has none, notes that it is there. */
export type KeepBlob = (hash: string, bytes?: Uint8Array) => void;

const MAX_BYTES = 33_554_432;
const MAX_PIXELS = 100_000_000;

/**
 * Reads parts as they were given: bytes, base64 and `data:` URLs become references, and `keep` gets the bytes.
 *
 * Nothing is unpacked: of an image only the header is read.
 *
 * @throws {TroupeError} `content.invalid` for what is no part, or whose bytes are of another type than stated;
 *   `content.too-large`; `content.refused` for a media type that the limits do not name.
 */
export const readParts = (
  given: readonly unknown[],
  keep: KeepBlob,
  limits: ContentLimits = {},
): readonly Part[] => given.map((part, index) => readPart(part, `part ${index + 1}`, keep, limits));

/** Checks whether a value is media with its bytes in it. */
export const isMediaBytes = (value: object): boolean =>
  'type' in value &&
  isKind(value.type) &&
  'data' in value &&
  (value.data instanceof ArrayBuffer || ArrayBuffer.isView(value.data));

const readPart = (given: unknown, place: string, keep: KeepBlob, limits: ContentLimits): Part => {
  if (!isRecord(given)) throw invalid(place, `it is no object: ${foundText(given)}`);
  const { type, text, data } = given;
  if (type === 'text')
    return typeof text === 'string'
      ? { type, text }
      : raise(invalid(place, `it is a text part without a text: ${foundText(text)}`));
  if (type === 'data') return dataPart(given, place);
  if (!isKind(type))
    throw invalid(place, `its type is not 'text', 'data', 'image', 'audio' or 'file': ${foundText(type)}`);
  const name = textIn(given, 'name', place);
  const mediaType = textIn(given, 'mediaType', place)?.trim().toLowerCase();
  if (mediaType !== undefined && !MEDIA_TYPE.test(mediaType))
    throw invalid(place, `its media type is none: ${foundText(mediaType)}`);
  const facts = { type, place, limits, ...(name === undefined ? {} : { name }) };
  if ('hash' in given) {
    const known = reference(given, facts, mediaType);
    keep(known.hash);
    return known;
  }
  if ('url' in given) return link(given['url'], facts, mediaType);
  if (typeof data === 'string' && /^https?:/i.test(data.trim())) return link(data, facts, mediaType);
  const { bytes, stated } = bytesOf(data, facts, mediaType);
  return media(bytes, facts, stated, keep);
};

/** Facts of a part of media, whatever form it was given in. */
interface Facts {
  readonly type: MediaKind;
  readonly name?: string;
  readonly place: string;
  readonly limits: ContentLimits;
}

const dataPart = (given: Readonly<Record<string, unknown>>, place: string): Part => {
  const name = textIn(given, 'name', place);
  const odd = oddValueIn(given['data'], 'data');
  if (odd !== undefined || given['data'] === undefined)
    throw invalid(
      place,
      `its data is not plain JSON: ${odd === undefined ? 'there is none' : `${odd.found} at ${odd.at}`}`,
    );
  // Just checked: it is plain JSON.
  const { data } = given as { readonly data: Extract<Part, { type: 'data' }>['data'] };
  return { type: 'data', data, ...(name === undefined ? {} : { name }) };
};

/** A reference that was made before, in this run or another one of the same blob store. */
const reference = (
  given: Readonly<Record<string, unknown>>,
  { type, name, place }: Facts,
  mediaType: string | undefined,
): MediaPart => {
  const { hash, size, width, height } = given;
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash))
    throw invalid(place, `its hash is no SHA-256 in hex: ${foundText(hash)}`);
  if (mediaType === undefined || !isCount(size))
    throw invalid(place, `it refers to bytes without their media type and size: ${foundText(given)}`);
  const isSized = isCount(width) && isCount(height);
  return { type, hash, mediaType, size, ...nameField(name), ...(isSized ? { width, height } : {}) };
};

const link = (
  given: unknown,
  { type, name, place, limits }: Facts,
  mediaType: string | undefined,
): LinkPart => {
  const url = String(given).trim();
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw invalid(place, `its address is not one of 'https:': ${foundText(given)}`);
  if (mediaType !== undefined) assertAllowed(mediaType, place, limits);
  return { type, url, ...(mediaType === undefined ? {} : { mediaType }), ...nameField(name) };
};

const bytesOf = (
  data: unknown,
  { place, limits }: Facts,
  mediaType: string | undefined,
): { readonly bytes: Uint8Array; readonly stated: string | undefined } => {
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data))
    return { bytes: bytesIn(data), stated: mediaType };
  if (typeof data !== 'string') throw invalid(place, `it has no bytes: ${foundText(data)}${hintOn(data)}`);
  // Checked before it is decoded: four characters are three bytes.
  assertSize(Math.floor((data.length * 3) / 4) - HEAD, place, limits);
  const url = /^data:([^,;]*)((?:;[^,;]*)*),/i.exec(data);
  if (url === null) return { bytes: decode(data, place), stated: mediaType };
  const [head, inUrl = '', options = ''] = url;
  const body = data.slice(head.length);
  const stated = mediaType ?? (inUrl === '' ? undefined : inUrl.toLowerCase());
  if (/;\s*base64\s*$/i.test(options)) return { bytes: decode(body, place), stated };
  try {
    return { bytes: new TextEncoder().encode(decodeURIComponent(body)), stated: stated ?? 'text/plain' };
  } catch {
    throw invalid(place, `its data URL cannot be decoded: ${foundText(data.slice(0, 60))}`);
  }
};

/** The longest head of a `data:` URL that is allowed for when its size is estimated. */
const HEAD = 1_024;

const hintOn = (data: unknown): string =>
  typeof Blob !== 'undefined' && data instanceof Blob ? ': write `await blob.arrayBuffer()`' : '';

const decode = (base64: string, place: string): Uint8Array => {
  const bytes = fromBase64(base64);
  if (bytes === undefined)
    throw invalid(place, `its text is neither base64 nor a URL: ${foundText(base64.slice(0, 60))}`);
  return bytes;
};

const media = (
  given: Uint8Array,
  { type, name, place, limits }: Facts,
  stated: string | undefined,
  keep: KeepBlob,
): MediaPart => {
  assertSize(given.byteLength, place, limits);
  if (given.byteLength === 0) throw invalid(place, 'it has no bytes: they are empty');
  // A copy: the caller's buffer may change.
  const bytes = given.slice();
  const mediaType = mediaTypeFor(bytes, type, stated, place);
  assertAllowed(mediaType, place, limits);
  const size = type === 'image' ? imageSize(bytes, mediaType) : undefined;
  const { maxPixels = MAX_PIXELS } = limits;
  if (size !== undefined && size.width * size.height > maxPixels)
    throw new TroupeError(
      'content.too-large',
      `Cannot take ${place} as the image is too large when it is unpacked: ${size.width} × ${size.height} pixels, at most ${maxPixels} (\`maxPixels\`)`,
    );
  const hash = platformSha256(bytes);
  keep(hash, bytes);
  return { type, hash, mediaType, size: bytes.byteLength, ...nameField(name), ...size };
};

const mediaTypeFor = (
  bytes: Uint8Array,
  type: MediaKind,
  stated: string | undefined,
  place: string,
): string => {
  const found =
    stated === undefined || stated === UNKNOWN ? mediaTypeOf(bytes) : agreedMediaType(bytes, stated);
  if (found === undefined && stated !== undefined && stated !== UNKNOWN)
    throw invalid(
      place,
      `its bytes are not those of ${stated}: they are ${mediaTypeOf(bytes) ?? 'of no known format'}`,
    );
  const mediaType = found ?? (type === 'file' ? (isText(bytes) ? 'text/plain' : UNKNOWN) : undefined);
  if (mediaType === undefined)
    throw invalid(place, `its bytes do not tell the type of the ${type}: give its \`mediaType\``);
  if (type !== 'file' && !mediaType.startsWith(`${type}/`))
    throw invalid(place, `it is no ${type}: its bytes are those of ${mediaType}`);
  return mediaType;
};

const isText = (bytes: Uint8Array): boolean => {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

const assertSize = (size: number, place: string, { maxBytes = MAX_BYTES }: ContentLimits): void => {
  if (size <= maxBytes) return;
  throw new TroupeError(
    'content.too-large',
    `Cannot take ${place} as it is too large: ${size} bytes, at most ${maxBytes} (\`maxBytes\`)`,
  );
};

const assertAllowed = (mediaType: string, place: string, { mediaTypes }: ContentLimits): void => {
  if (mediaTypes === undefined || isAmong(mediaType, mediaTypes)) return;
  throw new TroupeError(
    'content.refused',
    `Cannot take ${place} as ${mediaType} is not among the media types of the run: ${mediaTypes.join(', ')}`,
  );
};

const MEDIA_TYPE = /^[a-z0-9][\w.+!#$&^-]*\/[\w.+!#$&^-]+$/;

const nameField = (name: string | undefined): { readonly name?: string } =>
  name === undefined ? {} : { name };

const textIn = (
  given: Readonly<Record<string, unknown>>,
  field: string,
  place: string,
): string | undefined => {
  const value = given[field];
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(place, `its ${field} is no text: ${foundText(value)}`);
};

const isKind = (type: unknown): type is MediaKind => type === 'image' || type === 'audio' || type === 'file';

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (place: string, reason: string): TroupeError =>
  new TroupeError('content.invalid', `Cannot take ${place} as ${reason}`);

const raise = (error: TroupeError): never => {
  throw error;
};
