import { isAmong } from './media-type.ts';
import { isMedia } from './part.ts';
import type { LinkPart, MediaKind, MediaPart } from './part.ts';

/** The media that a model takes, by media type: `image/png`, all images as `image/*`, all types as `*`. */
export interface ContentSupport {
  /** In a user's message, as bytes. */
  readonly media: readonly string[];
  /** In the result of a tool. Default: as in a message. */
  readonly inResults?: readonly string[] | undefined;
  /** As links, which its provider fetches. Default: none. */
  readonly links?: readonly string[] | undefined;
}

/** Checks whether a model takes a part, in a message or in the result of a tool. */
export const takesPart = (
  { media, inResults = media, links = [] }: ContentSupport,
  part: MediaPart | LinkPart,
  isResult: boolean,
): boolean => {
  const type = part.mediaType ?? ASSUMED[part.type];
  return isAmong(type, isResult ? inResults : media) && (isMedia(part) || isAmong(type, links));
};

/** Media type of a link that states none. */
const ASSUMED: Readonly<Record<MediaKind, string>> = {
  image: 'image/jpeg',
  audio: 'audio/mpeg',
  file: 'application/pdf',
};
