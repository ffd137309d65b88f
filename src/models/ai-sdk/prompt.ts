import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { AssistantTurn } from '../../contracts/conversations/transcript.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { withCallIds } from '../calls/call-ids.ts';
import { conversation, type Message, resultText } from '../wire/conversation.ts';
import { replayed } from '../wire/provider-options.ts';
import type { ReaderContext } from '../wire/reader-context.ts';
import { anything, hasShape, object, text } from '../wire/replay-shape.ts';
import type { PromptMessage, ReplayedPart, TextPart, ToolCallPart, VendorOptions } from './language-model.ts';
import type { Vendor } from './vendors.ts';

/** The conversation as messages of the AI SDK; the last of them may be marked for the provider's cache. */
export const promptOf = (
  { request, who, names, inputs }: ReaderContext,
  instructions: string,
  vendor: Vendor,
): PromptMessage[] => {
  const cache = cacheMark(vendor, request.settings?.cache ?? true);
  const wire: Wire = { provider: who.provider, model: who.model, names, inputs };
  const messages = withCallIds(conversation(request.messages), {
    provider: who.provider,
    length: vendor.callIdLength,
  });
  const prompt: PromptMessage[] =
    instructions === '' ? [] : [{ role: 'system', content: instructions, ...cache }];
  const called = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const { calls = [] } of message.turns) for (const { id, name } of calls) called.set(id, name);
    prompt.push(...(message.role === 'assistant' ? [assistant(message, wire)] : user(message, wire, called)));
  }
  const last = prompt.pop();
  return last === undefined ? prompt : [...prompt, { ...last, ...cache }];
};

/** The mark of a prefix that is worth keeping; nothing for a vendor without marks. */
export const cacheMark = ({ name, cache }: Vendor, isWanted: boolean): { providerOptions?: VendorOptions } =>
  cache === undefined || !isWanted ? {} : { providerOptions: { [name]: cache } };

interface Wire extends Pick<ReaderContext, 'names' | 'inputs'> {
  readonly provider: string;
  readonly model: string;
}

const user = (
  { results, text: said }: Extract<Message, { role: 'user' }>,
  { names }: Wire,
  called: ReadonlyMap<string, string>,
): PromptMessage[] => [
  ...(results.length === 0
    ? []
    : [
        {
          role: 'tool' as const,
          content: results.map((result) => ({
            type: 'tool-result' as const,
            toolCallId: result.callId,
            toolName: names.legal(called.get(result.callId) ?? result.tool),
            output: {
              type: result.failed === true ? ('error-text' as const) : ('text' as const),
              value: resultText(result),
            },
          })),
        },
      ]),
  ...(said === '' ? [] : [{ role: 'user' as const, content: [{ type: 'text' as const, text: said }] }]),
];

const assistant = ({ turns }: Extract<Message, { role: 'assistant' }>, wire: Wire): PromptMessage => ({
  role: 'assistant',
  content: turns.flatMap((turn) => turnParts(turn, wire)),
});

const turnParts = (turn: AssistantTurn, wire: Wire): (TextPart | ToolCallPart | ReplayedPart)[] => {
  const calls = turn.calls ?? [];
  const parts = replayed(turn.replay, wire.provider, wire.model, 'parts')?.filter(isPart) ?? [];
  if (parts.length > 0 && parts.filter(isOwnCall).length === calls.length) {
    let index = 0;
    return parts.map((part) => {
      const call = isOwnCall(part) ? calls[index++] : undefined;
      return call === undefined ? part : { ...part, ...toolCall(call, wire) };
    });
  }
  return [
    ...(turn.text.trim() === '' ? [] : [{ type: 'text' as const, text: turn.text }]),
    ...calls.map((call) => toolCall(call, wire)),
  ];
};

const toolCall = (call: ToolCall, { names, inputs }: Wire): ToolCallPart => ({
  type: 'tool-call',
  toolCallId: call.id,
  toolName: names.legal(call.name),
  input: inputs.echo(call),
});

/** A call for us; one that the provider ran itself is only sent back. */
const isOwnCall = (part: JsonObject): boolean =>
  part['type'] === 'tool-call' && part['providerExecuted'] !== true;

const SHAPES = {
  text: { text },
  reasoning: { text },
  'tool-call': { toolCallId: text, toolName: text, input: anything },
  'tool-result': { toolCallId: text, toolName: text, output: object },
  file: { data: anything, mediaType: text },
  'reasoning-file': { data: anything, mediaType: text },
  custom: { kind: text },
};

/** Checks whether a part can be sent back: it may come from a stored history. */
const isPart = (part: JsonObject): part is JsonObject & ReplayedPart =>
  hasShape(part, SHAPES) && (part['providerOptions'] === undefined || isJsonObject(part['providerOptions']));
