import type { Json, JsonObject } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import type { Part } from '../../../contracts/content/part.ts';
import { isLink, isMedia, isPartList } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { EventOf } from '../../../contracts/events/event.ts';
import type { RawAnswer } from '../../../contracts/models/sent-request.ts';
import { callIdOf } from '../../../contracts/runs/effect.ts';
import type { ToolSpec } from '../../../contracts/tools/tool-call.ts';
import { finishName } from './conventions.ts';

/** A message in the form of the conventions (`gen_ai.input.messages`, `gen_ai.output.messages`). */
export type SpanMessage = JsonObject;

/** A turn of a conversation that a model was sent. */
export const messageOf = (turn: Turn): SpanMessage => {
  if (turn.role === 'tool') {
    const response = { type: 'tool_call_response', id: turn.callId, response: turn.text };
    return { role: 'tool', parts: [response, ...mediaIn(turn.parts)] };
  }
  if (turn.role === 'user') {
    const parts = turn.parts === undefined ? textParts(turn.text) : turn.parts.map(partOf);
    return { role: 'user', parts, ...(turn.from === undefined ? {} : { name: turn.from }) };
  }
  const calls = (turn.calls ?? []).map(({ id, name, input }) => callPart(id, name, input));
  return {
    role: 'assistant',
    parts: [...reasoningParts(turn.reasoning), ...textParts(turn.text), ...mediaIn(turn.parts), ...calls],
  };
};

/** A model's answer: its text, its media and the calls that it asks for, by the ids under which they are made. */
export const answerMessage = (event: EventOf<'model.answered'>, raw: RawAnswer | undefined): SpanMessage => {
  const { text, reasoning, providerCalls = [], finish, step = 0 } = event;
  const calls = (raw?.calls ?? []).map(({ name, input }, index) =>
    callPart(callIdOf(step, index), name, toJson(input)),
  );
  const said = text === '' ? (raw?.refusal ?? '') : text;
  const parts = [
    ...reasoningParts(reasoning),
    ...providerCalls.map(({ tool, input }) => ({
      type: 'server_tool_call',
      name: tool,
      server_tool_call: { type: tool, ...(input === undefined ? {} : { arguments: input }) },
    })),
    ...textParts(said),
    ...(isPartList(raw?.media) ? mediaIn(raw.media) : []),
    ...calls,
  ];
  return { role: 'assistant', parts, finish_reason: finishName(finish) };
};

/** The input or the output of an agent: a text, a list of parts, or JSON. */
export const contentMessage = (role: 'user' | 'assistant', content: Json): SpanMessage => ({
  role,
  parts: isPartList(content)
    ? content.map(partOf)
    : [{ type: 'text', content: typeof content === 'string' ? content : JSON.stringify(content) }],
  ...(role === 'assistant' ? { finish_reason: 'stop' } : {}),
});

/** Stands for messages that were left out. */
export const messagesLeftOut = (count: number): SpanMessage => ({
  role: 'omitted',
  parts: [{ type: 'text', content: `… [${count} more messages]` }],
});

/** A tool as its model sees it. */
export const toolDefinition = ({ name, description, parameters }: ToolSpec): JsonObject => ({
  type: 'function',
  name,
  description,
  parameters,
});

const partOf = (part: Part): JsonObject => {
  if (part.type === 'text') return { type: 'text', content: part.text };
  if (part.type === 'data') return { type: 'text', content: JSON.stringify(part.data) };
  const { type, mediaType, name } = part;
  const facts = {
    modality: modalityOf(type, mediaType),
    ...(mediaType === undefined ? {} : { mime_type: mediaType }),
    ...(name === undefined ? {} : { name }),
  };
  return isLink(part)
    ? { type: 'uri', ...facts, uri: part.url }
    : { type: 'file', ...facts, file_id: part.hash };
};

const modalityOf = (type: string, mediaType = ''): string => {
  if (type !== 'file') return type;
  return mediaType.startsWith('video/') ? 'video' : 'document';
};

const mediaIn = (parts: readonly Part[] = []): readonly JsonObject[] =>
  parts.filter((part) => isMedia(part) || isLink(part)).map(partOf);

const textParts = (text: string): readonly JsonObject[] =>
  text === '' ? [] : [{ type: 'text', content: text }];

const reasoningParts = (reasoning: string | undefined): readonly JsonObject[] =>
  reasoning === undefined ? [] : [{ type: 'reasoning', content: reasoning }];

const callPart = (id: string, name: string, input: Json): JsonObject => ({
  type: 'tool_call',
  id,
  name,
  arguments: input,
});
