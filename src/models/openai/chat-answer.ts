import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { TroupeError } from '../../contracts/errors/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { FinishReason, ModelAnswer } from '../../contracts/models/model.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { callArguments } from '../calls/call-arguments.ts';
import { errorInBody } from '../retry/error-body.ts';
import { wireOutput } from '../schemas/output-schema.ts';
import { cutOffError, malformedError, providerError, type StreamReader } from '../wire/provider-stream.ts';
import type { ReaderContext } from '../wire/reader-context.ts';
import { providerCalls } from '../wire/provider-tools.ts';
import { thinkingParser } from '../thinking/thinking.ts';
import { type ReportedUsage, usageOf } from '../wire/usage.ts';
import { readBill } from './chat-bills.ts';
import { chatCalls, type CallDraft } from './chat-calls.ts';
import { wholeChunk } from './chat-completion.ts';
import { chatContent } from './chat-content.ts';
import { chatFields } from './chat-fields.ts';
import { chatFinish } from './chat-finish.ts';
import { chatSearches } from './chat-searches.ts';
import type { ChatFinish, ChatProfile } from './chat-profile.ts';
import { DETAILS, echoedFields, optionalIn, REASONING_FIELDS } from './chat-request.ts';

/**
 * Assembles a stream of Chat Completions. It is complete with the `finish_reason` of its first choice; usage comes
 * after that or with it, or never. If a server sends no reason at all, `[DONE]` after an answer and its usage is the
 * end.
 */
export const chatReader = (
  context: ReaderContext,
  profile: ChatProfile,
): StreamReader<ChatCompletionChunk> => {
  const { who, call, names, request } = context;
  const parser = thinkingParser({ isLeadingOnly: true });
  const drafts = chatCalls();
  const content = chatContent();
  const fields = chatFields(KNOWN_FIELDS);
  const searches = chatSearches();
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

  /** Detects two answers spliced together by a relay. Servers that make up an id for each chunk are exempt. */
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

  const takeContent = (given: unknown): void => {
    if (given == null || given === '') return;
    if (typeof given !== 'string' && !Array.isArray(given))
      throw malformedError(
        who,
        `its content is neither text nor parts (${JSON.stringify(given).slice(0, 200)})`,
      );
    const found = typeof given === 'string' ? undefined : content.take(given);
    const words = found === undefined ? String(given) : found.text;
    think(found?.thinking ?? '');
    raw += words;
    const piece = parser.push(words);
    think(piece.thinking);
    say(piece.text);
    if (piece.text === '' && piece.thinking === '' && !found?.thinking) call.delta({ type: 'progress' });
  };

  const takeDelta = (delta: ChatCompletionChunk.Choice.Delta): void => {
    if (delta.role !== undefined) call.delta({ type: 'progress' });
    for (const field of REASONING_FIELDS) {
      const piece: unknown = Reflect.get(delta, field);
      if (typeof piece !== 'string' || piece === '' || (reasoningField ?? field) !== field) continue;
      reasoningField = field;
      think(piece);
    }
    takeContent(delta.content);
    if (delta.refusal) {
      refusal += delta.refusal;
      call.delta({ type: 'progress' });
    }
    for (const piece of delta.tool_calls ?? []) {
      const { index, name, text: argument } = drafts.take(piece);
      call.delta({
        type: 'tool-call',
        index,
        ...(name === undefined ? {} : { name: names.original(name) }),
        text: argument,
      });
    }
    searches.take(delta);
    fields.take(isThought(delta) ? { ...delta, extra_content: undefined } : delta);
  };

  const take = (chunk: ChatCompletionChunk): void => {
    const failed = errorIn(chunk);
    if (failed !== undefined) throw providerError(failed);
    const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0);
    model ??= chunk.model || undefined;
    searches.take(chunk);
    if (chunk.id) identify(chunk.id, choice?.delta?.role !== undefined);
    if (choice?.delta != null) takeDelta(choice.delta);
    const counted = usageIn(chunk, choice);
    if (counted !== undefined) usage = counted;
    const reason: string | null | undefined = choice?.finish_reason;
    // Some relays write out null in every chunk.
    if (reason && reason !== 'null') {
      finish = reason;
      call.delta({ type: 'progress' });
    }
    isComplete ||= finish !== undefined && counted !== undefined;
  };

  return {
    take,
    isComplete: () => isComplete,
    hasEnded: () => finish !== undefined,
    takeWhole: (body) => {
      const chunk = wholeChunk(body);
      if (chunk === undefined) return false;
      take(chunk);
      return true;
    },
    recover: (thrown) => unusable(thrown, context),
    finish: ({ isDone }) => {
      const hasAnswer = raw !== '' || drafts.list().length > 0;
      if (finish === undefined && isDone && hasAnswer && usage !== undefined)
        finish = drafts.list().length > 0 ? 'tool_calls' : 'stop';
      if (finish === undefined) throw cutOffError(who, 'there was no finish_reason');
      const rest = parser.end();
      think(rest.thinking);
      say(rest.text);
      const end = chatFinish(finish, profile);
      if (isErrorCode(end)) throw endError(end, finish, context);
      const calls =
        refusal === '' && end !== 'content-filter' && end !== 'bad-call'
          ? callsOf(drafts.list(), end, context)
          : [];
      const written = `${raw}${thinking}${JSON.stringify(calls)}`;
      // What was thought within the text, as Qwen and R1 write it, goes back within it.
      const said = content.parts() ?? (thinking === '' || reasoningField !== undefined ? undefined : raw);
      const kept = echoedFields(
        {
          ...fields.all(),
          // Between its calls and their results, a thinking model needs its thoughts back; later they are useless.
          ...(calls.length === 0 || reasoningField === undefined ? {} : { [reasoningField]: thinking }),
          ...(calls.length === 0 || said === undefined ? {} : { content: said }),
        },
        profile,
      );
      return {
        text:
          request.output === undefined
            ? text
            : wireOutput(request.output, optionalIn(profile)).unwrap(text.trim()),
        calls,
        ...providerCalls(searches.calls(usage)),
        finish: refusal === '' ? finishOf(end, calls.length > 0, text) : 'refusal',
        usage: usageOf(reportedUsage(usage, profile), request, written),
        ...(thinking === '' ? {} : { reasoning: thinking.trim() }),
        ...(refusal === '' ? {} : { refusal }),
        ...(end === 'bad-call' ? { problem: `The call that you made could not be read (${finish}).` } : {}),
        ...(model === undefined ? {} : { model }),
        ...(Object.keys(kept).length === 0
          ? {}
          : {
              replay: {
                provider: who.provider,
                content: { model: who.model, fields: [kept], ...(DETAILS in kept ? idsOf(calls) : {}) },
              },
            }),
        ...metadataOf(responseId, searches.citations()),
      };
    },
  };
};

