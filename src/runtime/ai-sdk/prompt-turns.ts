import { toJson } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Content, GivenPart, MediaSource } from '../../contracts/content/part.ts';
import type { AssistantTurn, ToolTurn, Turn } from '../../contracts/conversations/transcript.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { AssistantPart, FilePart, PromptMessage, ResultPart, UserMessage } from './model-call.ts';

/** A prompt as a run takes it. */
export interface PromptTurns {
  readonly history: readonly Turn[];
  /** The last message. */
  readonly input: Content;
}

/**
 * Converts the prompt of a call to the history and the input of a run. System messages are left out.
 *
 * A call without a result, of which the app shows one, gets a failed one: providers refuse calls without.
 *
 * @throws {TroupeError} `input.invalid` if the last message is not the user's.
 */
export const promptTurns = (agent: string, prompt: readonly PromptMessage[]): PromptTurns => {
  const messages = prompt.filter(({ role }) => role !== 'system');
  const last = messages.at(-1);
  if (last?.role !== 'user')
    throw new TroupeError(
      'input.invalid',
      `Cannot run '${agent}' as the prompt does not end with a message of the user: found ${last === undefined ? 'no message' : `one of role '${last.role}'`}`,
    );
  return { history: turnsOf(messages.slice(0, -1)), input: contentOf(last) };
};

const turnsOf = (messages: readonly PromptMessage[]): readonly Turn[] => {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' || message.role === 'tool' ? resultsIn(message.content) : [],
    ),
  );
  return messages.flatMap((message): readonly Turn[] => {
    if (message.role === 'user') {
      const content = contentOf(message);
      return [typeof content === 'string' ? { role: 'user', text: content } : withMedia(content)];
    }
    return message.role === 'assistant' ? assistantTurns(message.content, results) : [];
  });
};

const resultsIn = (parts: readonly { readonly type: string }[]): readonly (readonly [string, ResultPart])[] =>
  parts.filter(isResult).map((part) => [part.toolCallId, part] as const);

const isResult = (part: { readonly type: string }): part is ResultPart => part.type === 'tool-result';

/** Text without media is a text, so that an agent reads it as it reads any. */
const contentOf = ({ content }: UserMessage): Content =>
  content.every((part) => part.type === 'text')
    ? content.map(({ text }) => text).join('\n')
    : content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : mediaOf(part)));

/** Bytes in a history are taken out of it where the run starts, as those of its input are. */
const withMedia = (parts: readonly GivenPart[]): Turn =>
  // The runtime reads parts as they are given, though a turn that is on record has references only.
  ({ role: 'user', parts }) as unknown as Turn;

const mediaOf = ({ data, mediaType, filename }: FilePart): MediaSource => {
  const [kind] = mediaType.split('/');
  return {
    type: kind === 'image' || kind === 'audio' ? kind : 'file',
    data: data instanceof URL ? data.href : data,
    // Of `image/*` the first bytes tell more.
    ...(mediaType.includes('*') ? {} : { mediaType }),
    ...(filename === undefined ? {} : { name: filename }),
  };
};

/** A message in which the agent spoke again after calls is several turns: results directly follow what called. */
const assistantTurns = (
  parts: readonly AssistantPart[],
  results: ReadonlyMap<string, ResultPart>,
): readonly Turn[] => {
  const turns: Turn[] = [];
  let said = { text: '', reasoning: '' };
  let calls: ToolCall[] = [];
  const end = (): void => {
    if (said.text !== '' || said.reasoning !== '' || calls.length > 0)
      turns.push(assistantTurn(said, calls), ...calls.map((call) => toolTurn(call, results.get(call.id))));
    said = { text: '', reasoning: '' };
    calls = [];
  };
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning') {
      if (calls.length > 0) end();
      said[part.type] += part.text;
    } else if (part.type === 'tool-call') {
      const { toolCallId: id, toolName: name, input } = part;
      calls.push({ id, name, input: toJson(input) });
    }
  }
  end();
  return turns;
};

const assistantTurn = (
  { text, reasoning }: { readonly text: string; readonly reasoning: string },
  calls: readonly ToolCall[],
): AssistantTurn => ({
  role: 'assistant',
  text,
  ...(reasoning === '' ? {} : { reasoning }),
  ...(calls.length === 0 ? {} : { calls }),
});

const toolTurn = ({ id, name }: ToolCall, result: ResultPart | undefined): ToolTurn => ({
  role: 'tool',
  callId: id,
  tool: name,
  ...(result === undefined ? { text: 'The call has no result.', failed: true } : resultText(result)),
});

const resultText = ({ output }: ResultPart): Pick<ToolTurn, 'text' | 'failed'> => {
  const { type, value, reason } = output;
  if (type === 'execution-denied') return { text: reason ?? 'The call was denied.', failed: true };
  const text = typeof value === 'string' ? value : JSON.stringify(toJson(value));
  return type.startsWith('error') ? { text, failed: true } : { text };
};
