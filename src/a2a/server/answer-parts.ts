import type { Part as WirePart } from '@a2a-js/sdk';
import type { Json } from '../../base/json/json.ts';
import type { MediaPart, Part } from '../../contracts/content/part.ts';
import { isLink, isMedia, isPartList } from '../../contracts/content/part.ts';
import { dataPart, textPart } from '../wire.ts';

/** Reads the bytes of media; undefined where they are not kept. */
export type BytesAt = (hash: string) => Promise<Uint8Array | undefined>;

/** An answer, or an input, as parts: a text, files, or data. */
export const partsOf = async (value: Json, bytesAt: BytesAt): Promise<WirePart[]> => {
  if (typeof value === 'string') return [textPart(value)];
  if (!isPartList(value)) return [dataPart(value)];
  return Promise.all(value.map((part) => partOf(part, bytesAt)));
};

const partOf = async (part: Part, bytesAt: BytesAt): Promise<WirePart> => {
  if (isLink(part)) {
    const { url, mediaType = '', name = '' } = part;
    return { content: { $case: 'url', value: url }, metadata: undefined, filename: name, mediaType };
  }
  if (isMedia(part)) return filePart(part, await bytesAt(part.hash));
  return part.type === 'text' ? textPart(part.text) : dataPart(part.data);
};

/** Media without its bytes is told by its name: no address leads to it. */
const filePart = ({ type, mediaType, name = '' }: MediaPart, bytes: Uint8Array | undefined): WirePart =>
  bytes === undefined
    ? textPart(`(${type} ${name === '' ? mediaType : name}, which is not kept here)`)
    : { content: { $case: 'raw', value: asBuffer(bytes) }, metadata: undefined, filename: name, mediaType };

/** The package has bytes as Node's own. */
const asBuffer = (bytes: Uint8Array): Buffer =>
  globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
