import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { ClientTool } from '../../../contracts/tools/client-tool.ts';
import { toldCall } from './chat-request.ts';
import type { Params } from './read-params.ts';
import { flagIn, isNothing, metadataIn, modelIn, objectIn, sortParams, textIn } from './read-params.ts';
import { readContent, textOf } from './read-parts.ts';
import { readTools } from './read-tools.ts';
import type { ToldItem } from './wire-conversation.ts';
import { paramError } from './wire-error.ts';

/** A request of Responses. */
export interface ResponsesRequest {
  readonly model: string;
  readonly items: readonly (ToldItem | ItemReference)[];
  readonly instructions: string | undefined;
  readonly previous: string | undefined;
  readonly tools: readonly ClientTool[];
  readonly isParallel: boolean;
  /** As the client gave them, for the response. */
  readonly toolsGiven: readonly Json[];
  readonly format: JsonObject | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly isStored: boolean;
  readonly isBackground: boolean;
  readonly isStreamed: boolean;
  readonly ignored: readonly string[];
}

/** Refers to an item of an earlier response. */
export interface ItemReference {
  readonly kind: 'reference';
  readonly id: string;
}

/** Items of a request at most. */
const MOST_ITEMS = 1_000;

const no = (value: Json): boolean => isNothing(value);

const params: Params = {
  taken: [
    'model',
    'input',
    'instructions',
    'previous_response_id',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'text',
    'metadata',
    'store',
    'background',
    'stream',
    'stream_options',
  ],
  withoutEffect: [
    'context_management',
    'include',
    'max_output_tokens',
    'prompt_cache_key',
    'prompt_cache_options',
    'prompt_cache_retention',
    'reasoning',
    'safety_identifier',
    'service_tier',
    'temperature',
    'top_p',
    'truncation',
    'user',
  ],
  refused: {
    conversation: { unless: no, why: 'a conversation is continued by `previous_response_id`' },
    prompt: { unless: no, why: 'an agent has its prompt' },
    max_tool_calls: { unless: no, why: 'the calls of an agent are limited by its own rules' },
    top_logprobs: { unless: no, why: 'an answer of an agent has no probabilities' },
    moderation: { unless: no, why: 'an agent has guardrails of its own' },
  },
};

/** Reads a request of Responses. @throws {TroupeError} `input.invalid`, with the parameter */
export const readResponsesRequest = (body: JsonObject): ResponsesRequest => {
  const model = modelIn(body);
  const ignored = sortParams(body, params);
  const isBackground = flagIn(body, 'background') ?? false;
  const isStored = flagIn(body, 'store') ?? true;
  if (isBackground && !isStored)
    throw paramError('background', "a response in the background is fetched later: leave out 'store: false'");
  const { tools } = body;
  return {
    model,
    items: readItems(body['input']),
    instructions: textIn(body, 'instructions'),
    previous: textIn(body, 'previous_response_id'),
    tools: readTools(body),
    isParallel: flagIn(body, 'parallel_tool_calls') ?? true,
    toolsGiven: Array.isArray(tools) ? tools : [],
    format: formatIn(objectIn(body, 'text')),
    metadata: metadataIn(body),
    isStored,
    isBackground,
    isStreamed: flagIn(body, 'stream') ?? false,
    ignored: [...ignored, ...(objectIn(body, 'text')?.['verbosity'] === undefined ? [] : ['text.verbosity'])],
  };
};

const formatIn = (text: JsonObject | undefined): JsonObject | undefined => {
  const format = text?.['format'] ?? undefined;
  if (format === undefined || isJsonObject(format)) return format;
  throw paramError('text.format', `'text.format' is no object: ${foundText(format)}`);
};

const readItems = (input: Json | undefined): ResponsesRequest['items'] => {
  if (typeof input === 'string') return [{ kind: 'user', content: input }];
  if (!Array.isArray(input) || input.length > MOST_ITEMS)
    throw paramError(
      'input',
      `'input' is neither a text nor a list of at most ${MOST_ITEMS}: ${foundText(input)}`,
    );
  const items: readonly Json[] = input;
  return items.flatMap((item, index) => readItem(item, `input[${index}]`));
};

const readItem = (given: Json, place: string): ResponsesRequest['items'] => {
  const item: JsonObject = isJsonObject(given) ? given : {};
  const { type = 'message', id } = item;
  switch (type) {
    case 'message':
      return [readMessage(item, place)];
    case 'function_call': {
      const { call_id: callId, name, arguments: text } = item;
      return [{ kind: 'assistant', text: '', calls: [toldCall({ id: callId, name, text }, place)] }];
    }
    case 'function_call_output': {
      const { call_id: callId, output } = item;
      if (typeof callId !== 'string')
        throw paramError(place, `the output of a call names no call: ${foundText(callId)}`);
      return [{ kind: 'result', callId, text: textOf(readContent(output, `${place}.output`)) }];
    }
    case 'item_reference':
      if (typeof id !== 'string') throw paramError(place, `a reference names no item: ${foundText(id)}`);
      return [{ kind: 'reference', id }];
    case 'mcp_approval_response':
      return [readApproval(item, place)];
    // Thoughts are the agent's own, and clients that keep all items send requests back.
    case 'reasoning':
    case 'mcp_approval_request':
      return [];
    default:
      throw paramError(place, `an item is of a type that is not taken: ${foundText(type)}`);
  }
};

const readMessage = (item: JsonObject, place: string): ToldItem => {
  const { role } = item;
  const content = readContent(item['content'], `${place}.content`);
  switch (role) {
    case 'system':
    case 'developer':
      return { kind: 'instructions', text: textOf(content) };
    case 'user':
      return { kind: 'user', content };
    case 'assistant':
      return { kind: 'assistant', text: textOf(content), calls: [] };
    default:
      throw paramError(place, `a message has an unknown role: ${foundText(role)}`);
  }
};

const readApproval = (item: JsonObject, place: string): ToldItem => {
  const { approval_request_id: id, approve, reason } = item;
  if (typeof id !== 'string' || typeof approve !== 'boolean')
    throw paramError(place, 'an approval has no `approval_request_id`, or no `approve`');
  return { kind: 'approval', id, yes: approve, ...(typeof reason === 'string' ? { reason } : {}) };
};
