import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { Content, GivenPart, MediaKind } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { ChatLimits } from './chat-body.ts';
import { refusal } from './chat-body.ts';

/** A message of an AG-UI client, of the roles that are part of a conversation. */
export interface AgUiMessageIn {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly parts: readonly GivenPart[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: Json }[];
  /** The call that the message answers; `''` for another role. */
  readonly toolCallId: string;
  readonly isFailed: boolean;
}

const MAX_MESSAGES = 1_000;
const MAX_PARTS = 1_000;

/** Reads the messages of a client; instructions, activities and thoughts are left out. @throws {TroupeError} `input.invalid` */
export const readAgUiMessages = (
  given: Json | undefined,
  { maxMessages = MAX_MESSAGES, maxParts = MAX_PARTS }: ChatLimits,
): readonly AgUiMessageIn[] => {
  if (!isList(given)) throw refusal(`its \`messages\` are not a list: ${foundText(given)}`);
  if (given.length > maxMessages)
    throw refusal(`it has too many messages: ${given.length}, at most ${maxMessages} (\`maxMessages\`)`);
  return given.flatMap((message, index) => readMessage(message, `message ${index + 1}`, maxParts));
};

const LEFT_OUT: readonly unknown[] = ['system', 'developer', 'activity', 'reasoning'];

const readMessage = (given: Json, place: string, maxParts: number): readonly AgUiMessageIn[] => {
  if (!isJsonObject(given)) throw refusal(`${place} is no object: ${foundText(given)}`);
  const { role, content = '', toolCalls = [], toolCallId = '', error } = given;
  if (LEFT_OUT.includes(role)) return [];
  if (role !== 'user' && role !== 'assistant' && role !== 'tool')
    throw refusal(`${place} has an unknown role: ${foundText(role)}`);
  if (!isList(toolCalls)) throw refusal(`${place} has calls that are no list: ${foundText(toolCalls)}`);
  if (typeof toolCallId !== 'string' || (role === 'tool' && toolCallId === ''))
    throw refusal(`${place} answers no call: ${foundText(toolCallId)}`);
  const parts = partsOf(content, place, maxParts);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const calls = toolCalls.map((call) => callOf(call, place));
  const isFailed = typeof error === 'string';
  return [{ role, text: isFailed && text === '' ? error : text, parts, calls, toolCallId, isFailed }];
};

const partsOf = (content: Json, place: string, maxParts: number): readonly GivenPart[] => {
  if (content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!isList(content))
    throw refusal(`${place} has a content that is neither text nor parts: ${foundText(content)}`);
  if (content.length > maxParts)
    throw refusal(`${place} has too many parts: ${content.length}, at most ${maxParts} (\`maxParts\`)`);
  return content.map((part, index) => partOf(part, `part ${index + 1} of ${place}`));
};

const partOf = (given: Json, place: string): GivenPart => {
  const { type, text, source } = isJsonObject(given) ? given : {};
  if (type === 'text' && typeof text === 'string') return { type, text };
  const from: JsonObject = isJsonObject(source) ? source : {};
  const { value, mimeType } = from;
  const isAddress = from['type'] === 'url' && typeof value === 'string' && /^(?:data|https):/i.test(value);
  const isData = from['type'] === 'data' && typeof value === 'string';
  if (typeof type !== 'string' || typeof value !== 'string' || (!isAddress && !isData))
    throw refusal(`${place} is neither a text nor a medium at 'data:' or 'https:': ${foundText(given)}`);
  return {
    type: kindOf(type),
    data: value,
    ...(typeof mimeType === 'string' ? { mediaType: mimeType } : {}),
  };
};

const kindOf = (type: string): MediaKind => (type === 'image' || type === 'audio' ? type : 'file');

const callOf = (given: Json, place: string): AgUiMessageIn['calls'][number] => {
  const { id, function: called } = isJsonObject(given) ? given : {};
  const { name, arguments: text } = isJsonObject(called) ? called : {};
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string')
    throw refusal(`${place} has a call that is none: ${foundText(given)}`);
  try {
    const input: Json = JSON.parse(text === '' ? '{}' : text);
    return { id, name, input };
  } catch {
    throw refusal(`${place} has a call whose arguments are no JSON: ${foundText(text)}`);
  }
};

/** The content of a message: its text, or its parts where there are media. */
export const agUiContentOf = ({ text, parts }: AgUiMessageIn): Content =>
  parts.every(({ type }) => type === 'text') ? text : parts;

/** Converts messages to turns of a conversation; calls without a result, and results without a call, are left out. */
export const agUiHistoryOf = (messages: readonly AgUiMessageIn[]): readonly Turn<GivenPart>[] => {
  const results = new Map(
    messages.flatMap((each) => (each.role === 'tool' ? [[each.toolCallId, each]] : [])),
  );
  let count = 0;
  return messages.flatMap((message): readonly Turn<GivenPart>[] => {
    const { role, text, parts } = message;
    if (role === 'tool') return [];
    const content = agUiContentOf(message);
    if (role === 'user') return [{ role, text, ...(typeof content === 'string' ? {} : { parts }) }];
    const called = message.calls.flatMap((call) => {
      const result = results.get(call.id);
      count += 1;
      // Ids of a client may be of any form, and providers refuse some.
      return result === undefined ? [] : [{ ...call, id: `ag_${count}`, result }];
    });
    if (text === '' && called.length === 0) return [];
    const calls = called.map(({ id, name, input }) => ({ id, name, input }));
    return [
      { role, text, ...(calls.length === 0 ? {} : { calls }) },
      ...called.map(({ id, name, result }) => ({
        role: 'tool' as const,
        callId: id,
        tool: name,
        text: result.text,
        ...(result.isFailed ? { failed: true } : {}),
      })),
    ];
  });
};

const isList = (given: Json | undefined): given is readonly Json[] => Array.isArray(given);
