import { toJson } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Content, MediaSource, Part } from '../../contracts/content/part.ts';
import { contentText } from '../../contracts/content/part.ts';
import type { AssistantTurn, ToolTurn, Turn } from '../../contracts/conversations/transcript.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { AssistantPart, FilePart, PromptMessage, ResultPart, TextPart } from './model-call.ts';

/** A prompt as a run takes it. */
export interface PromptTurns {
  readonly history: readonly Turn[];
  /** The last message. */
  readonly input: Content;
}

/** Takes the bytes of media out of parts: the run has references to them. */
export type ReadParts = (parts: readonly unknown[]) => readonly Part[];

/**
 * Converts the prompt of a call to the history and the input of a run. System messages are left out, and approvals: the agent's calls need
 * none of the app.
 *
 * A call without a result, of which the app shows one, gets a failed one: providers refuse calls without.
 *
 * @throws {TroupeError} `input.invalid` if the last message is not the user's; what `read` throws.
 */
export const promptTurns = (
  agent: string,
  prompt: readonly PromptMessage[],
  read: ReadParts,
): PromptTurns => {
  const messages = prompt.filter(({ role }) => role !== 'system');
  const last = messages.at(-1);
  if (last?.role !== 'user')
    throw new TroupeError(
      'input.invalid',
      `Cannot run '${agent}' as the prompt does not end with a message of the user: found ${last === undefined ? 'no message' : `one of role '${last.role}'`}`,
    );
  return { history: turnsOf(messages.slice(0, -1), read), input: contentOf(last.content, read) };
};

const turnsOf = (messages: readonly PromptMessage[], read: ReadParts): readonly Turn[] => {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' || message.role === 'tool' ? resultsIn(message.content) : [],
    ),
  );
  return messages.flatMap((message): readonly Turn[] => {
    if (message.role === 'user') return [{ role: 'user', ...spoken(contentOf(message.content, read)) }];
    return message.role === 'assistant' ? assistantTurns(message.content, results, read) : [];
  });
};

const resultsIn = (parts: readonly { readonly type: string }[]): readonly (readonly [string, ResultPart])[] =>
  parts.filter(isResult).map((part) => [part.toolCallId, part] as const);

const isResult = (part: { readonly type: string }): part is ResultPart => part.type === 'tool-result';

/** Text without media is a text, so that an agent reads it as it reads any. */
const contentOf = (content: readonly (TextPart | FilePart)[], read: ReadParts): string | readonly Part[] =>
  content.every((part) => part.type === 'text')
    ? content.map(({ text }) => text).join('\n')
    : read(content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : mediaOf(part))));

const spoken = (content: string | readonly Part[]): Pick<Turn, 'text' | 'parts'> =>
  typeof content === 'string' ? { text: content } : { text: contentText(content), parts: content };

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
  read: ReadParts,
): readonly Turn[] => {
  const turns: Turn[] = [];
  let said = nothingSaid();
  const end = (): void => {
    const { text, reasoning, files, calls } = said;
    if (text !== '' || reasoning !== '' || files.length > 0 || calls.length > 0)
      turns.push(assistantTurn(said, read), ...calls.map((call) => toolTurn(call, results.get(call.id))));
    said = nothingSaid();
  };
  for (const part of parts) {
    if (part.type === 'tool-result') continue;
    if (part.type !== 'tool-call' && said.calls.length > 0) end();
    if (part.type === 'text' || part.type === 'reasoning') said[part.type] += part.text;
    else if (part.type === 'file') said.files.push(part);
    else said.calls.push({ id: part.toolCallId, name: part.toolName, input: toJson(part.input) });
  }
  end();
  return turns;
};

/** The words, media and calls of the agent up to the results of these calls. */
interface Said {
  text: string;
  reasoning: string;
  readonly files: FilePart[];
  readonly calls: ToolCall[];
}

const nothingSaid = (): Said => ({ text: '', reasoning: '', files: [], calls: [] });

/** Media that it made are shown to a model by their names, if nothing was said with them. */
const assistantTurn = ({ text, reasoning, files, calls }: Said, read: ReadParts): AssistantTurn => {
  const parts = read(files.map(mediaOf));
  return {
    role: 'assistant',
    text: text === '' ? contentText(parts) : text,
    ...(parts.length === 0 ? {} : { parts }),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { calls }),
  };
};

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
