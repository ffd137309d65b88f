import type { BlobStore } from './blob-store.ts';
import type { Content, MediaPart } from './part.ts';
import type { ContentLimits } from './read-content.ts';

/**
 * Replaces media that a model does not take: returns the text of a PDF, a transcript of audio, or other media.
 *
 * It is called once for the same part in a run, before the model is; what it returns is sent in the part's place, and
 * the conversation keeps the part.
 */
export type Converter = (part: MediaPart, bytes: Uint8Array) => Content | Promise<Content>;

/** Handling of media in a run: images, audio and files. */
export interface ContentOptions extends ContentLimits {
  /**
   * The place of their bytes: `folderBlobs(path)` of `troupe/stores`, or an object with two functions over a store of objects (S3,
   * R2 …). Default: the tables of the run's `store`, else memory, which runs with the same `threads` share.
   */
  readonly blobs?: BlobStore | undefined;
  /**
   * Converters by media type (`application/pdf`, or all audio as `audio/*`), for models that do not take it. Default: texts are
   * sent as text, and anything else is refused with `model.content-refused`.
   */
  readonly convert?: Readonly<Record<string, Converter>> | undefined;
}
