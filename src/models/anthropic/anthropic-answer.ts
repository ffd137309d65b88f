import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { TroupeError } from '../../contracts/errors/error.ts';
import { isJsonObject, type Json, toJson } from '../../base/json/json.ts';
import type { FinishReason, ModelAnswer } from '../../contracts/models/model.ts';
import type { ProviderCall } from '../../contracts/models/provider-call.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { type AnthropicBlock, anthropicBlocks } from './anthropic-blocks.ts';
import { callArguments, parsedArguments } from '../calls/call-arguments.ts';
import { wireOutput } from '../schemas/output-schema.ts';
import { cutOffError, malformedError, type StreamReader } from '../wire/provider-stream.ts';
import { providerCall, providerCalls } from '../wire/provider-tools.ts';
import type { ReaderContext } from '../wire/reader-context.ts';
import { usageOf } from '../wire/usage.ts';

/** The state of a streamed message beside its blocks. */
interface MessageState {
  id?: string | undefined;
  model?: string | undefined;
  stopReason?: string | undefined;
  explanation?: string | undefined;
  /** Later counts replace earlier ones: they are cumulative. */
  usage: Record<string, unknown>;
}

/** Assembles a stream of the Messages API; it is complete with `message_stop`. */
export const anthropicReader = (context: ReaderContext): StreamReader<RawMessageStreamEvent> => {
  const { who, call } = context;
  const blocks = anthropicBlocks(context);
  const state: MessageState = { usage: {} };
  let isStarted = false;
  let isStopped = false;
  let last = 'no event';

  const start = (message: object): void => {
    const id = textOf(message, 'id');
    // One known relay sends the start twice; harmless as long as nothing came between.
    if (isStarted && (id !== state.id || blocks.list().length > 0)) {
      throw malformedError(who, 'a second message began within one stream');
    }
    if (isStarted) return;
    isStarted = true;
    state.id = id;
    state.model = textOf(message, 'model');
    note(state, message, Reflect.get(message, 'usage'));
    blocks.adopt(Reflect.get(message, 'content'));
  };

  return {
    take: (event) => {
      last = event.type;
      if (last === 'ping') return;
      if (event.type !== 'message_start' && !isStarted)
        throw malformedError(who, `${last} came before message_start`);
      if (isStopped) throw malformedError(who, `${last} came after message_stop`);
      switch (event.type) {
        case 'message_start':
          start(event.message);
          call.delta({ type: 'progress' });
          return;
        case 'content_block_start':
          blocks.start(event.index, event.content_block);
          return;
        case 'content_block_delta':
          blocks.add(event.index, event.delta);
          return;
        case 'content_block_stop':
          blocks.stop(event.index);
          return;
        case 'message_delta':
          note(state, event.delta, event.usage);
          call.delta({ type: 'progress' });
          return;
        case 'message_stop':
          isStopped = true;
          return;
        default:
          call.delta({ type: 'progress' });
          return;
      }
    },
    isComplete: () => isStopped,
    takeWhole: (body) => {
      if (!isJsonObject(body) || body['type'] !== 'message') return false;
      start(body);
      isStopped = true;
      return true;
    },
    finish: () => {
      if (!isStopped) throw cutOffError(who, `after ${last}`);
      if (state.stopReason === undefined)
        throw malformedError(who, 'it ended without a stop_reason, so it may be incomplete');
      return answerOf(state, blocks.list(), context);
    },
  };
};

/** Records a stop reason and token counts; null means not known yet. */
const note = (state: MessageState, source: object, usage: unknown): void => {
  state.stopReason = textOf(source, 'stop_reason') ?? state.stopReason;
  state.explanation = textOf(Reflect.get(source, 'stop_details'), 'explanation') ?? state.explanation;
  if (typeof usage !== 'object' || usage === null) return;
  for (const [key, value] of Object.entries(usage)) if (value != null) state.usage[key] = value;
};

const textOf = (source: unknown, name: string): string | undefined => {
  const found: unknown =
    typeof source === 'object' && source !== null ? Reflect.get(source, name) : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
};

const answerOf = (
  state: MessageState,
  blocks: readonly AnthropicBlock[],
  context: ReaderContext,
): ModelAnswer => {
  const { request, who } = context;
  if (state.stopReason === 'model_context_window_exceeded') {
    throw new TroupeError(
      'model.context-overflow',
      `Cannot get a complete answer from ${who.provider}:${who.model} as the conversation is too long for it`,
      { retryable: 'maybe' },
    );
  }
  const isRefused = state.stopReason === 'refusal';
  const text = joinBlocks(blocks, 'text', 'text');
  const reasoning = joinBlocks(blocks, 'thinking', 'thinking');
  const calls = isRefused ? [] : callsIn(blocks, state.stopReason, context);
  return {
    text: request.output === undefined ? text : wireOutput(request.output).unwrap(text),
    calls,
    ...providerCalls(callsOfProvider(blocks)),
    finish: finishOf(state.stopReason, calls.length > 0, text),
    usage: usageOf(reportedUsage(state.usage), request, `${text}${reasoning}${JSON.stringify(calls)}`),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(isRefused ? { refusal: state.explanation ?? (text || 'The model refused to answer.') } : {}),
    ...(state.model === undefined ? {} : { model: state.model }),
    ...replayOf(state, blocks, context),
    ...(state.id === undefined ? {} : { metadata: { responseId: state.id } }),
  };
};