/** The ids of calls, by which their reasoning is known should they be removed. */
const idsOf = (calls: readonly ToolCall[]): JsonObject => {
  const ids = calls.flatMap(({ origin }) => (origin?.id === undefined ? [] : [origin.id]));
  return ids.length === 0 ? {} : { calls: ids };
};

/** Facts for programs, which no model needs. */
const metadataOf = (responseId: string | undefined, citations: JsonObject): Pick<ModelAnswer, 'metadata'> =>
  responseId === undefined && Object.keys(citations).length === 0
    ? {}
    : { metadata: { ...(responseId === undefined ? {} : { responseId }), ...citations } };

/** Fields of a message that are read, or are only informative; all others are sent back unchanged. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  [...REASONING_FIELDS, 'role', 'content', 'refusal', 'tool_calls', 'function_call', 'name', 'audio'].concat(
    ['images', 'annotations', 'citations', 'search_results', 'executed_tools', 'logprobs'],
    ['token_id', 'token_ids', 'matched_stop', 'hidden_states'],
  ),
);

/** Google marks thinking text with a field; it is not part of the message, and must not be sent back. */
const isThought = (delta: object): boolean => {
  const extra: unknown = Reflect.get(delta, 'extra_content');
  const google = isJsonObject(extra) ? extra['google'] : undefined;
  return isJsonObject(google) && google['thought'] === true && google['thought_signature'] === undefined;
};

/** Returns the error in a chunk that the SDK takes for a part of an answer. */
const errorIn = (chunk: ChatCompletionChunk): JsonObject | undefined => {
  const choices: unknown = Reflect.get(chunk, 'choices');
  if (!Array.isArray(choices)) return errorInBody(chunk);
  const [first]: readonly unknown[] = choices;
  const own = isJsonObject(first) ? first['error'] : undefined;
  const groq: unknown = Reflect.get(chunk, 'x_groq');
  const found = isJsonObject(own) ? own : isJsonObject(groq) ? groq['error'] : undefined;
  return found == null ? undefined : errorInBody({ error: found });
};

