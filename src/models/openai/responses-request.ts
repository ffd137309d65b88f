import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseInputFile,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
} from 'openai/resources/responses/responses';
import type { ModelRequest, ToolChoice } from '../../contracts/models/model.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { AssistantTurn, ToolTurn } from '../../contracts/conversations/transcript.ts';
import { isLink } from '../../contracts/content/part.ts';
import { nameFor } from '../wire/media-bytes.ts';
import { conversation, resultText, type SentPart, sentParts } from '../wire/conversation.ts';
import { APPROVE_PROVIDER_CALL } from '../../contracts/tools/provider-approval.ts';
import { approvalInput, approvalResponse, requestOf } from './responses-approval.ts';
import { computerCallOf, computerInput, Screen } from './responses-computer.ts';
import { isInputItem } from './responses-replay.ts';
import { wireOutput } from '../schemas/output-schema.ts';
import { replayDataFor } from '../wire/provider-options.ts';
import { remainingItems, type ReplayTerms } from '../wire/remaining-items.ts';
import { allTools, toolsDefinedHere, toolsRunBy } from '../wire/provider-tools.ts';
import { NO_FIELD, REASONS_INSTEAD, sentSettings, type SentSettings } from '../wire/sent-settings.ts';
import type { WireContext } from '../wire/reader-context.ts';
import { callArguments } from '../calls/call-arguments.ts';
import type { ToolInputs } from '../calls/tool-inputs.ts';
import type { ToolNames } from '../calls/tool-names.ts';

/** The body of a request to the Responses API. Pure. */
export const openaiRequest = (
  id: string,
  { request, names, inputs, media }: WireContext,
  options: { readonly cacheKey?: string | undefined; readonly extra?: object | undefined } = {},
): ResponseCreateParamsStreaming => ({
  model: id,
  stream: true,
  store: false,
  ...(request.instructions === '' ? {} : { instructions: request.instructions }),
  input: inputItems(request, { id, names, inputs, media }),
  ...toolFields(request, names, inputs),
  ...outputFields(request),
  ...settingFields(id, request),
  ...(options.cacheKey === undefined ? {} : { prompt_cache_key: options.cacheKey }),
  ...options.extra,
  ...request.settings?.providerOptions?.['openai'],
});

