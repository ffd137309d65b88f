import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type {
  Base64ImageSource,
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import { type JsonObject, toJson } from '../../base/json/json.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { AssistantTurn, ToolTurn } from '../../contracts/conversations/transcript.ts';
import { isLink } from '../../contracts/content/part.ts';
import { isBlockParam } from './anthropic-replay.ts';
import { isThinking, thinkingFields, thinkingRefusals } from './anthropic-thinking.ts';
import {
  conversation,
  mediaOfResult,
  type Message,
  resultText,
  type SentPart,
  sentParts,
} from '../wire/conversation.ts';
import { outputInstruction, portableSchema, wireOutput } from '../schemas/output-schema.ts';
import { isWorthKeeping } from '../wire/kept-prefix.ts';
import { replayDataFor } from '../wire/provider-options.ts';
import { remainingItems, type ReplayTerms } from '../wire/remaining-items.ts';
import { allTools, toolsDefinedHere, toolsRunBy } from '../wire/provider-tools.ts';
import {
  NO_FIELD,
  plainSettings,
  type PlainSettings,
  sentSettings,
  type SentSettings,
} from '../wire/sent-settings.ts';
import type { WireContext } from '../wire/reader-context.ts';
import type { ToolNames } from '../calls/tool-names.ts';

/** The body of a request to the Messages API. Pure. */
export const anthropicRequest = (
  id: string,
  { request, names, inputs, media }: WireContext,
  extra: object = {},
): MessageCreateParamsStreaming => {
  const { output } = request;
  const { sent } = anthropicSettings(id, request);
  const schema = output === undefined ? undefined : portableSchema(wireOutput(output).schema);
  const thinking = thinkingFields(id, request, sent, sent.maxOutputTokens ?? DEFAULT_MAX_TOKENS);
  const wire: Wire = { id, names, inputs, media };
  const messages = conversation(request.messages);
  const cache = (sent.cache ?? true) ? CACHED : {};
  const last = isWorthKeeping(request, messages) ? messages.length - 1 : undefined;
  const config = {
    ...(thinking.effort === undefined ? {} : { effort: thinking.effort }),
    ...(schema === undefined ? {} : { format: { type: 'json_schema' as const, schema } }),
  };
  return {
    model: id,
    stream: true,
    max_tokens: thinking.maxTokens,
    ...systemField(request, schema === undefined, cache),
    messages: messages.map((message, index) => messageParam(wire, message, index === last ? cache : {})),
    ...toolFields(request, messages, wire, cache, sent.parallelCalls),
    ...drawFields(sent),
    ...(thinking.thinking === undefined ? {} : { thinking: thinking.thinking }),
    ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
    ...extra,
    ...request.settings?.providerOptions?.['anthropic'],
  };
};

/** The settings that a model takes by this API. */
export const anthropicSettings = (id: string, request: ModelRequest): SentSettings => {
  const { temperature, topP, serviceTier } = plainSettings(request.settings ?? {});
  const refusals = thinkingRefusals(id, request);
  const draws = drawsBy(id, isThinking(id, request, sentSettings(request.settings, refusals).sent));
  return sentSettings(request.settings, {
    ...refusals,
    temperature: draws ?? ((temperature ?? 0) > 1 && 'it takes a temperature from 0 to 1'),
    topP:
      draws ?? (temperature !== undefined && topP !== undefined && 'it takes either that or `temperature`'),
    topK: draws,
    seed: NO_FIELD,
    presencePenalty: NO_FIELD,
    frequencyPenalty: NO_FIELD,
    serviceTier: !isTier(serviceTier) && 'it takes `auto` or `standard_only`',
  });
};

/** The reason for which a model does not let its draws be set; undefined for those up to Opus 4.6. */
const drawsBy = (id: string, thinks: boolean): string | undefined => {
  if (!UP_TO_4_6.test(id)) return 'models after Claude Opus 4.6 take none';
  return thinks ? 'it takes none while it thinks: leave `reasoning` out for it' : undefined;
};

const UP_TO_4_6 = /^claude-(3|(opus|sonnet|haiku)-4(-[0-6])?(-\d{8})?$)/;

const isTier = (tier: string | undefined): tier is 'auto' | 'standard_only' =>
  tier === 'auto' || tier === 'standard_only';

/** Outside the type, which is that of the newest models. */
const drawFields = ({ temperature, topP, topK, stop, serviceTier }: PlainSettings): object =>
  withoutUndefined({
    temperature,
    top_p: topP,
    top_k: topK,
    stop_sequences: stop,
    service_tier: serviceTier,
  });

/** Context for encoding a turn. */
type Wire = Omit<WireContext, 'request'> & { readonly id: string };

/** This API demands a number. */
const DEFAULT_MAX_TOKENS = 8_192;

/** The end of a prefix that is worth keeping: system, tools, and the conversation so far. */
const CACHED = { cache_control: { type: 'ephemeral' as const } };

type CacheMark = Partial<typeof CACHED>;

const systemField = (
  { instructions, output }: ModelRequest,
  isOutputDescribed: boolean,
  cache: CacheMark,
): { system?: TextBlockParam[] } => {
  const described = output !== undefined && isOutputDescribed ? outputInstruction(wireOutput(output)) : '';
  const text = [instructions, described].filter((each) => each.trim() !== '').join('\n\n');
  return text === '' ? {} : { system: [{ type: 'text', text, ...cache }] };
};

const messageParam = (wire: Wire, message: Message, cache: CacheMark): MessageParam => {
  if (message.role === 'assistant') {
    return { role: 'assistant', content: message.turns.flatMap((turn) => turnBlocks(wire, turn)) };
  }
  const blocks: (ToolResultBlockParam | ContentBlock)[] = message.results.map((turn) =>
    toolResult(turn, wire),
  );
  const failed = message.results.filter((turn) => turn.failed === true);
  blocks.push(...failed.flatMap(mediaOfResult).map((part) => contentBlock(part, wire)));
  if (message.parts !== undefined) blocks.push(...message.parts.map((part) => contentBlock(part, wire)));
  else if (message.text !== '') blocks.push({ type: 'text', text: message.text });
  const last = blocks.pop();
  return { role: 'user', content: last === undefined ? blocks : [...blocks, { ...last, ...cache }] };
};

/** A result that failed is text alone, as this API demands: its media follow the results. */
const toolResult = (turn: ToolTurn, wire: Wire): ToolResultBlockParam => ({
  type: 'tool_result',
  tool_use_id: turn.callId,
  content:
    turn.parts === undefined || turn.failed === true
      ? resultText(turn)
      : sentParts(turn.parts).map((part) => contentBlock(part, wire)),
  ...(turn.failed === true ? { is_error: true } : {}),
});

type ContentBlock = TextBlockParam | ImageBlockParam | DocumentBlockParam;

/** A part as a block; what is no image is a document. */
const contentBlock = (part: SentPart, { media }: Wire): ContentBlock => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { name } = part;
  if (isLink(part)) {
    const source = { type: 'url', url: part.url } as const;
    return part.type === 'image'
      ? { type: 'image', source }
      : { type: 'document', source, ...titleField(name) };
  }
  const data = media.base64Of(part);
  if (isImageType(part.mediaType))
    return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data } };
  return {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data },
    ...titleField(name),
  };
};

