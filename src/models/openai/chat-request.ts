import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { ModelRequest, ToolChoice } from '../../contracts/models/model.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { AssistantTurn } from '../../contracts/conversations/transcript.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import { chatPart } from './chat-parts.ts';
import {
  conversation,
  type Message,
  resultText,
  type SentPart,
  mediaOfResult,
} from '../wire/conversation.ts';
import { outputInstruction, wireOutput } from '../schemas/output-schema.ts';
import { replayDataFor } from '../wire/provider-options.ts';
import {
  NO_FIELD,
  REASONS_INSTEAD,
  type Refusals,
  sentSettings,
  type SentSettings,
} from '../wire/sent-settings.ts';
import { allTools, toolsRunBy } from '../wire/provider-tools.ts';
import type { WireContext } from '../wire/reader-context.ts';
import { inDialect } from '../schemas/schema-dialect.ts';
import { withCallIds } from '../calls/call-ids.ts';
import type { ChatOutputForm, ChatProfile } from './chat-profile.ts';
import { EFFORT_ONLY, isReasoningModel } from './responses-request.ts';

/** The options on which a request depends besides the question. */
export interface ChatRequestOptions {
  readonly profile: ChatProfile;
  readonly isStreamed: boolean;
  readonly extra?: object | undefined;
}

/** A question on its way to a server of Chat Completions. */
export interface ChatQuestion extends WireContext {
  readonly who: ErrorContext;
}

/** Builds the body of a Chat Completions request for the server's profile. Pure. */
export const chatRequest = (
  question: ChatQuestion,
  { profile, isStreamed, extra = {} }: ChatRequestOptions,
): ChatCompletionCreateParamsStreaming => {
  const { who, request } = question;
  const body: ChatCompletionCreateParamsStreaming = {
    model: who.model,
    stream: true,
    ...(isStreamed ? { stream_options: { include_usage: true } } : {}),
    messages: chatMessages(question, profile),
    ...toolFields(question, profile),
    ...outputFields(request, profile),
    ...settingFields(question, profile),
  };
  return {
    ...inProfile(body, profile),
    ...(isStreamed ? {} : NOT_STREAMED),
    ...extra,
    ...request.settings?.providerOptions?.[who.provider],
  };
};

/** Outside the type: the SDK has another method for non-streamed answers. */
const NOT_STREAMED: object = { stream: false };

/** Removes fields that the server refuses and renames others. */
const inProfile = (
  body: ChatCompletionCreateParamsStreaming,
  profile: ChatProfile,
): ChatCompletionCreateParamsStreaming => {
  const { refuses, renames } = profile;
  if (refuses === undefined && renames === undefined) return body;
  const found = { ...body };
  for (const [ours, theirs] of Object.entries(renames ?? {})) {
    const value: unknown = Reflect.get(found, ours);
    if (value === undefined) continue;
    Reflect.deleteProperty(found, ours);
    Reflect.set(found, theirs, value);
  }
  for (const field of refusedFields(profile, body.model)) Reflect.deleteProperty(found, field);
  return found;
};

const chatMessages = (question: ChatQuestion, profile: ChatProfile): ChatCompletionMessageParam[] => {
  const { who, request } = question;
  const found: ChatCompletionMessageParam[] = [];
  const instructions = systemText(request, profile);
  if (instructions !== '') found.push({ role: 'system', content: instructions });
  const ids = { provider: who.provider, length: profile.callIdLength };
  for (const message of withCallIds(conversation(request.messages), ids)) {
    if (message.role === 'assistant') found.push(assistantMessage(question, message.turns, profile));
    else found.push(...userMessages(message, question, profile));
  }
  return found;
};

/** An output that the server cannot enforce is requested in the prompt. */
const systemText = ({ instructions, output, tools }: ModelRequest, profile: ChatProfile): string => {
  const described =
    output === undefined || outputForm(profile, tools.length > 0) === 'json_schema'
      ? ''
      : outputInstruction(wireOutput(output));
  return [instructions, described].filter((each) => each.trim() !== '').join('\n\n');
};

const userMessages = (
  { results, text, parts }: Extract<Message, { role: 'user' }>,
  { media }: ChatQuestion,
  { takesUserAfterTool = true }: ChatProfile,
): ChatCompletionMessageParam[] => {
  const isJoined = !takesUserAfterTool && results.length > 0 && text !== '' && parts === undefined;
  const messages = results.map((result, index): ChatCompletionMessageParam => {
    const isLast = isJoined && index === results.length - 1;
    const content = isLast ? `${resultText(result)}\n\n${text}` : resultText(result);
    return { role: 'tool', tool_call_id: result.callId, content };
  });
  // The results of tools are text here: their media follow as the user's.
  const shown = results.flatMap(mediaOfResult);
  if (shown.length === 0 && parts === undefined)
    return isJoined || text === '' ? messages : [...messages, { role: 'user', content: text }];
  const said: readonly SentPart[] = parts ?? (text === '' || isJoined ? [] : [{ type: 'text', text }]);
  const content = [...shown, ...said].map((part) => chatPart(part, media));
  const between = results.length > 0 && !takesUserAfterTool ? [BETWEEN] : [];
  return [...messages, ...between, { role: 'user', content }];
};

