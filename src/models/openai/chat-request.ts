import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import type { ModelRequest, ModelSettings, ToolChoice } from '../../contracts/model.ts';
import type { AssistantTurn } from '../../contracts/transcript.ts';
import { echoedInput } from '../call-arguments.ts';
import type { ErrorContext } from '../classify-error.ts';
import { conversation, resultText } from '../conversation.ts';
import { isReasoningModel } from './responses-request.ts';
import { wireOutput, wireSchema } from '../output-schema.ts';
import { replayed } from '../provider-options.ts';
import type { ToolNames } from '../tool-names.ts';

/** The body of a Chat Completions request. Pure. */
export const chatRequest = (
  who: ErrorContext,
  request: ModelRequest,
  names: ToolNames,
  extra: object = {},
): ChatCompletionCreateParamsStreaming => ({
  model: who.model,
  stream: true,
  stream_options: { include_usage: true },
  messages: chatMessages(who, request, names),
  ...toolFields(request, names),
  ...outputFields(request),
  ...settingFields(who.model, request.settings),
  ...extra,
});

const chatMessages = (
  who: ErrorContext,
  { instructions, messages }: ModelRequest,
  names: ToolNames,
): ChatCompletionMessageParam[] => {
  const found: ChatCompletionMessageParam[] = [];
  if (instructions !== '') found.push({ role: 'system', content: instructions });
  for (const message of conversation(messages)) {
    if (message.role === 'assistant') found.push(assistantMessage(who, message.turns, names));
    else {
      for (const result of message.results) {
        found.push({ role: 'tool', tool_call_id: result.callId, content: resultText(result) });
      }
      if (message.text !== '') found.push({ role: 'user', content: message.text });
    }
  }
  return found;
};

const assistantMessage = (
  who: ErrorContext,
  turns: readonly AssistantTurn[],
  names: ToolNames,
): ChatCompletionAssistantMessageParam => {
  const text = turns
    .map((turn) => turn.text)
    .filter((each) => each.trim() !== '')
    .join('\n\n');
  const calls = turns.flatMap((turn) => turn.calls ?? []);
  const reasoning = turns.flatMap((turn) => replayed(turn.replay, who.provider, who.model, 'fields') ?? []);
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: names.legal(call.name), arguments: JSON.stringify(echoedInput(call)) },
          })),
        }),
    // Fields of the provider's own (`reasoning_content` …), under the names under which they came.
    ...Object.assign({}, ...reasoning),
  };
};

type Fields = Partial<ChatCompletionCreateParamsStreaming>;

const toolFields = ({ tools, toolChoice }: ModelRequest, names: ToolNames): Fields =>
  tools.length === 0
    ? {}
    : {
        tools: tools.map(({ name, description, parameters }): ChatCompletionFunctionTool => ({
          type: 'function',
          function: { name: names.legal(name), description, parameters: wireSchema(parameters) },
        })),
        ...(toolChoice === undefined ? {} : { tool_choice: wireToolChoice(toolChoice, names) }),
      };

const wireToolChoice = (choice: ToolChoice, names: ToolNames): ChatCompletionToolChoiceOption =>
  typeof choice === 'string' ? choice : { type: 'function', function: { name: names.legal(choice.name) } };

const outputFields = ({ output }: ModelRequest): Fields => {
  if (output === undefined) return {};
  const { name, schema, isStrict } = wireOutput(output);
  return { response_format: { type: 'json_schema', json_schema: { name, schema, strict: isStrict } } };
};

const settingFields = (id: string, settings: ModelSettings = {}): Fields => {
  const { maxOutputTokens, temperature, reasoning } = settings;
  const isReasoning = isReasoningModel(id);
  return {
    // OpenAI's reasoning models refuse the old name, everybody else may not know the new one.
    ...(maxOutputTokens === undefined
      ? {}
      : isReasoning
        ? { max_completion_tokens: maxOutputTokens }
        : { max_tokens: maxOutputTokens }),
    ...(temperature === undefined || isReasoning ? {} : { temperature }),
    ...(reasoning === undefined ? {} : { reasoning_effort: reasoning }),
  };
};
