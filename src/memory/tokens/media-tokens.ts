import type { MediaKind, MediaPart, Part } from '../../contracts/content/part.ts';
import { isLink, isMedia } from '../../contracts/content/part.ts';

/**
 * Tokens of media, approximately; undefined for text and data.
 *
 * - An image: width × height / 750, at most 1,600, as Anthropic documents (platform.claude.com/docs, "Vision"). OpenAI's
 *   tiles (85 + 170 for each of 512 × 512, "Images and vision") come to less.
 * - A PDF: 3,000 for a page, the upper of the 1,500 to 3,000 that Anthropic documents ("PDF support"). A page is taken for 50 kB.
 * - Sound: 10 for a second, as OpenAI documents (one for 100 ms). A second is taken for 16 kB, as of an MP3.
 * - Other files: a token for four bytes, as of text.
 *
 * @example
 * mediaTokens({ type: 'image', hash, mediaType: 'image/png', size: 9_000, width: 750, height: 500 }) // => 500
 */
export const mediaTokens = (part: Part): number | undefined => {
  if (isMedia(part)) return tokensOf(part);
  return isLink(part) ? LINKED[part.type] : undefined;
};

const IMAGE = 1_600;
const PDF_PAGE = 3_000;

const tokensOf = ({ type, mediaType, size, width, height }: MediaPart): number => {
  if (type === 'image' || mediaType.startsWith('image/'))
    return width === undefined || height === undefined
      ? IMAGE
      : Math.max(1, Math.min(IMAGE, Math.ceil((width * height) / 750)));
  if (mediaType === 'application/pdf') return PDF_PAGE * Math.ceil(size / 50_000);
  if (mediaType.startsWith('audio/')) return Math.max(1, Math.ceil(size / 1_600));
  return Math.ceil(size / 4);
};

/** Of media at an address, nothing is known: an image, a page, a minute. */
const LINKED: Readonly<Record<MediaKind, number>> = { image: IMAGE, file: PDF_PAGE, audio: 600 };
