import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { isLink } from '../../contracts/content/part.ts';
import type { AssistantTurn, ToolTurn } from '../../contracts/conversations/transcript.ts';
import { APPROVE_PROVIDER_CALL, requestIn } from '../../contracts/tools/provider-approval.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { withCallIds } from '../calls/call-ids.ts';
import { refusalReason } from '../wire/provider-tools.ts';
import {
  type AssistantMessage,
  conversation,
  mediaOfResult,
  resultText,
  type SentPart,
  type UserMessage,
} from '../wire/conversation.ts';
import { isWorthKeeping } from '../wire/kept-prefix.ts';
import { nameFor } from '../wire/media-bytes.ts';
import { replayDataFor } from '../wire/provider-options.ts';
import { remainingItems, type ReplayTerms } from '../wire/remaining-items.ts';
import type { ReaderContext } from '../wire/reader-context.ts';
import { anything, hasShape, object, text } from '../wire/replay-shape.ts';
import type {
  ApprovalResponsePart,
  FilePart,
  PromptMessage,
  ReplayedPart,
  TextPart,
  ToolCallPart,
  VendorOptions,
} from './language-model.ts';
import type { Vendor } from './vendors.ts';

/** The conversation as messages of the AI SDK; the last of them may be marked for the provider's cache. */
export const promptOf = (
  { request, who, names, inputs, media }: ReaderContext,
  vendor: Vendor,
  version: string,
): PromptMessage[] => {
  const { instructions } = request;
  const cache = cacheMark(vendor, request.settings?.cache ?? true);
  const wire: Wire = {
    provider: who.provider,
    model: who.model,
    version,
    names,
    inputs,
    media,
    vendor,
  };
  const messages = withCallIds(conversation(request.messages), {
    provider: who.provider,
    length: vendor.callIdLength,
  });
  const prompt: PromptMessage[] =
    instructions === '' ? [] : [{ role: 'system', content: instructions, ...cache }];
  const called = new Map<string, ToolCall>();
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const { calls = [] } of message.turns) for (const call of calls) called.set(call.id, call);
    prompt.push(...(message.role === 'assistant' ? [assistant(message, wire)] : user(message, wire, called)));
  }
  if (!isWorthKeeping(request, messages)) return prompt;
  const last = prompt.pop();
  return last === undefined ? prompt : [...prompt, { ...last, ...cache }];
};

/** The mark of a prefix that is worth keeping; nothing for a vendor without marks. */
export const cacheMark = ({ name, cache }: Vendor, isWanted: boolean): { providerOptions?: VendorOptions } =>
  cache === undefined || !isWanted ? {} : { providerOptions: { [name]: cache } };

interface Wire extends Pick<ReaderContext, 'names' | 'inputs' | 'media'> {
  readonly provider: string;
  readonly model: string;
  readonly version: string;
  readonly vendor: Vendor;
}

/** The media of results follow in a message of the user, as not all vendors take them in results. */
const user = (
  { results, text: said, parts: given }: UserMessage,
  wire: Wire,
  called: ReadonlyMap<string, ToolCall>,
): PromptMessage[] => {
  const plain: readonly SentPart[] = said === '' ? [] : [{ type: 'text', text: said }];
  const content = [...results.flatMap(mediaOfResult), ...(given ?? plain)].map((part) =>
    userPart(part, wire),
  );
  return [
    ...(results.length === 0 ? [] : [toolMessage(results, wire, called)]),
    ...(content.length === 0 ? [] : [{ role: 'user' as const, content }]),
  ];
};

const toolMessage = (
  results: UserMessage['results'],
  wire: Wire,
  called: ReadonlyMap<string, ToolCall>,
): PromptMessage => ({
  role: 'tool',
  content: results.map((result) => {
    const call = called.get(result.callId);
    const approvalId = call === undefined ? undefined : approvalIdOf(call, wire);
    if (approvalId !== undefined) return approvalResponse(approvalId, result);
    return {
      type: 'tool-result',
      toolCallId: result.callId,
      toolName: wire.names.legal(call?.name ?? result.tool),
      output: { type: result.failed === true ? 'error-text' : 'text', value: resultText(result) },
    };
  }),
});

/** The request for approval that a call stands for, if the same model made it. */
const approvalIdOf = (call: ToolCall, { provider, model }: Wire): string | undefined => {
  const request = requestIn(call);
  const isOwn = call.origin?.provider === provider && call.origin.model === model;
  return isOwn && isJsonObject(request) && typeof request['approvalId'] === 'string'
    ? request['approvalId']
    : undefined;
};