/** Usage is beside the choices, within the first one (Moonshot), or within Groq's own field. */
const usageIn = (chunk: ChatCompletionChunk, choice: object | undefined): unknown => {
  const groq: unknown = Reflect.get(chunk, 'x_groq');
  for (const holder of [chunk, groq, choice]) {
    const found: unknown = isHolder(holder) ? Reflect.get(holder, 'usage') : undefined;
    if (isJsonObject(found)) return found;
  }
  return undefined;
};

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Groq refuses a malformed call with an error that contains the model's output. */
const unusable = (thrown: unknown, { request }: ReaderContext): ModelAnswer | undefined => {
  const error: unknown = isHolder(thrown) ? Reflect.get(thrown, 'error') : undefined;
  const written: unknown = isHolder(error) ? Reflect.get(error, 'failed_generation') : undefined;
  if (!isHolder(error) || typeof written !== 'string') return undefined;
  const said: unknown = Reflect.get(error, 'message');
  return {
    text: written,
    calls: [],
    finish: 'other',
    problem: typeof said === 'string' && said !== '' ? said : 'The call could not be read.',
    usage: usageOf({}, request, written),
  };
};

const callsOf = (
  drafts: readonly CallDraft[],
  end: ChatFinish,
  { who, names, inputs }: ReaderContext,
): ToolCall[] =>
  drafts.map((draft, index) => {
    const name = names.original(draft.name);
    const { input, problem } = callArguments(draft.arguments, !WHOLE.has(end) && index === drafts.length - 1);
    const { fields } = draft;
    return {
      id: draft.id || `call_${index}`,
      name,
      input: problem === undefined ? inputs.read(name, input) : input,
      ...(problem === undefined ? {} : { problem }),
      ...(draft.id === '' && fields === undefined
        ? {}
        : {
            origin: {
              provider: who.provider,
              ...(draft.id === '' ? {} : { id: draft.id }),
              ...(fields === undefined ? {} : { model: who.model, fields }),
            },
          }),
    };
  });

/** Finish reasons of complete answers; after any other, the last call may be incomplete. */
const WHOLE: ReadonlySet<ChatFinish> = new Set<ChatFinish>(['tool-calls', 'stop']);

const finishOf = (end: FinishReason | 'bad-call', hasCalls: boolean, text: string): FinishReason => {
  switch (end) {
    case 'stop':
      return hasCalls ? 'tool-calls' : 'stop';
    case 'tool-calls':
      // An end that announces calls without any is a plain end, if there is text.
      return hasCalls ? 'tool-calls' : text.trim() === '' ? 'other' : 'stop';
    case 'bad-call':
      return 'other';
    default:
      return end;
  }
};

const isErrorCode = (end: ChatFinish): end is Exclude<ChatFinish, FinishReason | 'bad-call'> =>
  end.startsWith('model.');

const endError = (
  code: Exclude<ChatFinish, FinishReason | 'bad-call'>,
  word: string,
  { who }: ReaderContext,
): TroupeError =>
  new TroupeError(
    code,
    `Cannot use the answer of ${who.provider}:${who.model} as it may be incomplete: it finished with '${word.slice(0, 100)}'`,
    { retryable: code === 'model.unavailable' ? 'yes' : 'maybe' },
  );

/**
 * Completions and the thoughts among them. xAI and Google count thoughts beside the completion, all others within it: beside it, they
 * are what the total has more, of which Google says nothing else.
 */
const outputIn = (usage: unknown): Pick<ReportedUsage, 'output' | 'reasoning'> => {
  const output = fieldOf(usage, 'completion_tokens');
  const thoughts = fieldOf(fieldOf(usage, 'completion_tokens_details'), 'reasoning_tokens');
  const [prompt, total] = [fieldOf(usage, 'prompt_tokens'), fieldOf(usage, 'total_tokens')];
  if (typeof output !== 'number' || typeof prompt !== 'number' || typeof total !== 'number')
    return { output, reasoning: thoughts };
  const beside = total - prompt - output;
  return beside > 0 && (thoughts ?? beside) === beside
    ? { output: output + beside, reasoning: beside }
    : { output, reasoning: thoughts };
};

const fieldOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);

const reportedUsage = (usage: unknown, profile: ChatProfile): ReportedUsage => {
  const prompt = fieldOf(usage, 'prompt_tokens_details');
  return {
    input: fieldOf(usage, 'prompt_tokens'),
    ...outputIn(usage),
    // Together and Moonshot count what came from the cache beside the prompt's details, DeepSeek by another name as well.
    cached:
      fieldOf(prompt, 'cached_tokens') ??
      fieldOf(usage, 'cached_tokens') ??
      fieldOf(usage, 'prompt_cache_hit_tokens'),
    stored: fieldOf(prompt, 'cache_write_tokens'),
    billed: readBill(usage, profile),
  };
};
