import { tryRead } from './try-read.ts';

/** The bytes of a buffer or of a view of one, not copied. */
export const bytesIn = (value: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);

/**
 * Encodes bytes in base64.
 *
 * @example
 * toBase64(Uint8Array.of(104, 105)) // => 'aGk='
 */
export const toBase64 = (bytes: Uint8Array): string => {
  const { buffer, byteOffset, byteLength } = bytes;
  const node: unknown = Reflect.get(globalThis, 'Buffer');
  // Ten times as fast as `btoa`, where there is one.
  if (isBufferClass(node)) return node.from(buffer, byteOffset, byteLength).toString('base64');
  let base64 = '';
  // A multiple of 3 bytes is a whole number of characters, so that parts can be joined.
  for (let start = 0; start < bytes.length; start += PART)
    base64 += btoa(String.fromCharCode(...bytes.subarray(start, start + PART)));
  return base64;
};

/**
 * Decodes base64, also that of URLs, with or without blanks and padding; undefined for a text that is none.
 *
 * @example
 * fromBase64('aGk=') // => Uint8Array [104, 105]
 */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  const plain = text.replaceAll(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/');
  const binary = tryRead(() => atob(plain));
  if (binary === undefined) return undefined;
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
};

/** As many arguments as any engine takes. */
const PART = 3 * 4_096;

interface BufferClass {
  from(data: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
}

const isBufferClass = (value: unknown): value is BufferClass =>
  typeof value === 'function' && value.name === 'Buffer';
