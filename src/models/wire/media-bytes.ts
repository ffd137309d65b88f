import { toBase64 } from '../../base/bytes.ts';
import type { MediaPart, Part } from '../../contracts/content/part.ts';
import { isMedia } from '../../contracts/content/part.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { ModelCall, ModelRequest } from '../../contracts/models/model.ts';

/** The bytes of the media of one request, in base64. */
export interface MediaBytes {
  /** In base64. @throws {TroupeError} `content.missing` for a part that is not of the request */
  base64Of(part: MediaPart): string;
  /** As a `data:` URL. */
  urlOf(part: MediaPart): string;
}

/** Reads the bytes of all media that a request sends; equal ones once. Rejects with `content.missing`. */
export const readMedia = async (
  { messages }: Pick<ModelRequest, 'messages'>,
  call: Pick<ModelCall, 'bytesOf'>,
): Promise<MediaBytes> => {
  const found = new Map<string, string>();
  for (const turn of messages) {
    if (turn.parts === undefined || turn.role === 'assistant') continue;
    for (const part of turn.parts.filter(isSent(found))) {
      const bytes = await call.bytesOf?.(part);
      if (bytes !== undefined) found.set(part.hash, toBase64(bytes));
    }
  }
  return mediaIn(found);
};

const isSent =
  (found: ReadonlyMap<string, string>) =>
  (part: Part): part is MediaPart =>
    isMedia(part) && !found.has(part.hash);

const mediaIn = (found: ReadonlyMap<string, string>): MediaBytes => {
  const base64Of = ({ hash, type, name, mediaType }: MediaPart): string => {
    const base64 = found.get(hash);
    if (base64 !== undefined) return base64;
    throw new TroupeError(
      'content.missing',
      `Cannot send the ${type} '${name ?? mediaType}' as its bytes are not at hand: ask the model in a run, or give its call \`bytesOf\``,
    );
  };
  return { base64Of, urlOf: (part) => `data:${part.mediaType};base64,${base64Of(part)}` };
};

/** The media of a request without any. */
export const noMedia: MediaBytes = mediaIn(new Map());

/** A file name for a part without one, which some providers require. */
export const nameFor = ({ type, mediaType }: MediaPart): string =>
  `${type}.${mediaType.replace(/^.*[/.+-]/, '')}`;
