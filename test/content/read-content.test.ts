import { expect, test } from 'vitest';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { readParts } from '../../src/contracts/content/read-content.ts';
import type { ContentLimits } from '../../src/contracts/content/read-content.ts';
import { mediaTypeOf } from '../../src/contracts/content/media-type.ts';
import { base64, pdf, png, wav } from './pictures.ts';

const read = (part: unknown, limits?: ContentLimits) => readParts([part], () => undefined, limits)[0];

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'nothing';
  } catch (thrown) {
    return isTroupeError(thrown) ? thrown.code : 'another error';
  }
};

test('what is kept of an image is its hash, its type, its size, and how large it is', () => {
  expect(read({ type: 'image', data: png(640, 480), name: 'a.png' })).toEqual({
    type: 'image',
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    mediaType: 'image/png',
    size: 64,
    name: 'a.png',
    width: 640,
    height: 480,
  });
});

test('a reference is read as it is', () => {
  const part = read({ type: 'image', data: png() });
  expect(read(part)).toEqual(part);
});

test.each([
  ['a PDF as an image', { type: 'image', data: pdf() }],
  ['a PDF that is stated to be a PNG', { type: 'image', data: pdf(), mediaType: 'image/png' }],
  ['sound as an image', { type: 'image', data: wav() }],
  [
    'a text that is stated to be a PDF',
    { type: 'file', data: base64(Buffer.from('Hi')), mediaType: 'application/pdf' },
  ],
  ['an image of no known format', { type: 'image', data: new Uint8Array([1, 2, 3]) }],
  ['no bytes', { type: 'image', data: new Uint8Array() }],
  ['a number', { type: 'image', data: 7 }],
  ['text that is no base64', { type: 'file', data: 'so?' }],
  ['an address without encryption', { type: 'image', data: 'http://example.com/a.png' }],
  ['a script', { type: 'image', url: 'javascript:alert(1)' }],
  ['an unknown kind', { type: 'video', data: png() }],
  ['no object', 'text'],
  ['a hash that is none', { type: 'image', hash: '../../etc/passwd', mediaType: 'image/png', size: 1 }],
  ['a media type that is none', { type: 'file', data: png(), mediaType: 'text/html; <script>' }],
  ['data that is not plain', { type: 'data', data: { at: new Date(0) } }],
])('%s is refused as invalid', (_, part) => {
  expect(codeOf(() => read(part))).toBe('content.invalid');
});

test('100 MB are refused, before a text of them is decoded', () => {
  expect(codeOf(() => read({ type: 'file', data: new Uint8Array(100_000_000) }))).toBe('content.too-large');
  expect(codeOf(() => read({ type: 'file', data: 'A'.repeat(100_000_000) }))).toBe('content.too-large');
  expect(codeOf(() => read({ type: 'file', data: new Uint8Array(9) }, { maxBytes: 8 }))).toBe(
    'content.too-large',
  );
});

test('a bomb is refused by its header: nothing is unpacked', () => {
  expect(codeOf(() => read({ type: 'image', data: png(60_000, 60_000) }))).toBe('content.too-large');
  expect(codeOf(() => read({ type: 'image', data: png(10, 10) }, { maxPixels: 99 }))).toBe(
    'content.too-large',
  );
});

test('a run may say which media types come in', () => {
  const limits = { mediaTypes: ['image/*'] };
  expect(codeOf(() => read({ type: 'image', data: png() }, limits))).toBe('nothing');
  expect(codeOf(() => read({ type: 'file', data: pdf() }, limits))).toBe('content.refused');
});

test("what comes later in the caller's buffer changes nothing", () => {
  const bytes = png();
  const kept: (Uint8Array | undefined)[] = [];
  readParts([{ type: 'image', data: bytes }], (_, copy) => kept.push(copy));
  bytes.fill(0);
  expect(kept).toEqual([png()]);
});

test.each([
  ['image/gif', Buffer.from('GIF89a....')],
  ['image/webp', Buffer.from('RIFF....WEBPVP8 ')],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
  ['audio/mpeg', Buffer.from('ID3\u0004')],
  ['audio/mpeg', Buffer.from([0xff, 0xfb, 0x90, 0])],
  ['audio/flac', Buffer.from('fLaC')],
  ['audio/ogg', Buffer.from('OggS')],
  ['video/mp4', Buffer.from('....ftypisom')],
  [undefined, Buffer.from('Hello')],
])('the first bytes tell %s', (type, bytes) => {
  expect(mediaTypeOf(bytes)).toBe(type);
});

test('the size of a JPEG is in the segment that starts its frame', () => {
  const frame = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 1, 0x2c, 2, 0x58, 1, 1, 0x11, 0];
  expect(read({ type: 'image', data: new Uint8Array(frame) })).toMatchObject({ width: 600, height: 300 });
});