const joinBlocks = (blocks: readonly AnthropicBlock[], type: string, field: string): string =>
  blocks
    .filter((block) => block.type === type)
    .map((block) => textOf(block.content, field) ?? '')
    .join('');

const callsIn = (
  blocks: readonly AnthropicBlock[],
  stopReason: string | undefined,
  { names, inputs }: ReaderContext,
): ToolCall[] =>
  blocks
    .filter(({ type }) => type === 'tool_use')
    .map((block, index) => {
      const isCut = !block.isClosed || (!WHOLE.has(stopReason ?? '') && block === blocks.at(-1));
      const isGiven =
        block.isClosed && block.json === '' && Object.keys(Object(block.content['input'])).length > 0;
      const name = names.original(textOf(block.content, 'name') ?? '');
      const { input, problem } = isGiven
        ? parsedArguments(block.content['input'])
        : callArguments(block.json, isCut);
      return {
        id: textOf(block.content, 'id') ?? `call_${index}`,
        name,
        input: problem === undefined ? inputs.read(name, input) : input,
        ...(problem === undefined ? {} : { problem }),
      };
    });

/** The calls that the provider ran, each with what its result says of a failure. */
const callsOfProvider = (blocks: readonly AnthropicBlock[]): readonly ProviderCall[] =>
  blocks
    .filter(({ type }) => type === 'server_tool_use' || type === 'mcp_tool_use')
    .map(({ content }) => {
      const result = blocks.find((block) => block.content['tool_use_id'] === content['id'])?.content;
      const found = result?.['content'];
      const isFailed = result?.['is_error'] === true || (isJsonObject(found) && 'error_code' in found);
      return providerCall(content['name'], content['input'], isFailed ? found : undefined);
    });

/** Stop reasons of finished answers; after any other, the last call may be incomplete. */
const WHOLE: ReadonlySet<string> = new Set(['tool_use', 'end_turn', 'stop_sequence']);

const finishOf = (reason: string | undefined, hasCalls: boolean, text: string): FinishReason => {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return hasCalls ? 'tool-calls' : 'stop';
    case 'tool_use':
      // An end that announces calls without any is a plain end, if there is text.
      return hasCalls ? 'tool-calls' : text.trim() === '' ? 'other' : 'stop';
    case 'max_tokens':
      return 'length';
    case 'pause_turn':
      return 'pause';
    case 'refusal':
      return 'refusal';
    default:
      return 'other';
  }
};

/** The API counts tokens read from or written to the cache separately from the rest of the input. */
const reportedUsage = (usage: Readonly<Record<string, unknown>>): Parameters<typeof usageOf>[0] => {
  const number = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);
  const read = usage['cache_read_input_tokens'];
  const input = usage['input_tokens'];
  const details: unknown = usage['output_tokens_details'];
  const run: unknown = usage['server_tool_use'];
  return {
    input:
      typeof input === 'number' && input >= 0
        ? input + number(read) + number(usage['cache_creation_input_tokens'])
        : undefined,
    output: usage['output_tokens'],
    cached: read,
    stored: usage['cache_creation_input_tokens'],
    reasoning: isJsonObject(details) ? details['thinking_tokens'] : undefined,
    webSearches: isJsonObject(run) ? run['web_search_requests'] : undefined,
  };
};

/** Blocks other than text and calls must be sent back unchanged, and so must a paused turn. */
const replayOf = (
  { stopReason }: MessageState,
  blocks: readonly AnthropicBlock[],
  { who }: ReaderContext,
): Pick<ModelAnswer, 'replay'> => {
  const isPaused = stopReason === 'pause_turn';
  const isPlain = blocks.every(({ type, content }) => PLAIN.has(type) && content['caller'] === undefined);
  if (stopReason === 'refusal' || (isPlain && !isPaused)) return {};
  const content: Json = {
    model: who.model,
    blocks: toJson(blocks.map((block) => block.content)),
    ...(isPaused ? { paused: true } : {}),
  };
  return { replay: { provider: who.provider, content } };
};

const PLAIN: ReadonlySet<string> = new Set(['text', 'tool_use']);
