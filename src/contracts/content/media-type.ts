/** The first bytes of one format, and the names of its media type: the first is the one that is used. */
interface Signature {
  readonly types: readonly string[];
  readonly isIn: (bytes: Uint8Array) => boolean;
}

const text = (bytes: Uint8Array, from: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(from, from + length));

const startsWith =
  (...first: readonly number[]) =>
  (bytes: Uint8Array): boolean =>
    first.every((byte, index) => bytes[index] === byte);

const inRiff =
  (form: string) =>
  (bytes: Uint8Array): boolean =>
    text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === form;

/** A file of the ISO base media format, by its brands. */
const inBox =
  (...brands: readonly string[]) =>
  (bytes: Uint8Array): boolean =>
    text(bytes, 4, 4) === 'ftyp' && (brands.length === 0 || brands.includes(text(bytes, 8, 4).trim()));

/** An MPEG audio frame: eleven set bits, then neither a reserved version nor a reserved layer. */
const isMpegFrame = (bytes: Uint8Array): boolean => {
  const [first = 0, second = 0] = bytes;
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 0x06) !== 0;
};

const SIGNATURES: readonly Signature[] = [
  { types: ['image/png'], isIn: startsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) },
  { types: ['image/jpeg', 'image/jpg'], isIn: startsWith(0xff, 0xd8, 0xff) },
  { types: ['image/gif'], isIn: (bytes) => /^GIF8[79]a$/.test(text(bytes, 0, 6)) },
  { types: ['image/webp'], isIn: inRiff('WEBP') },
  { types: ['image/avif'], isIn: inBox('avif', 'avis') },
  { types: ['image/heic', 'image/heif'], isIn: inBox('heic', 'heix', 'heif', 'mif1') },
  { types: ['application/pdf'], isIn: (bytes) => text(bytes, 0, 5) === '%PDF-' },
  { types: ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'], isIn: inRiff('WAVE') },
  { types: ['audio/mp4', 'audio/m4a', 'audio/x-m4a'], isIn: inBox('M4A', 'M4B') },
  { types: ['video/mp4', 'audio/mp4', 'video/quicktime'], isIn: inBox() },
  { types: ['audio/flac', 'audio/x-flac'], isIn: (bytes) => text(bytes, 0, 4) === 'fLaC' },
  { types: ['audio/ogg', 'video/ogg', 'audio/opus'], isIn: (bytes) => text(bytes, 0, 4) === 'OggS' },
  { types: ['audio/webm', 'video/webm', 'video/x-matroska'], isIn: startsWith(0x1a, 0x45, 0xdf, 0xa3) },
  { types: ['audio/mpeg', 'audio/mp3'], isIn: (bytes) => text(bytes, 0, 3) === 'ID3' || isMpegFrame(bytes) },
];

/**
 * The media type that the first bytes tell; undefined for bytes of no known format, such as text.
 *
 * @example
 * mediaTypeOf(new TextEncoder().encode('%PDF-1.7')) // => 'application/pdf'
 */
export const mediaTypeOf = (bytes: Uint8Array): string | undefined =>
  SIGNATURES.find(({ isIn }) => isIn(bytes))?.types[0];

/**
 * The media type of bytes whose type is stated; undefined if the bytes are of another format.
 *
 * A type whose format is not known here is believed, unless the bytes are those of a known format.
 */
export const agreedMediaType = (bytes: Uint8Array, stated: string): string | undefined => {
  const found = SIGNATURES.find(({ isIn }) => isIn(bytes));
  if (found === undefined) return isKnownType(stated) ? undefined : stated;
  if (found.types.includes(stated)) return found.types[0] === ALIASED[stated] ? found.types[0] : stated;
  return stated === UNKNOWN ? found.types[0] : undefined;
};

/** Media type of bytes of which nothing is known. */
export const UNKNOWN = 'application/octet-stream';

/** Names that providers do not know. */
const ALIASED: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
};

const isKnownType = (type: string): boolean => SIGNATURES.some(({ types }) => types.includes(type));

/**
 * Checks whether a media type is one of those named: `image/png`, all images as `image/*`, all types as `*`.
 *
 * @example
 * isAmong('image/png', ['image/*']) // => true
 */
export const isAmong = (type: string, wanted: readonly string[]): boolean =>
  wanted.some(
    (each) => each === '*' || each === type || (each.endsWith('/*') && type.startsWith(each.slice(0, -1))),
  );

/** Checks whether the bytes of a media type are a text. */
export const isTextType = (type: string): boolean =>
  isAmong(type, ['text/*', 'application/json']) || /\+(json|xml)$/.test(type);