const approvalResponse = (approvalId: string, { failed, text }: ToolTurn): ApprovalResponsePart => ({
  type: 'tool-approval-response',
  approvalId,
  approved: failed !== true,
  ...(failed === true ? { reason: refusalReason(text) } : {}),
});

const userPart = (part: SentPart, { media, version }: Wire): TextPart | FilePart => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const isTagged = version === 'v4';
  if (isLink(part)) {
    const url = new URL(part.url);
    const data = isTagged ? { type: 'url' as const, url } : url;
    return { type: 'file', mediaType: part.mediaType ?? LINKED[part.type], data };
  }
  const base64 = media.base64Of(part);
  return {
    type: 'file',
    mediaType: part.mediaType,
    ...(part.mediaType.startsWith('image/') ? {} : { filename: part.name ?? nameFor(part) }),
    data: isTagged ? { type: 'data', data: base64 } : base64,
  };
};

/** Media type of a link that states none. */
const LINKED = { image: 'image/*', audio: 'audio/mpeg', file: 'application/pdf' } as const;

const assistant = ({ turns }: AssistantMessage, wire: Wire): PromptMessage => ({
  role: 'assistant',
  content: turns.flatMap((turn) => turnParts(turn, wire)),
});

const turnParts = (turn: AssistantTurn, wire: Wire): (TextPart | ToolCallPart | ReplayedPart)[] => {
  const calls = turn.calls ?? [];
  const parts = (replayDataFor(turn.replay, wire.provider, wire.model, 'parts') ?? [])
    .filter(isPart)
    .filter((part) => !wire.vendor.losesOwnCalls || !isVendors(part) || part.providerOptions !== undefined);
  const remaining = remainingItems(parts, calls, wire, termsOf(wire));
  if (remaining !== undefined)
    return remaining.flatMap(({ item, call, isBereft }) => {
      const { approvalId, ...whole } = item;
      const { providerOptions: _, ...bare } = whole;
      const part = isBereft ? bare : whole;
      if (approvalId !== undefined) return [part];
      if (call !== undefined) return [{ ...part, ...toolCall(call, wire) }];
      // What the provider made itself it refuses without the reasoning before it.
      return isBereft && part.type !== 'text' ? [] : [part];
    });
  return [
    ...(turn.text.trim() === '' ? [] : [{ type: 'text' as const, text: turn.text }]),
    ...calls.map((call) => toolCall(call, wire)),
  ];
};

const termsOf = ({ vendor }: Wire): ReplayTerms<JsonObject & ReplayedPart> => ({
  callIn: (part) => {
    const { toolName: name, toolCallId: id, input = null, approvalId } = part;
    if (approvalId !== undefined && typeof id === 'string') return { name: APPROVE_PROVIDER_CALL, input, id };
    return isOwnCall(part) && typeof name === 'string' && typeof id === 'string'
      ? { name, input, id }
      : undefined;
  },
  isReasoning: ({ type }) => type.startsWith('reasoning'),
  isBound: vendor.bindsReasoning,
});

const toolCall = (call: ToolCall, { names, inputs }: Wire): ToolCallPart => ({
  type: 'tool-call',
  toolCallId: call.id,
  toolName: names.legal(call.name),
  input: inputs.echo(call),
});

/** A call for us; one that the provider ran itself is only sent back. */
const isOwnCall = (part: JsonObject): boolean =>
  part['type'] === 'tool-call' && part['providerExecuted'] !== true;

/** A call that the vendor ran itself, or its result. */
const isVendors = ({ type, providerExecuted }: JsonObject): boolean =>
  type === 'tool-result' || (type === 'tool-call' && providerExecuted === true);

const SHAPES = {
  text: { text },
  reasoning: { text },
  'tool-call': { toolCallId: text, toolName: text, input: anything },
  'tool-result': { toolCallId: text, toolName: text, output: object },
  file: { data: anything, mediaType: text },
  'reasoning-file': { data: anything, mediaType: text },
  custom: { kind: text },
};

/** Checks whether a part can be sent back: it may come from a stored history. */
const isPart = (part: JsonObject): part is JsonObject & ReplayedPart =>
  hasShape(part, SHAPES) && (part['providerOptions'] === undefined || isJsonObject(part['providerOptions']));
