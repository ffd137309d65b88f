import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { Content, GivenPart, MediaKind } from '../../../contracts/content/part.ts';
import type { ChatLimits } from './chat-body.ts';
import { refusal } from './chat-body.ts';
import { textOfContent } from './text-of-content.ts';

/** A message as a client sends it. */
export interface UiMessageIn {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly UiPartIn[];
  readonly metadata: JsonObject;
}

/** A part of a message as a client sends it. */
export type UiPartIn = JsonObject & { readonly type: string };

/** A tool part, whichever kind it is of. */
export interface UiToolPart {
  readonly toolCallId: string;
  readonly tool: string;
  readonly state: string;
  readonly input: Json;
  /** The result as a text; undefined while there is none. */
  readonly text: string | undefined;
  readonly isFailed: boolean;
  readonly approval: JsonObject | undefined;
  /** True for a call of a member, which the root has no part in. */
  readonly isOfMember: boolean;
}

const MAX_MESSAGES = 1_000;
const MAX_PARTS = 1_000;

/** Reads the messages of a client. @throws {TroupeError} `input.invalid` for what is none. */
export const readMessages = (
  given: Json | undefined,
  { maxMessages = MAX_MESSAGES, maxParts = MAX_PARTS }: ChatLimits,
): readonly UiMessageIn[] => {
  if (!isList(given)) throw refusal(`its \`messages\` are not a list: ${foundText(given)}`);
  if (given.length > maxMessages)
    throw refusal(`it has too many messages: ${given.length}, at most ${maxMessages} (\`maxMessages\`)`);
  return given.map((message, index) => readMessage(message, `message ${index + 1}`, maxParts));
};

const readMessage = (given: Json, place: string, maxParts: number): UiMessageIn => {
  if (!isJsonObject(given)) throw refusal(`${place} is no object: ${foundText(given)}`);
  const { id, role, parts, metadata } = given;
  if (typeof id !== 'string') throw refusal(`${place} has no id: ${foundText(id)}`);
  if (role === 'system')
    throw refusal(
      `${place} has the role 'system': text for the whole conversation belongs in \`instructions\``,
    );
  if (role !== 'user' && role !== 'assistant')
    throw refusal(`${place} has an unknown role: ${foundText(role)}`);
  if (!isList(parts)) throw refusal(`${place} has no list of parts: ${foundText(parts)}`);
  if (parts.length > maxParts)
    throw refusal(`${place} has too many parts: ${parts.length}, at most ${maxParts} (\`maxParts\`)`);
  const read = parts.map((part, index) => readPart(part, `part ${index + 1} of ${place}`));
  return { id, role, parts: read, metadata: isJsonObject(metadata) ? metadata : {} };
};

const readPart = (given: Json, place: string): UiPartIn => {
  if (!isJsonObject(given) || typeof given['type'] !== 'string')
    throw refusal(`${place} has no type: ${foundText(given)}`);
  const { type } = given;
  if ((type === 'text' || type === 'reasoning') && typeof given['text'] !== 'string')
    throw refusal(`${place} has no text: ${foundText(given['text'])}`);
  if (type === 'file') assertFile(given, place);
  return { ...given, type };
};

const assertFile = ({ url, mediaType, filename }: JsonObject, place: string): void => {
  if (typeof url !== 'string' || !/^(?:data|https):/i.test(url))
    throw refusal(`${place} has an address that is not one of 'data:' or 'https:': ${foundText(url)}`);
  if (typeof mediaType !== 'string') throw refusal(`${place} has no media type: ${foundText(mediaType)}`);
  if (filename !== undefined && typeof filename !== 'string')
    throw refusal(`${place} has a file name that is no text: ${foundText(filename)}`);
};

/** The content of a message of the user: its text, or its parts where there are files. */
export const contentOf = ({ parts }: UiMessageIn): Content => {
  const given = parts.flatMap(givenPart);
  return given.every(({ type }) => type === 'text') ? textOfContent(given) : given;
};

/** The text of a part; `''` of one that has none. */
export const textOfPart = ({ type, text }: UiPartIn): string =>
  type === 'text' && typeof text === 'string' ? text : '';

/** Parts of an app's own are for the page. */
const givenPart = (part: UiPartIn): readonly GivenPart[] => {
  const { type, url, mediaType, filename } = part;
  if (type === 'text') return [{ type, text: textOfPart(part) }];
  if (type !== 'file' || typeof url !== 'string' || typeof mediaType !== 'string') return [];
  const name = typeof filename === 'string' ? { name: filename } : {};
  return [{ type: kindOf(mediaType), data: url, mediaType, ...name }];
};

const kindOf = (mediaType: string): MediaKind => {
  const [kind] = mediaType.split('/');
  return kind === 'image' || kind === 'audio' ? kind : 'file';
};

/** The tool part that a part is; undefined for another one. */
export const toolPartOf = (part: UiPartIn): UiToolPart | undefined => {
  const { type, toolCallId, toolName, state, input = null, approval, toolMetadata } = part;
  const tool = type === 'dynamic-tool' ? toolName : type.startsWith('tool-') ? type.slice(5) : undefined;
  if (typeof tool !== 'string' || tool === '' || typeof toolCallId !== 'string') return undefined;
  return {
    toolCallId,
    tool,
    state: typeof state === 'string' ? state : '',
    input,
    text: resultOf(part),
    isFailed: state !== 'output-available',
    approval: isJsonObject(approval) ? approval : undefined,
    isOfMember: isJsonObject(toolMetadata) && typeof toolMetadata['path'] === 'string',
  };
};

const resultOf = ({ state, output, errorText, approval }: UiPartIn): string | undefined => {
  if (state === 'output-available')
    return typeof output === 'string' ? output : JSON.stringify(output ?? null);
  if (state === 'output-error') return typeof errorText === 'string' ? errorText : 'failed';
  if (state !== 'output-denied') return undefined;
  const reason = isJsonObject(approval) ? approval['reason'] : undefined;
  return typeof reason === 'string' ? `denied: ${reason}` : 'denied';
};

const isList = (given: Json | undefined): given is readonly Json[] => Array.isArray(given);