/** Models that think before they answer: they take an effort and refuse a temperature. */
export const isReasoningModel = (id: string): boolean =>
  /^(o\d|gpt-[5-9]|codex)/.test(id.replace(/^.*\//, ''));

/** Context for encoding a turn. */
type Wire = Omit<WireContext, 'request'> & { readonly id: string };

const inputItems = ({ messages }: ModelRequest, wire: Wire): ResponseInputItem[] => {
  const items: ResponseInputItem[] = [];
  const screen = new Screen(wire.media);
  let called: readonly ToolCall[] = [];
  for (const message of conversation(messages)) {
    if (message.role === 'assistant') {
      called = message.turns.flatMap(({ calls = [] }) => calls);
      for (const turn of message.turns) items.push(...turnItems(turn, wire));
    } else {
      for (const result of message.results) {
        const call = called.findLast(({ id }) => id === result.callId);
        items.push(...resultItems(result, call, wire, screen));
      }
      if (message.parts !== undefined)
        items.push({ role: 'user', content: message.parts.map((part) => inputContent(part, wire)) });
      else if (message.text !== '') items.push({ role: 'user', content: message.text });
    }
  }
  return items;
};

const resultItems = (
  result: ToolTurn,
  call: ToolCall | undefined,
  wire: Wire,
  screen: Screen,
): readonly ResponseInputItem[] => {
  const request = call && requestOf(call);
  if (request !== undefined) return [approvalResponse(request, result)];
  const seen = call && computerCallOf(call);
  if (seen !== undefined) return screen.resultItems(seen, result);
  return [{ type: 'function_call_output', call_id: result.callId, output: outputOf(result, wire) }];
};

const outputOf = (turn: ToolTurn, wire: Wire): ResponseInputItem.FunctionCallOutput['output'] =>
  turn.parts === undefined ? resultText(turn) : sentParts(turn.parts).map((part) => inputContent(part, wire));

/** A part as content; what is no image is a file. */
const inputContent = (part: SentPart, { media }: Wire): InputContent => {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  if (isLink(part))
    return part.type === 'image'
      ? { type: 'input_image', image_url: part.url, detail: 'auto' }
      : { type: 'input_file', file_url: part.url };
  const url = media.urlOf(part);
  if (part.mediaType.startsWith('image/')) return { type: 'input_image', image_url: url, detail: 'auto' };
  return { type: 'input_file', filename: part.name ?? nameFor(part), file_data: url };
};

type InputContent = ResponseInputText | ResponseInputImage | ResponseInputFile;

const turnItems = (turn: AssistantTurn, wire: Wire): ResponseInputItem[] => {
  const calls = turn.calls ?? [];
  const items = replayDataFor(turn.replay, 'openai', wire.id, 'items')?.filter(isInputItem) ?? [];
  const remaining = remainingItems(items, calls, wire, TERMS);
  if (remaining !== undefined)
    return remaining.flatMap(({ item, call, isBereft }) => {
      if (call !== undefined) return [callItem(call, wire)];
      return isBereft ? withoutItsId(item) : [item];
    });
  return [
    ...(turn.text.trim() === '' ? [] : [{ role: 'assistant' as const, content: turn.text }]),
    ...calls.map((call) => callItem(call, wire)),
  ];
};

/**
 * The API refuses reasoning without the item that followed it, and an item by its id without the reasoning before it; a call has no id here
 * but that of its result. OpenAI's own SDK leaves reasoning out by the same rule (openai/openai-agents-python#3207).
 */
const TERMS: ReplayTerms<ResponseInputItem> = {
  callIn: (item) => {
    if (item.type === 'mcp_approval_request')
      return { name: APPROVE_PROVIDER_CALL, input: approvalInput(item), id: item.id };
    // By whichever name it was defined: no other item has its id.
    if (item.type === 'computer_call') return { name: '', input: computerInput(item), id: item.id };
    return item.type === 'function_call'
      ? { name: item.name, input: callArguments(item.arguments).input }
      : undefined;
  },
  isReasoning: ({ type }) => type === 'reasoning',
  isBound: true,
};

/** An item whose reasoning is left out: its words alone. */
const withoutItsId = (item: ResponseInputItem): ResponseInputItem[] => {
  if (item.type !== 'message' || typeof item.content === 'string') return [];
  const content = item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
  return content.trim() === '' ? [] : [{ role: 'assistant', content }];
};

const callItem = (call: ToolCall, { names, inputs }: Wire): ResponseInputItem =>
  requestOf(call) ??
  computerCallOf(call) ?? {
    type: 'function_call',
    call_id: call.id,
    name: names.legal(call.name),
    arguments: JSON.stringify(inputs.echo(call)),
  };

type Fields = Partial<ResponseCreateParamsStreaming>;

const toolFields = (request: ModelRequest, names: ToolNames, inputs: ToolInputs): Fields => {
  const { toolChoice } = request;
  const theirs = toolsRunBy('openai', request);
  const tools = toolsDefinedHere(request, theirs);
  if (tools.length === 0) return { ...allTools(theirs) };
  const ours = tools.map((tool): FunctionTool => ({
    type: 'function',
    name: names.legal(tool.name),
    description: tool.description,
    parameters: inputs.schema(tool),
    strict: inputs.isStrict(tool),
  }));
  return {
    tools: ours,
    ...allTools(theirs, ours),
    ...(toolChoice === undefined ? {} : { tool_choice: wireToolChoice(toolChoice, names) }),
  };
};

const wireToolChoice = (
  choice: ToolChoice,
  names: ToolNames,
): NonNullable<ResponseCreateParamsStreaming['tool_choice']> =>
  typeof choice === 'string' ? choice : { type: 'function', name: names.legal(choice.name) };

const outputFields = ({ output }: ModelRequest): Fields => {
  if (output === undefined) return {};
  const { name, schema, isStrict } = wireOutput(output, 'nullable');
  return { text: { format: { type: 'json_schema', name, schema, strict: isStrict } } };
};

/** The settings that a model takes by this API. */
export const responsesSettings = (id: string, { settings }: ModelRequest): SentSettings => {
  const isReasoning = isReasoningModel(id);
  return sentSettings(settings, {
    temperature: isReasoning && REASONS_INSTEAD,
    topP: isReasoning && REASONS_INSTEAD,
    topK: NO_FIELD,
    stop: NO_FIELD,
    seed: NO_FIELD,
    presencePenalty: NO_FIELD,
    frequencyPenalty: NO_FIELD,
    'reasoning.effort': !isReasoning && 'it does not reason',
    'reasoning.budgetTokens': isReasoning ? EFFORT_ONLY : 'it does not reason',
  });
};

/** The reason of a model that takes no number of tokens to reason with. */
export const EFFORT_ONLY = 'it takes an effort in place of a budget';

const settingFields = (id: string, request: ModelRequest): Fields => {
  const { sent } = responsesSettings(id, request);
  const { effort } = sent;
  return {
    ...withoutUndefined({
      max_output_tokens: sent.maxOutputTokens,
      temperature: sent.temperature,
      top_p: sent.topP,
      parallel_tool_calls: request.tools.length === 0 ? undefined : sent.parallelCalls,
      reasoning: effort === undefined ? undefined : { effort },
      // A word of the provider's own: newer ones are unknown to the type.
      service_tier: sent.serviceTier as Fields['service_tier'],
    }),
    // As nothing is stored, the model's reasoning must travel with the conversation.
    ...(isReasoningModel(id) ? { include: ['reasoning.encrypted_content'] } : {}),
  };
};