/** Stands between the results of tools and a user's message, where a server refuses one directly after the other. */
const BETWEEN: ChatCompletionMessageParam = { role: 'assistant', content: 'Let me see.' };

const assistantMessage = (
  question: ChatQuestion,
  turns: readonly AssistantTurn[],
  profile: ChatProfile,
): ChatCompletionAssistantMessageParam => {
  const { who } = question;
  const text = turns
    .map((turn) => turn.text)
    .filter((each) => each.trim() !== '')
    .join('\n\n');
  const calls = turns.flatMap((turn) => turn.calls ?? []);
  const fields: JsonObject = Object.assign({}, ...turns.flatMap((turn) => turnFields(turn, who)));
  const content = text === '' && calls.length > 0 ? null : text;
  return {
    role: 'assistant',
    content,
    ...(calls.length === 0 ? {} : { tool_calls: wireCalls(question, calls, profile) }),
    ...(calls.length === 0 ? {} : profile.foreignFields),
    // The provider's own fields (`reasoning_content` …), under their original names.
    ...echoedFields(fields, profile),
    // The content of one turn is not what several said.
    ...(turns.length > 1 ? { content } : {}),
  };
};

/**
 * The provider's own fields of a turn, without those that belong to calls that were removed since: of one without any call left, all that
 * only goes beside calls, and of another one the details of reasoning with the ids of removed calls.
 */
const turnFields = ({ replay, calls = [] }: AssistantTurn, who: ErrorContext): readonly JsonObject[] => {
  const fields = replayDataFor(replay, who.provider, who.model, 'fields') ?? [];
  const made = isJsonObject(replay?.content) ? (replay.content['calls'] ?? []) : [];
  const removed = (Array.isArray(made) ? made : []).filter(
    (id) => !calls.some(({ origin }) => origin?.id === id),
  );
  return fields.map((each) => {
    const { [DETAILS]: details, ...others } = each;
    const kept = !Array.isArray(details)
      ? details
      : details.filter(
          (detail) => !isJsonObject(detail) || detail['id'] === undefined || !removed.includes(detail['id']),
        );
    const isLost = removed.length > 0 && (calls.length === 0 || (Array.isArray(kept) && kept.length === 0));
    const found = isLost || kept === undefined ? others : { ...others, [DETAILS]: kept };
    if (calls.length > 0) return found;
    return Object.fromEntries(Object.entries(found).filter(([field]) => !BESIDE_CALLS.has(field)));
  });
};

/** OpenRouter's reasoning, of which the signed parts of Gemini have the ids of their calls. */
export const DETAILS = 'reasoning_details';

/** Names of the thinking that servers stream beside the text: DeepSeek, Qwen, xAI, vLLM; then OpenRouter, Groq, Ollama. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

/** Between its calls and their results, a thinking model needs its thoughts back; later they are useless. */
const BESIDE_CALLS: ReadonlySet<string> = new Set([...REASONING_FIELDS, 'content']);

/** Returns the fields of a received message that the server needs back. */
export const echoedFields = (fields: JsonObject, { echoes = 'all' }: ChatProfile): JsonObject => {
  if (echoes === 'all') return fields;
  if (echoes === 'none') return {};
  return Object.fromEntries(Object.entries(fields).filter(([field]) => echoes.includes(field)));
};

const wireCalls = (
  { who, names, inputs }: ChatQuestion,
  calls: readonly ToolCall[],
  { foreignCallFields }: ChatProfile,
): ChatCompletionMessageFunctionToolCall[] => {
  const own = calls.map((call) => ownFields(call, who));
  const isForeign = foreignCallFields !== undefined && own.every((fields) => fields === undefined);
  return calls.map((call, index) => ({
    id: call.id,
    type: 'function',
    function: { name: names.legal(call.name), arguments: JSON.stringify(inputs.echo(call)) },
    ...(isForeign && index === 0 ? foreignCallFields : own[index]),
  }));
};

const ownFields = ({ origin }: ToolCall, { provider, model }: ErrorContext): JsonObject | undefined =>
  origin?.provider === provider && origin.model === model && isJsonObject(origin.fields)
    ? origin.fields
    : undefined;

type Fields = Partial<ChatCompletionCreateParamsStreaming>;

