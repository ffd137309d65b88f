import type { Artifact, Message, Part as WirePart } from '@a2a-js/sdk';
import type { Json } from '../../base/json/json.ts';
import { UNKNOWN } from '../../contracts/content/media-type.ts';
import type { GivenPart } from '../../contracts/content/part.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { kindOf, plainData } from '../wire-parts.ts';

/** The answer of another agent. */
export interface Received {
  /** All that it says, without its data and files. */
  readonly text: string;
  /** Its data, each by itself. */
  readonly data: readonly Json[];
  /** Its files: their bytes, or an address that is never fetched here. */
  readonly files: readonly GivenPart[];
}

/** Parts of an answer at most. */
const MOST_PARTS = 1_000;

/** Reads what artifacts hold; without any, what the last message says. @throws {TroupeError} `message.invalid` */
export const readReceived = (artifacts: readonly Artifact[], message: Message | undefined): Received => {
  if (artifacts.length === 0) return readParts(message?.parts ?? [], '\n');
  // The texts of an artifact are the pieces in which it was sent.
  const each = artifacts.slice(0, MOST_PARTS).map(({ parts }) => readParts(parts, ''));
  return {
    text: each.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n'),
    data: each.flatMap(({ data }) => data),
    files: each.flatMap(({ files }) => files),
  };
};

const readParts = (parts: readonly WirePart[], between: string): Received => {
  if (parts.length > MOST_PARTS) throw invalid(`it has more than ${MOST_PARTS} parts`);
  const texts: string[] = [];
  const data: Json[] = [];
  const files: GivenPart[] = [];
  for (const { content, filename, mediaType } of parts) {
    const about = {
      ...(filename === '' ? {} : { name: filename }),
      mediaType: mediaType === '' ? UNKNOWN : mediaType,
    };
    if (content?.$case === 'text') texts.push(content.value);
    else if (content?.$case === 'data') data.push(plainData(content.value));
    else if (content?.$case === 'raw')
      files.push({ type: kindOf(mediaType), data: new Uint8Array(content.value), ...about });
    // Of other schemes nothing is passed on: an address may be one of this machine.
    else if (content?.$case === 'url' && content.value.startsWith('https://'))
      files.push({ type: kindOf(mediaType), url: content.value, ...about });
  }
  return { text: texts.join(between), data, files };
};

/** The text of a status, for people. */
export const textOf = (message: Message | undefined): string =>
  (message?.parts ?? [])
    .slice(0, MOST_PARTS)
    .flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []))
    .join('\n');

const invalid = (why: string): TroupeError =>
  new TroupeError('message.invalid', `Cannot read the answer of the agent as ${why}`);
