import type { Message, Part } from '@a2a-js/sdk';
import { toBase64 } from '../../base/bytes.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { UNKNOWN } from '../../contracts/content/media-type.ts';
import { schemasOf } from '../../runtime/serve/runs/agent-schemas.ts';
import type { GivenAnswer } from '../../runtime/serve/runs/run-people.ts';
import type { ServedAgent } from '../../runtime/serve/runs/served-names.ts';
import { kindOf, plainData } from '../wire-parts.ts';
import { plainType } from './media-types.ts';
import type { RemoteRequest } from '../../contracts/runs/remote-run.ts';

/** Parts of a message at most. */
const MOST_PARTS = 1_000;

/** The input of a run as a message has it: the data that the agent's schema describes, else a text, or parts. @throws {TroupeError} `message.invalid` */
export const inputIn = (message: Message, agent: ServedAgent): Json => {
  if (schemasOf(agent).input === undefined) return contentIn(message);
  const data = partsIn(message).flatMap(({ content }) => (content?.$case === 'data' ? [content.value] : []));
  if (data.length === 1) return plainData(data[0]);
  throw invalid(
    `'${agent.name}' takes one part of data, by the schema in its card: found ${data.length === 0 ? 'none' : data.length}`,
  );
};

/** The content of a message: a text, or parts in their order. @throws {TroupeError} `message.invalid` */
export const contentIn = (message: Message): Json => {
  const parts = partsIn(message).map(partIn);
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
};

const partsIn = ({ parts }: Message): readonly Part[] => {
  if (parts.length === 0 || parts.length > MOST_PARTS)
    throw invalid(`it has no parts, or more than ${MOST_PARTS}: found ${parts.length}`);
  return parts;
};

const partIn = ({ content, filename, mediaType: given }: Part): { readonly [field: string]: Json } => {
  const mediaType = plainType(given);
  const name = filename === '' ? {} : { name: filename };
  const type = mediaType === '' ? {} : { mediaType };
  switch (content?.$case) {
    case 'text':
      return { type: 'text', text: content.value };
    case 'data':
      return { type: 'data', data: plainData(content.value), ...name };
    case 'raw':
      return {
        type: kindOf(mediaType),
        data: toBase64(content.value),
        mediaType: mediaType === '' ? UNKNOWN : mediaType,
        ...name,
      };
    case 'url':
      return { type: kindOf(mediaType), data: content.value, ...type, ...name };
    case undefined:
      throw invalid('one of its parts is empty');
  }
};

/** A plain yes: one with a condition, such as "yes, but not today", is none. */
const YES = /^(?:y|yes|true|ok)[.!]?$/i;
/** A no, which may have a reason: "no, it is too late". */
const NO = /^(?:n|no|false|deny)\s*(?:[.!]*|[,.:;!–—-]\s*(?<reason>\S.*))$/is;

/** The request that a message names in its data; undefined if it names none. */
export const requestNamedIn = (message: Message): string | undefined => {
  const { request } = fieldsIn(message);
  return typeof request === 'string' ? request : undefined;
};

/**
 * The answer to a request as a message has it: data `{ yes, reason, input }` or `{ text }`, else its text. Undefined for a text about a call that
 * is neither yes nor no: nothing is decided by it.
 *
 * @throws {TroupeError} `message.invalid`
 */
export const answerIn = (message: Message, { kind }: RemoteRequest): GivenAnswer | undefined => {
  const { yes, reason, input, text = textIn(message) } = fieldsIn(message);
  if (kind === 'question') {
    if (typeof text === 'string' && text !== '') return { text };
    throw invalid('it has no text, which answers the question');
  }
  if (yes === true) return { yes, ...(input === undefined ? {} : { input }) };
  if (yes === false) return { yes, ...(typeof reason === 'string' ? { reason } : {}) };
  if (typeof text !== 'string' || text.trim() === '')
    throw invalid('it has neither a text nor data `{ yes }`, which answers the request');
  const said = text.trim();
  if (YES.test(said)) return { yes: true };
  const no = NO.exec(said);
  return no === null ? undefined : { yes: false, reason: no.groups?.['reason'] };
};

const textIn = (message: Message): string =>
  message.parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');

const fieldsIn = (message: Message): { readonly [field: string]: Json | undefined } => {
  for (const { content } of message.parts) {
    const data = content?.$case === 'data' ? plainData(content.value) : undefined;
    if (isJsonObject(data)) return data;
  }
  return {};
};

const invalid = (why: string): TroupeError =>
  new TroupeError('message.invalid', `Cannot take the message as ${why}`);