const toolFields = ({ request, names, inputs, who }: ChatQuestion, profile: ChatProfile): Fields => {
  const { tools, toolChoice } = request;
  const theirs = toolsRunBy(who.provider, request);
  if (tools.length === 0) return { ...allTools(theirs) };
  const { forcesByName = true } = profile;
  // If no tool can be forced by name, the required one is the only one offered.
  const isOnly = typeof toolChoice === 'object' && !forcesByName;
  const offered = isOnly ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const ours = offered.map((tool): ChatCompletionFunctionTool => ({
    type: 'function',
    function: {
      name: names.legal(tool.name),
      description: tool.description,
      parameters: { ...inputs.schema(tool) },
      ...(inputs.isStrict(tool) ? { strict: true } : {}),
    },
  }));
  return {
    tools: ours,
    ...(isOnly ? {} : allTools(theirs, ours)),
    ...(toolChoice === undefined
      ? {}
      : { tool_choice: wireToolChoice(isOnly ? 'required' : toolChoice, names, profile) }),
  };
};

const wireToolChoice = (
  choice: ToolChoice,
  names: ChatQuestion['names'],
  { requiredWord }: ChatProfile,
): ChatCompletionToolChoiceOption => {
  if (typeof choice === 'object') return { type: 'function', function: { name: names.legal(choice.name) } };
  return choice === 'required' && isToolChoice(requiredWord) ? requiredWord : choice;
};

/** A value of the server's own, unknown to the type. */
const isToolChoice = (word: string | undefined): word is 'required' => word !== undefined;

/** Unions of types, as those of nullable properties are, may be refused by a server that knows no strict mode. */
export const optionalIn = ({ strict }: ChatProfile): 'optional' | 'nullable' =>
  strict === true ? 'nullable' : 'optional';

const outputForm = (
  { output = 'json_schema', outputWithTools = output }: ChatProfile,
  hasTools: boolean,
): ChatOutputForm => (hasTools ? outputWithTools : output);

const outputFields = ({ output, tools }: ModelRequest, profile: ChatProfile): Fields => {
  const form = outputForm(profile, tools.length > 0);
  if (output === undefined || form === 'words') return {};
  if (form === 'json_object') return { response_format: { type: 'json_object' } };
  const { name, schema, isStrict } = wireOutput(output, optionalIn(profile));
  const { refusedKeywords } = profile;
  return {
    response_format: {
      type: 'json_schema',
      json_schema: {
        name,
        schema: { ...(refusedKeywords === undefined ? schema : inDialect(schema, refusedKeywords)) },
        strict: isStrict,
      },
    },
  };
};

/** The fields of settings, by OpenAI's names. */
const FIELDS = {
  maxOutputTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stop: 'stop',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  parallelCalls: 'parallel_tool_calls',
  toolChoice: 'tool_choice',
  'reasoning.effort': 'reasoning_effort',
  serviceTier: 'service_tier',
} as const satisfies Refusals;

/** Settings that OpenAI's reasoning models refuse. */
const DRAWS = ['temperature', 'topP', 'stop', 'presencePenalty', 'frequencyPenalty'] as const;

/** The settings that a model takes by this API, from the server of a profile. */
export const chatSettings = (id: string, { settings }: ModelRequest, profile: ChatProfile): SentSettings => {
  const refused = refusedFields(profile, id);
  const refusals: Record<string, string> = { 'reasoning.budgetTokens': EFFORT_ONLY };
  if (isReasoningModel(id)) for (const name of DRAWS) refusals[name] = REASONS_INSTEAD;
  if (PLAIN_MODEL.test(id)) refusals['reasoning.effort'] = 'it does not reason';
  for (const [name, field] of Object.entries(FIELDS))
    if (refused.includes(field)) refusals[name] = `${profile.name} does not take \`${field}\``;
  if (profile.accepts?.includes('top_k') !== true) refusals['topK'] = NO_FIELD;
  return sentSettings(settings, refusals);
};

/** OpenAI's models without reasoning. */
const PLAIN_MODEL = /^(?:openai\/)?(?:gpt-[34]|chatgpt)/;

const refusedFields = ({ refuses = [] }: ChatProfile, id: string): readonly string[] =>
  typeof refuses === 'function' ? refuses(id) : refuses;

const settingFields = ({ who, request }: ChatQuestion, profile: ChatProfile): Fields => {
  const { sent } = chatSettings(who.model, request, profile);
  const isReasoning = isReasoningModel(who.model);
  const topK: object = withoutUndefined({ top_k: sent.topK });
  return {
    ...withoutUndefined({
      // OpenAI's reasoning models refuse the old name, other servers may not know the new one.
      max_completion_tokens: isReasoning ? sent.maxOutputTokens : undefined,
      max_tokens: isReasoning ? undefined : sent.maxOutputTokens,
      temperature: sent.temperature,
      top_p: sent.topP,
      stop: sent.stop === undefined ? undefined : [...sent.stop],
      seed: sent.seed,
      presence_penalty: sent.presencePenalty,
      frequency_penalty: sent.frequencyPenalty,
      parallel_tool_calls: request.tools.length === 0 ? undefined : sent.parallelCalls,
      reasoning_effort: sent.effort,
      // A word of the provider's own: those of other servers are unknown to the type.
      service_tier: sent.serviceTier as Fields['service_tier'],
    }),
    ...topK,
  };
};
