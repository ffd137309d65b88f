import type { Part as WirePart } from '@a2a-js/sdk';
import type { Json } from '../base/json/json.ts';
import { hasUnsafeKey, isTooDeep, toJson } from '../base/json/json.ts';
import type { MediaKind, MediaPart, Part } from '../contracts/content/part.ts';
import { isLink, isMedia, isPartList } from '../contracts/content/part.ts';
import { TroupeError } from '../contracts/errors/error.ts';

/** Reads the bytes of media; undefined where they are not kept. */
export type BytesAt = (part: MediaPart) => Promise<Uint8Array | undefined>;

const TEXT_TYPE = 'text/plain';
const DATA_TYPE = 'application/json';

/** A text as a part. */
export const textPart = (value: string): WirePart => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: TEXT_TYPE,
});

/** JSON as a part. */
export const dataPart = (value: unknown): WirePart => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: DATA_TYPE,
});

/** A value as the parts of a message: a text, parts with their bytes, or data. */
export const wireParts = async (value: Json, bytesAt: BytesAt): Promise<WirePart[]> => {
  if (typeof value === 'string') return [textPart(value)];
  if (!isPartList(value)) return [dataPart(value)];
  return Promise.all(value.map((part) => wirePart(part, bytesAt)));
};

const wirePart = async (part: Part, bytesAt: BytesAt): Promise<WirePart> => {
  if (isLink(part)) {
    const { url, mediaType = '', name = '' } = part;
    return { content: { $case: 'url', value: url }, metadata: undefined, filename: name, mediaType };
  }
  if (isMedia(part)) return filePart(part, await bytesAt(part));
  return part.type === 'text' ? textPart(part.text) : dataPart(part.data);
};

/** Media without its bytes is named in a text: no address leads to it. */
const filePart = ({ type, mediaType, name = '' }: MediaPart, bytes: Uint8Array | undefined): WirePart =>
  bytes === undefined
    ? textPart(`(${type} ${name === '' ? mediaType : name}, which is not kept here)`)
    : {
        content: {
          $case: 'raw',
          value: globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        },
        metadata: undefined,
        filename: name,
        mediaType,
      };

/** The kind of media of a type. */
export const kindOf = (mediaType: string): MediaKind => {
  if (mediaType.startsWith('image/')) return 'image';
  return mediaType.startsWith('audio/') ? 'audio' : 'file';
};

/** Data of another party as JSON. @throws {TroupeError} `message.invalid` */
export const plainData = (value: unknown): Json => {
  if (isTooDeep(value) || hasUnsafeKey(value))
    throw new TroupeError(
      'message.invalid',
      'Cannot take the message as its data is nested too deeply, or has a key that could change a prototype',
    );
  return toJson(value);
};
