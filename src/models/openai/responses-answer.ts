import type { Response, ResponseOutputItem, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { FinishReason, ModelAnswer } from '../../contracts/models/model.ts';
import type { ProviderCall } from '../../contracts/models/provider-call.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { Replay } from '../../contracts/conversations/transcript.ts';
import { APPROVE_PROVIDER_CALL } from '../../contracts/tools/provider-approval.ts';
import { approvalInput } from './responses-approval.ts';
import { computerInput, computerName } from './responses-computer.ts';
import { callArguments } from '../calls/call-arguments.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import { wireOutput } from '../schemas/output-schema.ts';
import { cutOffError, malformedError, providerError, type StreamReader } from '../wire/provider-stream.ts';
import { providerCall, providerCalls } from '../wire/provider-tools.ts';
import type { ReaderContext } from '../wire/reader-context.ts';
import { dollarsOfTicks } from '../wire/ticks.ts';
import { usageOf } from '../wire/usage.ts';

/**
 * Assembles a stream of the Responses API. The last event contains the whole response and is authoritative; earlier
 * events are only reported as deltas.
 */
export const openaiReader = (context: ReaderContext): StreamReader<ResponseStreamEvent> => {
  const { who, call } = context;
  const done = new Map<number, ResponseOutputItem>();
  const calls = new Map<number, number>();
  let isCreated = false;
  let isIncomplete = false;
  let last = 'no event';
  let response: Response | undefined;

  /** The response repeats its status: a failed response within a "completed" event has failed. */
  const endOf = (found: Response): Response => {
    if (found.status === 'failed' || found.error != null) throw providerError(found.error);
    if (found.status !== undefined && !ENDED.has(found.status))
      throw malformedError(who, `it is reported as complete, but its status is '${found.status}'`);
    return found;
  };

  return {
    take: (event) => {
      last = event.type;
      switch (event.type) {
        case 'response.created':
          if (isCreated && response === undefined)
            throw malformedError(who, 'a second response cut off the first');
          // A later response replaces a complete one, as in the vendor's own reader.
          isCreated = true;
          response = undefined;
          done.clear();
          calls.clear();
          call.delta({ type: 'progress' });
          return;
        case 'response.output_text.delta':
          call.delta({ type: 'text', text: event.delta });
          return;
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          call.delta({ type: 'reasoning', text: event.delta });
          return;
        case 'response.output_item.added':
          if (isCall(event.item)) {
            const index = calls.size;
            calls.set(event.output_index, index);
            call.delta({ type: 'tool-call', index, name: nameOf(event.item, context), text: '' });
          } else call.delta({ type: 'progress' });
          return;
        case 'response.function_call_arguments.delta':
          call.delta({ type: 'tool-call', index: calls.get(event.output_index) ?? 0, text: event.delta });
          return;
        case 'response.output_item.done':
          done.set(event.output_index, event.item);
          call.delta({ type: 'progress' });
          return;
        case 'response.completed':
        case 'response.incomplete':
          response = endOf(event.response);
          isIncomplete = last === 'response.incomplete' || response.status === 'incomplete';
          return;
        case 'response.failed':
          throw providerError(event.response.error);
        case 'error':
          throw providerError(event);
        default:
          if (!KEEP_ALIVE.has(last)) call.delta({ type: 'progress' });
          return;
      }
    },
    isComplete: () => response !== undefined,
    takeWhole: (body) => {
      if (!isWholeResponse(body)) return false;
      response = endOf(body);
      isIncomplete = response.status === 'incomplete';
      return true;
    },
    finish: () => {
      if (response === undefined) throw cutOffError(who, `after ${last}`);
      // Some servers leave the output of the last event empty.
      const items = response.output?.length > 0 ? response.output : inOrder(done);
      return answerOf(response, items, isIncomplete, context);
    },
  };
};

/** Only the envelope is checked here: invalid content is found on reading. */
const isWholeResponse = (body: unknown): body is Response =>
  isJsonObject(body) && body['object'] === 'response' && Array.isArray(body['output']);

const ENDED: ReadonlySet<string> = new Set(['completed', 'incomplete']);

/** Sent while idle: no sign of progress. */
const KEEP_ALIVE: ReadonlySet<string> = new Set(['keepalive', 'ping']);

const inOrder = <T>(items: ReadonlyMap<number, T>): T[] =>
  [...items].sort(([left], [right]) => left - right).map(([, item]) => item);

const answerOf = (
  response: Response,
  items: readonly ResponseOutputItem[],
  isIncomplete: boolean,
  context: ReaderContext,
): ModelAnswer => {
  const { who, request } = context;
  const refusal = refusalIn(items);
  const stopped = isIncomplete ? incompleteReason(response, who) : undefined;
  const calls = refusal === undefined ? callsIn(items, stopped, context) : [];
  const text = textIn(items);
  const reasoning = reasoningIn(items);
  const written = `${text}${reasoning}${JSON.stringify(calls)}`;
  const { usage } = response;
  const reported = {
    input: usage?.input_tokens,
    output: usage?.output_tokens,
    cached: usage?.input_tokens_details?.cached_tokens,
    stored: usage?.input_tokens_details?.cache_write_tokens,
    reasoning: usage?.output_tokens_details?.reasoning_tokens,
    webSearches: items.filter(isPaidSearch).length,
    fileSearches: items.filter(({ type }) => type === 'file_search_call').length,
    // Of xAI, which speaks this API, too.
    billed: usage == null ? undefined : dollarsOfTicks(Reflect.get(usage, 'cost_in_usd_ticks')),
  };
  return {
    text: request.output === undefined ? text : wireOutput(request.output, 'nullable').unwrap(text),
    calls,
    ...providerCalls(callsOfProvider(items)),
    finish: finishOf(stopped, refusal, calls),
    usage: usageOf(reported, request, written),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(response.model ? { model: response.model } : {}),
    ...replayOf(who, items),
    ...(response.id ? { metadata: { responseId: response.id } } : {}),
  };
};

/** To open a page, or to look for a text in it, costs nothing beside its tokens (platform.openai.com/docs, "Web search"). */
const isPaidSearch = (item: ResponseOutputItem): boolean =>
  item.type === 'web_search_call' && item.action?.type === 'search';

const incompleteReason = ({ incomplete_details: details }: Response, who: ErrorContext): FinishReason => {
  if (details?.reason === 'content_filter') return 'content-filter';
  if (details?.reason === 'max_output_tokens') return 'length';
  throw malformedError(who, `it is incomplete for no stated reason (${JSON.stringify(details ?? null)})`);
};

const finishOf = (
  stopped: FinishReason | undefined,
  refusal: string | undefined,
  calls: readonly ToolCall[],
): FinishReason => {
  if (refusal !== undefined) return 'refusal';
  return stopped ?? (calls.length > 0 ? 'tool-calls' : 'stop');
};

type CallItem = Extract<
  ResponseOutputItem,
  { type: 'function_call' | 'mcp_approval_request' | 'computer_call' }
>;

/** A call for the agent, one of a computer's, or a request for a person's approval of one that the provider would make. */
const isCall = (item: ResponseOutputItem): item is CallItem =>
  item.type === 'function_call' || item.type === 'mcp_approval_request' || item.type === 'computer_call';

const nameOf = (item: CallItem, { names, request }: ReaderContext): string => {
  if (item.type === 'computer_call') return computerName(request);
  return item.type === 'function_call' ? names.original(item.name) : APPROVE_PROVIDER_CALL;
};

const callsIn = (
  items: readonly ResponseOutputItem[],
  stopped: FinishReason | undefined,
  { who, request, names, inputs }: ReaderContext,
): ToolCall[] => {
  const lastItem = items.at(-1);
  return items.filter(isCall).map((item, index) => {
    if (item.type === 'mcp_approval_request') return approvalCall(item, who);
    const isCut = item.status === 'incomplete' || (stopped !== undefined && item === lastItem);
    if (item.type === 'computer_call') return computerCall(item, computerName(request), isCut, who);
    const name = names.original(item.name);
    const { input, problem } = callArguments(item.arguments, isCut);
    return {
      id: item.call_id || `call_${index}`,
      name,
      input: problem === undefined ? inputs.read(name, input) : input,
      ...(problem === undefined ? {} : { problem }),
      ...(stopped === 'content-filter' ? { problem: 'A content filter stopped the answer.' } : {}),
    };
  });
};

/** A request for approval as a call that waits for a person. */
const approvalCall = (
  item: Extract<CallItem, { type: 'mcp_approval_request' }>,
  { provider, model }: ErrorContext,
): ToolCall => ({
  id: item.id,
  name: APPROVE_PROVIDER_CALL,
  input: approvalInput(item),
  origin: { provider, id: item.id, model, fields: { request: toJson(item) } },
});

/** A request to do something to a computer, as a call of the agent's tool for it. */
const computerCall = (
  item: Extract<CallItem, { type: 'computer_call' }>,
  name: string,
  isCut: boolean,
  { provider, model }: ErrorContext,
): ToolCall => ({
  id: item.call_id,
  name,
  input: computerInput(item),
  origin: { provider, id: item.id, model, fields: { computer: toJson(item) } },
  ...(isCut ? { problem: 'The answer was cut off within this call.' } : {}),
});

/** The calls that the provider ran. */
const callsOfProvider = (items: readonly ResponseOutputItem[]): readonly ProviderCall[] =>
  items.flatMap((item) => {
    const input = inputOf(item);
    if (input === undefined) return [];
    const isFailed = 'status' in item && (item.status === 'failed' || item.status === 'incomplete');
    const error = 'error' in item && item.error != null ? item.error : undefined;
    const tool = 'name' in item ? item.name : item.type.replace(/_call$/, '');
    return [providerCall(tool, input, error ?? (isFailed ? item.status : undefined))];
  });

/** The input of a call that the provider ran: null if it does not report one; undefined for what is not such a call. */
const inputOf = (item: ResponseOutputItem): unknown => {
  switch (item.type) {
    case 'web_search_call':
      // What was found is no part of it.
      return { ...item.action, sources: undefined };
    case 'file_search_call':
      return item.queries;
    case 'code_interpreter_call':
      return item.code;
    case 'image_generation_call':
      return null;
    case 'mcp_call':
      return callArguments(item.arguments).input;
    default:
      return undefined;
  }
};

const textIn = (items: readonly ResponseOutputItem[]): string =>
  items
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('');

const refusalIn = (items: readonly ResponseOutputItem[]): string | undefined =>
  items
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'refusal' ? part.refusal : undefined))
    .find((refusal) => refusal !== undefined);

const reasoningIn = (items: readonly ResponseOutputItem[]): string =>
  items
    .flatMap((item) => (item.type === 'reasoning' ? [...(item.summary ?? []), ...(item.content ?? [])] : []))
    .map(({ text }) => text)
    .join('\n\n');

/** Items other than messages and calls must be sent back unchanged; unencrypted reasoning cannot be. */
const replayOf = (
  { provider, model }: ErrorContext,
  items: readonly ResponseOutputItem[],
): { replay?: Replay } => {
  const kept = items.filter((item) => item.type !== 'reasoning' || item.encrypted_content);
  if (kept.every(({ type }) => type === 'message' || type === 'function_call')) return {};
  // The API emits a `status` of reasoning, but does not accept it.
  const echoed = kept.map((item) => (item.type === 'reasoning' ? { ...item, status: undefined } : item));
  return { replay: { provider, content: { model, items: toJson(echoed) } } };
};
