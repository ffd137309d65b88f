import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { isJsonObject, type JsonObject } from '../../contracts/json.ts';
import type { FinishReason } from '../../contracts/model.ts';
import type { ToolCall } from '../../contracts/tool.ts';
import type { Replay } from '../../contracts/transcript.ts';
import { callArguments } from '../call-arguments.ts';
import type { ReaderContext } from './responses-answer.ts';
import { chatCalls, type CallDraft } from './chat-calls.ts';
import { wireOutput } from '../output-schema.ts';
import { cutOffError, malformedError, type StreamReader } from '../provider-stream.ts';
import { thinkingParser } from '../thinking.ts';
import { usageOf } from '../usage.ts';

/**
 * Puts a stream of Chat Completions together. It is complete with the `finish_reason` of its first choice; the usage
 * comes after that or together with it, or never.
 */
export const chatReader = (context: ReaderContext): StreamReader<ChatCompletionChunk> => {
  const { who, call, names } = context;
  const parser = thinkingParser({ isLeadingOnly: true });
  const drafts = chatCalls();
  let raw = '';
  let text = '';
  let thinking = '';
  let refusal = '';
  let reasoningField: string | undefined;
  let finish: string | undefined;
  let usage: unknown;
  let isComplete = false;
  let model: string | undefined;
  let responseId: string | undefined;
  let isIdStable = false;

  /** A relay may splice two answers together. Some servers make up an id for each chunk: then nobody can tell. */
  const identify = (id: string, isBeginning: boolean): void => {
    if (responseId === undefined) responseId = id;
    else if (id === responseId) isIdStable = true;
    else if (isIdStable && isBeginning) throw malformedError(who, 'a second answer began within one stream');
  };

  const think = (piece: string): void => {
    if (piece === '') return;
    thinking += piece;
    call.delta({ type: 'reasoning', text: piece });
  };
  const say = (piece: string): void => {
    if (piece === '') return;
    text += piece;
    call.delta({ type: 'text', text: piece });
  };

  return {
    take: (chunk) => {
      const { delta, finish_reason: reason } = chunk.choices?.find(({ index }) => (index ?? 0) === 0) ?? {};
      model ??= chunk.model || undefined;
      if (chunk.id) identify(chunk.id, delta?.role !== undefined);
      if (delta?.role !== undefined) call.delta({ type: 'progress' });
      for (const field of REASONING_FIELDS) {
        const piece: unknown = Reflect.get(delta ?? {}, field);
        if (typeof piece !== 'string' || piece === '' || (reasoningField ?? field) !== field) continue;
        reasoningField = field;
        think(piece);
      }
      if (delta?.content) {
        raw += delta.content;
        const piece = parser.push(delta.content);
        think(piece.thinking);
        say(piece.text);
        if (piece.text === '' && piece.thinking === '') call.delta({ type: 'progress' });
      }
      if (delta?.refusal) {
        refusal += delta.refusal;
        call.delta({ type: 'progress' });
      }
      for (const piece of delta?.tool_calls ?? []) {
        const { index, name, text: argument } = drafts.take(piece);
        call.delta({
          type: 'tool-call',
          index,
          ...(name === undefined ? {} : { name: names.original(name) }),
          text: argument,
        });
      }
      if (chunk.usage) usage = chunk.usage;
      if (reason) {
        finish = reason;
        call.delta({ type: 'progress' });
      }
      isComplete ||= finish !== undefined && Boolean(chunk.usage);
    },
    isComplete: () => isComplete,
    finish: () => {
      if (finish === undefined) throw cutOffError(who, 'there was no finish_reason');
      const rest = parser.end();
      think(rest.thinking);
      say(rest.text);
      const { request } = context;
      const calls =
        refusal === '' && finish !== 'content_filter' ? callsOf(drafts.list(), finish, context) : [];
      const written = `${raw}${thinking}${JSON.stringify(calls)}`;
      return {
        text: request.output === undefined ? text : wireOutput(request.output).unwrap(text.trim()),
        calls,
        finish: refusal === '' ? finishOf(finish, calls.length > 0) : 'refusal',
        usage: usageOf(reportedUsage(usage), request, written),
        ...(thinking === '' ? {} : { reasoning: thinking.trim() }),
        ...(refusal === '' ? {} : { refusal }),
        ...(model === undefined ? {} : { model }),
        ...(reasoningField === undefined || calls.length === 0
          ? {}
          : replayOf(context, { [reasoningField]: thinking })),
        ...(responseId === undefined ? {} : { metadata: { responseId } }),
      };
    },
  };
};

/** What servers call the thinking that they stream beside the text: DeepSeek, Qwen, xAI, vLLM; then OpenRouter, Groq, Ollama. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

const callsOf = (drafts: readonly CallDraft[], finish: string, { names }: ReaderContext): ToolCall[] =>
  drafts.map((draft, index) => ({
    id: draft.id || `call_${index}`,
    name: names.original(draft.name),
    ...callArguments(draft.arguments, !WHOLE.has(finish) && index === drafts.length - 1),
  }));

/** Reasons that say that the model had finished; after any other, its last call may lack an end. */
const WHOLE: ReadonlySet<string> = new Set(['tool_calls', 'function_call', 'stop']);

const finishOf = (reason: string, hasCalls: boolean): FinishReason => {
  switch (reason) {
    case 'length':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    case 'stop':
      return hasCalls ? 'tool-calls' : 'stop';
    case 'tool_calls':
    case 'function_call':
      return hasCalls ? 'tool-calls' : 'other';
    default:
      return 'other';
  }
};

const reportedUsage = (usage: unknown): Parameters<typeof usageOf>[0] => {
  const of = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);
  return {
    input: of(usage, 'prompt_tokens'),
    output: of(usage, 'completion_tokens'),
    cached: of(of(usage, 'prompt_tokens_details'), 'cached_tokens') ?? of(usage, 'prompt_cache_hit_tokens'),
    reasoning: of(of(usage, 'completion_tokens_details'), 'reasoning_tokens'),
  };
};

/** Between its calls and their results, a model that thinks wants its thoughts back; after that nobody asks for them. */
const replayOf = ({ who }: ReaderContext, fields: JsonObject): { readonly replay: Replay } => ({
  replay: { provider: who.provider, content: { model: who.model, fields: [fields] } },
});
