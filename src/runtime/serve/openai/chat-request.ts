import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { ClientTool } from '../../../contracts/tools/client-tool.ts';
import type { Params } from './read-params.ts';
import { flagIn, isNothing, modelIn, objectIn, sortParams } from './read-params.ts';
import { readContent, textOf } from './read-parts.ts';
import { readTools } from './read-tools.ts';
import type { ToldCall, ToldConversation, ToldItem } from './wire-conversation.ts';
import { readConversation } from './wire-conversation.ts';
import { paramError } from './wire-error.ts';

/** A request of Chat Completions. */
export interface ChatRequest {
  readonly model: string;
  readonly told: ToldConversation;
  readonly tools: readonly ClientTool[];
  readonly format: JsonObject | undefined;
  readonly isStreamed: boolean;
  readonly includesUsage: boolean;
  /** The parameters that have no effect. */
  readonly ignored: readonly string[];
}

/** Messages of a request at most. */
const MOST_MESSAGES = 1_000;

const one = (value: Json): boolean => value === 1;
const no = (value: Json): boolean => isNothing(value);
const textOnly = (value: Json): boolean => Array.isArray(value) && value.every((each) => each === 'text');

const params: Params = {
  taken: [
    'model',
    'messages',
    'stream',
    'stream_options',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'response_format',
  ],
  withoutEffect: [
    'frequency_penalty',
    'max_completion_tokens',
    'max_tokens',
    'metadata',
    'presence_penalty',
    'prompt_cache_key',
    'prompt_cache_options',
    'prompt_cache_retention',
    'reasoning_effort',
    'safety_identifier',
    'seed',
    'service_tier',
    'temperature',
    'top_p',
    'user',
    'verbosity',
  ],
  refused: {
    n: { unless: one, why: 'an agent gives one answer' },
    stop: { unless: no, why: 'an agent ends its answers itself' },
    logprobs: { unless: no, why: 'an answer of an agent has no probabilities' },
    top_logprobs: { unless: no, why: 'an answer of an agent has no probabilities' },
    logit_bias: { unless: no, why: 'an agent chooses its words itself' },
    audio: { unless: no, why: 'answers are text' },
    modalities: { unless: textOnly, why: 'answers are text' },
    prediction: { unless: no, why: 'an agent takes no prediction of its answer' },
    functions: { unless: no, why: 'functions are given as `tools`' },
    function_call: {
      unless: (value) => value === 'none' || value === 'auto',
      why: 'functions are given as `tools`',
    },
    web_search_options: { unless: no, why: 'an agent searches by tools of its own' },
    moderation: { unless: no, why: 'an agent has guardrails of its own' },
    store: { unless: no, why: 'completions are not kept, but responses are' },
  },
};

/** Reads a request of Chat Completions. @throws {TroupeError} `input.invalid`, with the parameter */
export const readChatRequest = (body: JsonObject): ChatRequest => {
  const model = modelIn(body);
  const ignored = sortParams(body, params);
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length > MOST_MESSAGES)
    throw paramError(
      'messages',
      `'messages' is no list of at most ${MOST_MESSAGES} messages: ${foundText(messages)}`,
    );
  const list: readonly Json[] = messages;
  const items = list.map((message, index) => readMessage(message, `messages[${index}]`));
  return {
    model,
    told: readConversation(items, 'messages'),
    tools: readTools(body),
    format: objectIn(body, 'response_format'),
    isStreamed: flagIn(body, 'stream') ?? false,
    includesUsage: objectIn(body, 'stream_options')?.['include_usage'] === true,
    ignored,
  };
};

const readMessage = (given: Json, place: string): ToldItem => {
  const message: JsonObject = isJsonObject(given) ? given : {};
  const { role } = message;
  const content = readContent(message['content'], `${place}.content`);
  switch (role) {
    case 'system':
    case 'developer':
      return { kind: 'instructions', text: textOf(content) };
    case 'user':
      return { kind: 'user', content };
    case 'assistant': {
      const { tool_calls: calls = [], refusal } = message;
      const said = textOf(content);
      return {
        kind: 'assistant',
        text: said === '' && typeof refusal === 'string' ? refusal : said,
        calls: Array.isArray(calls) ? calls.map((call: Json) => readCall(call, `${place}.tool_calls`)) : [],
      };
    }
    case 'tool': {
      const { tool_call_id: callId } = message;
      if (typeof callId !== 'string')
        throw paramError(place, `the result of a tool names no call: ${foundText(callId)}`);
      return { kind: 'result', callId, text: textOf(content) };
    }
    default:
      throw paramError(place, `a message has an unknown role: ${foundText(role)}`);
  }
};

const readCall = (given: Json, place: string): ToldCall => {
  const { id, function: called } = isJsonObject(given) ? given : {};
  const { name, arguments: text } = isJsonObject(called) ? called : {};
  return toldCall({ id, name, text }, place);
};

/** Reads a call as a client tells it. @throws {TroupeError} `input.invalid` */
export const toldCall = (
  {
    id,
    name,
    text,
  }: { readonly id?: Json | undefined; readonly name?: Json | undefined; readonly text?: Json | undefined },
  place: string,
): ToldCall => {
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string')
    throw paramError(place, 'a call of it has no id, name or arguments');
  try {
    const input: Json = JSON.parse(text === '' ? '{}' : text);
    return { id, name, input };
  } catch {
    throw paramError(place, `the arguments of a call are no JSON: ${foundText(text)}`);
  }
};
