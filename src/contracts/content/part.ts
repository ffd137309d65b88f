import type { Json } from '../../base/json/json.ts';

/** The kinds of media: a `file` is a document (a PDF, a text …), or of any type. */
export type MediaKind = 'image' | 'audio' | 'file';

/** A text among other parts. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** Plain JSON among other parts; a model reads it as text. */
export interface DataPart {
  readonly type: 'data';
  readonly data: Json;
  readonly name?: string | undefined;
}

/** Media whose bytes are in the run's blob store: all that contexts, events and journals hold of them. */
export interface MediaPart {
  readonly type: MediaKind;
  /** The SHA-256 of the bytes, in hex. */
  readonly hash: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly name?: string | undefined;
  /** Of an image, in pixels, as its header states them. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Media that stays at its address; the model's provider fetches it, troupe never does. */
export interface LinkPart {
  readonly type: MediaKind;
  /** An `https:` address. */
  readonly url: string;
  readonly mediaType?: string | undefined;
  readonly name?: string | undefined;
}

/** One piece of content: of a message, a tool's result or a model's answer. */
export type Part = TextPart | DataPart | MediaPart | LinkPart;

/** Media as a caller has it; its bytes go to the run's blob store, and a {@link MediaPart} takes its place. */
export interface MediaSource {
  readonly type: MediaKind;
  /** The bytes, or a text: a `data:` URL, an `https:` URL (which becomes a {@link LinkPart}), or base64. */
  readonly data: Uint8Array | ArrayBuffer | string;
  /** Default: that of a `data:` URL, else what the first bytes tell. */
  readonly mediaType?: string | undefined;
  /** Its file name, for people and models. */
  readonly name?: string | undefined;
}

/** A part as a caller may give it. */
export type GivenPart = Part | MediaSource;

/**
 * The content of a message: a text, or parts in their order.
 *
 * @example
 * const content: Content = [
 *   { type: 'text', text: 'What is in this picture?' },
 *   { type: 'image', data: await readFile('cat.png') },
 * ];
 */
export type Content = string | readonly GivenPart[];

/** Checks whether a value is a list of parts, as {@link Content} is after it was read. */
export const isPartList = (value: unknown): value is readonly Part[] =>
  Array.isArray(value) && value.length > 0 && value.every(isPart);

const isPart = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'text') return hasText(value, 'text');
  if ('name' in value && value.name !== undefined && !hasText(value, 'name')) return false;
  if (value.type === 'data') return 'data' in value;
  const isOf = hasText(value, 'url') || (hasText(value, 'hash') && hasText(value, 'mediaType'));
  return KINDS.includes(value.type) && isOf;
};

const hasText = (value: object, field: string): boolean => typeof Reflect.get(value, field) === 'string';

const KINDS: readonly unknown[] = ['image', 'audio', 'file'] satisfies readonly MediaKind[];

/** Checks whether a part is media whose bytes are in a blob store. */
export const isMedia = (part: Part): part is MediaPart => 'hash' in part;

/** Checks whether a part is media at an address. */
export const isLink = (part: Part): part is LinkPart => 'url' in part;

/**
 * The text that stands for parts wherever only text fits: in lists, titles and memories, and for models without media.
 *
 * @example
 * contentText([{ type: 'text', text: 'Look:' }, { type: 'image', url: 'https://example.com/cat.png', name: 'cat.png' }])
 * // => 'Look:\n\n[image cat.png]'
 */
export const contentText = (parts: readonly Part[]): string =>
  parts
    .map(partText)
    .filter((text) => text.trim() !== '')
    .join('\n\n');

/** The text that stands for one part. */
export const partText = (part: Part): string => {
  if (part.type === 'text') return part.text;
  const named = part.name === undefined ? '' : `${part.name}: `;
  if (part.type === 'data') return `${named}${JSON.stringify(part.data)}`;
  return `[${part.type} ${part.name ?? ('url' in part ? part.url : part.mediaType)}]`;
};
