import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { isAmong } from '../../../contracts/content/media-type.ts';
import type { MediaPart } from '../../../contracts/content/part.ts';
import { isMedia } from '../../../contracts/content/part.ts';
import type { ContentLimits } from '../../../contracts/content/read-content.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { ToolContext } from '../../../contracts/tools/tool.ts';

/** The schema of bytes in the input of a tool, with what the document says of them. */
export const bytesSchema = (description?: Json): JsonObject => ({
  type: 'object',
  description: `${typeof description === 'string' ? `${description}\n` : ''}A file: one of \`media\` and \`text\`.`,
  properties: {
    media: {
      type: 'string',
      description:
        'An image, a sound or a file of this conversation, or a result that was cut: its name, or the beginning of its SHA-256.',
    },
    text: { type: 'string', description: 'What stands in the file.' },
    name: { type: 'string', description: 'The name of the file.' },
  },
  additionalProperties: false,
});

/** Bytes as they are sent. */
export interface GivenBytes {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly name: string | undefined;
}

/** The conversation that bytes are read from, and their limits. */
export interface BytesPlace {
  readonly context: Pick<ToolContext, 'conversation' | 'bytesOf'>;
  readonly limits: ContentLimits;
}

/** Types that a text cannot be. */
const NEVER_TEXT = /^(?:image|audio|video|font)\/(?!svg\+xml$)/;

/** Digits of a hash that tell media apart. */
const LEAST_DIGITS = 8;

/** Media that a failure names. */
const MOST_NAMED = 12;

/**
 * Reads bytes that a model refers to: media of its conversation, or a text. `wanted` are the media types that the API takes.
 *
 * @throws {TroupeError} `tool.input-invalid` for what is no such reference, or of another type; `content.too-large`, `content.refused`,
 *   `content.missing`.
 */
export const readBytes = async (
  given: Json | undefined,
  place: string,
  wanted: readonly string[],
  { context, limits }: BytesPlace,
): Promise<GivenBytes> => {
  const { media, text, name } = isJsonObject(given) ? given : {};
  const named = typeof name === 'string' && name !== '' ? name : undefined;
  if (typeof media === 'string' && text === undefined) {
    const part = findMedia(media, context.conversation, place);
    assertTaken(part.mediaType, place, wanted);
    assertWithin(part, place, limits);
    return { bytes: await context.bytesOf(part), mediaType: part.mediaType, name: named ?? part.name };
  }
  if (typeof text === 'string' && media === undefined) {
    const mediaType = wanted.find((type) => !type.includes('*')) ?? wanted[0]?.replace('*', 'plain') ?? '';
    const written = mediaType === '' || mediaType.startsWith('plain/') ? 'text/plain' : mediaType;
    if (NEVER_TEXT.test(written))
      throw invalid(place, `it takes ${wanted.join(', ')}, which no text is: name \`media\``);
    const bytes = new TextEncoder().encode(text);
    assertWithin({ mediaType: written, size: bytes.byteLength }, place, limits);
    return { bytes, mediaType: written, name: named };
  }
  throw invalid(
    place,
    `it needs either \`media\`, which names media of the conversation, or \`text\`: found ${foundText(given)}`,
  );
};

/** The media that a conversation has by that name, or whose hash begins so. */
const findMedia = (wanted: string, conversation: readonly Turn[], place: string): MediaPart => {
  const known = new Map(conversation.flatMap(mediaIn).map((part) => [part.hash, part]));
  const all = [...known.values()];
  const isDigits = wanted.length >= LEAST_DIGITS && /^[0-9a-f]+$/.test(wanted);
  const found = all.filter(({ name, hash }) => name === wanted || (isDigits && hash.startsWith(wanted)));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const which = (parts: readonly MediaPart[]): string => parts.slice(-MOST_NAMED).map(nameOf).join(', ');
  if (only !== undefined)
    throw invalid(
      place,
      `several media are named '${wanted}': give the beginning of a SHA-256 of ${which(found)}`,
    );
  const there = all.length === 0 ? 'it has none' : `there are ${which(all)}`;
  throw invalid(place, `there are no media '${wanted}' in the conversation: ${there}`);
};

/** A caller's history may have anything in its place. */
const mediaIn = (turn: Turn): readonly MediaPart[] => {
  const { parts, whole }: { readonly parts?: Turn['parts']; readonly whole?: MediaPart | undefined } = turn;
  return [...(Array.isArray(parts) ? parts : []), ...(whole === undefined ? [] : [whole])].filter(isMedia);
};

const nameOf = ({ name, type, mediaType, size, hash }: MediaPart): string =>
  `${name === undefined ? type : `'${name}'`} (${mediaType}, ${size} bytes, ${hash.slice(0, 12)})`;

const assertTaken = (mediaType: string, place: string, wanted: readonly string[]): void => {
  if (wanted.length > 0 && !isAmong(mediaType, wanted))
    throw invalid(place, `it takes ${wanted.join(', ')}: found ${mediaType}`);
};

/** Checks media against limits. @throws {TroupeError} `content.too-large`, `content.refused` */
export const assertWithin = (
  { mediaType, size }: Pick<MediaPart, 'mediaType' | 'size'>,
  place: string,
  { maxBytes = Infinity, mediaTypes }: ContentLimits,
): void => {
  if (size > maxBytes)
    throw new TroupeError(
      'content.too-large',
      `Cannot take ${place} as it is too large: ${size} bytes, at most ${maxBytes} (\`content.maxBytes\`)`,
      { retryable: 'no' },
    );
  if (mediaTypes !== undefined && !isAmong(mediaType, mediaTypes))
    throw new TroupeError(
      'content.refused',
      `Cannot take ${place} as ${mediaType} is not among its media types: ${mediaTypes.join(', ')} (\`content.mediaTypes\`)`,
      { retryable: 'no' },
    );
};

const invalid = (place: string, reason: string): TroupeError =>
  new TroupeError('tool.input-invalid', `Cannot send ${place} as ${reason}`, { retryable: 'maybe' });