const titleField = (name: string | undefined): { readonly title?: string } =>
  name === undefined ? {} : { title: name };

type ImageType = Base64ImageSource['media_type'];

const isImageType = (mediaType: string): mediaType is ImageType => mediaType.startsWith('image/');

const turnBlocks = (wire: Wire, turn: AssistantTurn): ContentBlockParam[] => {
  const calls = turn.calls ?? [];
  const blocks = replayDataFor(turn.replay, 'anthropic', wire.id, 'blocks')?.filter(isWelcome) ?? [];
  const remaining = remainingItems(blocks, calls, wire, TERMS);
  if (remaining !== undefined)
    return remaining.map(({ item, call }) =>
      item.type === 'tool_use' && call !== undefined ? { ...item, ...toolUse(call, wire) } : item,
    );
  return [
    ...(turn.text.trim() === '' ? [] : [{ type: 'text' as const, text: turn.text }]),
    ...calls.map((call) => toolUse(call, wire)),
  ];
};

/** The API refuses calls without what was thought before them, and thoughts that nothing follows. */
const TERMS: ReplayTerms<ContentBlockParam> = {
  callIn: (block) =>
    block.type === 'tool_use' ? { name: block.name, input: toJson(block.input) } : undefined,
  isReasoning: ({ type }) => type === 'thinking' || type === 'redacted_thinking',
};

const toolUse = (call: ToolCall, { names, inputs }: Wire): ToolUseBlockParam => ({
  type: 'tool_use',
  id: call.id,
  name: names.legal(call.name),
  input: inputs.echo(call),
});

/** The API emits blocks that it does not accept back: blank text, and thinking without a signature. */
const isWelcome = (block: JsonObject): block is JsonObject & ContentBlockParam => {
  if (!isBlockParam(block)) return false;
  if (block.type === 'text') return block.text.trim() !== '';
  return block.type !== 'thinking' || block.signature !== '';
};

type ToolFields = Pick<MessageCreateParamsStreaming, 'tools' | 'tool_choice'>;

const toolFields = (
  request: ModelRequest,
  messages: readonly Message[],
  { names, inputs }: Wire,
  cache: CacheMark,
  isParallel: boolean | undefined,
): ToolFields => {
  const { toolChoice } = request;
  const theirs = toolsRunBy('anthropic', request);
  const tools = toolsDefinedHere(request, theirs);
  if (tools.length === 0) return theirs.length > 0 ? { ...allTools(theirs) } : formerTools(messages, names);
  const list = tools.map((tool): Tool => ({
    name: names.legal(tool.name),
    description: tool.description,
    input_schema: { ...inputs.schema(tool), type: 'object' },
  }));
  const last = list.pop();
  const ours = last === undefined ? list : [...list, { ...last, ...cache }];
  return {
    tools: ours,
    ...allTools(theirs, ours),
    ...toolChoiceField(isParallel === undefined ? toolChoice : (toolChoice ?? 'auto'), names, isParallel),
  };
};

const toolChoiceField = (
  choice: ModelRequest['toolChoice'],
  names: ToolNames,
  isParallel: boolean | undefined,
): ToolFields => {
  if (choice === undefined) return {};
  if (choice === 'none') return { tool_choice: { type: 'none' } };
  const alone = isParallel === undefined ? {} : { disable_parallel_tool_use: !isParallel };
  if (typeof choice === 'object')
    return { tool_choice: { type: 'tool', name: names.legal(choice.name), ...alone } };
  return { tool_choice: { type: choice === 'required' ? 'any' : 'auto', ...alone } };
};

/** A conversation that shows calls is refused without tools: those of the past are named, and not to be used. */
const formerTools = (messages: readonly Message[], names: ToolNames): ToolFields => {
  const used = messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.turns.flatMap(({ calls }) => (calls ?? []).map(({ name }) => name))
      : [],
  );
  const tools = [...new Set(used)].map((name): Tool => ({
    name: names.legal(name),
    description: 'No longer available.',
    input_schema: { type: 'object' },
  }));
  return tools.length === 0 ? {} : { tools, tool_choice: { type: 'none' } };
};
