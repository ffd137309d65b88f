import { isJsonObject, type Json, type JsonObject, toJson } from '../../base/json/json.ts';
import type { MediaSource } from '../../contracts/content/part.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { FinishReason, ModelAnswer, ModelRequest } from '../../contracts/models/model.ts';
import type { ProviderCall } from '../../contracts/models/provider-call.ts';
import { APPROVE_PROVIDER_CALL } from '../../contracts/tools/provider-approval.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { callArguments } from '../calls/call-arguments.ts';
import { wireOutput } from '../schemas/output-schema.ts';
import { providerError } from '../wire/provider-stream.ts';
import { providerCall, providerCalls, toolsRunBy } from '../wire/provider-tools.ts';
import type { ReaderContext } from '../wire/reader-context.ts';
import { omissionName, plainSettings } from '../wire/sent-settings.ts';
import { type ReportedUsage, usageOf } from '../wire/usage.ts';
import { isProviderTool } from './call-options.ts';
import { optionalOf, type Vendor } from './vendors.ts';

/** One part of an answer, as far as it has arrived. */
export interface Piece {
  readonly type: string;
  /** Text, reasoning, or the arguments of a call. */
  text: string;
  metadata?: JsonObject | undefined;
  /** Of a call. */
  readonly id?: string;
  readonly name?: string;
  /** The number of a call of ours among them; absent for one that the provider ran. */
  readonly index?: number;
  readonly isProviders?: true;
  isWhole?: boolean;
  /** The provider's request for approval, without which it does not run the call. */
  approvalId?: string;
  /** Of what is none of these: the part itself. */
  readonly content?: JsonObject;
}

/** Facts about an answer beside its pieces. */
export interface Facts {
  id?: string | undefined;
  model?: string | undefined;
  finish?: string;
  rawFinish?: string | undefined;
  usage?: JsonObject;
  metadata?: JsonObject | undefined;
  readonly warnings: Json[];
  readonly sources: Json[];
}

/** The answer that pieces and facts come to. */
export const answerOf = (
  pieces: readonly Piece[],
  facts: Facts,
  context: ReaderContext,
  vendor: Vendor,
): ModelAnswer => {
  const { request, who } = context;
  const isMisread = MISREAD.has(facts.rawFinish ?? '');
  if (facts.finish === 'error' && !isMisread)
    throw providerError({ message: facts.rawFinish || 'it ended with an error' });
  if (facts.rawFinish === 'model_context_window_exceeded')
    throw new TroupeError(
      'model.context-overflow',
      `Cannot get a complete answer from ${who.provider}:${who.model} as the conversation is too long for it`,
      { retryable: 'maybe' },
    );
  const isRefused = facts.rawFinish === 'refusal';
  const text = textIn(pieces, 'text', '');
  const reasoning = textIn(pieces, 'reasoning', '\n\n');
  const calls = isRefused || isMisread ? [] : callsIn(pieces, facts, context);
  const written = `${text}${reasoning}${JSON.stringify(calls)}`;
  return {
    ...findOmissions(facts, request),
    text: request.output === undefined ? text : wireOutput(request.output, optionalOf(vendor)).unwrap(text),
    calls,
    ...mediaOf(pieces),
    ...providerCalls([...callsOfProvider(pieces), ...(vendor.callsIn?.(facts.metadata ?? {}) ?? [])]),
    finish: finishOf(facts, calls.length > 0, text),
    usage: usageOf(reportedUsage(pieces, facts, vendor), request, written),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(isMisread ? { problem: `The call that you made could not be read (${facts.rawFinish}).` } : {}),
    ...(isRefused ? { refusal: text || 'The model refused to answer.' } : {}),
    ...(facts.model === undefined ? {} : { model: facts.model }),
    ...(isRefused ? {} : replayOf(pieces, facts, context)),
    ...metadataOf(facts),
  };
};

/** Gemini's words for a call that it could not read itself: it is notified, and asked again. */
const MISREAD: ReadonlySet<string> = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL']);

/** The media that the model made, but for those of its thoughts. */
const mediaOf = (pieces: readonly Piece[]): Pick<ModelAnswer, 'media'> => {
  const media = pieces.flatMap(({ type, content = {}, metadata = {} }): MediaSource[] => {
    const { data: given, mediaType } = { ...content, ...bytesOf(content) };
    // Tagged from version 4 on.
    const data = isJsonObject(given) ? given['data'] : given;
    const isThought = Object.values(metadata).some((of) => isJsonObject(of) && of['thought'] === true);
    if (type !== 'file' || isThought || typeof data !== 'string' || typeof mediaType !== 'string') return [];
    const [kind] = mediaType.split('/');
    return [{ type: kind === 'image' || kind === 'audio' ? kind : 'file', mediaType, data }];
  });
  return media.length === 0 ? {} : { media };
};

const textIn = (pieces: readonly Piece[], type: string, between: string): string =>
  pieces
    .filter((piece) => piece.type === type && piece.text !== '' && !isCompaction(piece))
    .map((piece) => piece.text)
    .join(between);

/** A summary of the conversation, which the provider made for itself, comes as text with this mark. */
export const isCompaction = ({ metadata = {} }: Piece): boolean =>
  Object.values(metadata).some((of) => isJsonObject(of) && of['type'] === 'compaction');

const callsIn = (pieces: readonly Piece[], { finish = '' }: Facts, context: ReaderContext): ToolCall[] => {
  const { who, names, inputs } = context;
  return pieces
    .filter((piece) => piece.index !== undefined || piece.approvalId !== undefined)
    .map((piece, index) => {
      if (piece.approvalId !== undefined) return approvalCall(piece, context);
      const isCut = piece.isWhole !== true || (!WHOLE.has(finish) && piece === pieces.at(-1));
      const name = names.original(piece.name ?? '');
      const { input, problem } = callArguments(piece.text, isCut);
      return {
        id: piece.id || `call_${index}`,
        name,
        input: problem === undefined ? inputs.read(name, input) : input,
        ...(problem === undefined ? {} : { problem }),
        ...(finish === 'content-filter' ? { problem: 'A content filter stopped the answer.' } : {}),
        ...(piece.id ? { origin: { provider: who.provider, id: piece.id } } : {}),
      };
    });
};

/** A request for approval as a call that waits for a person. Of the server, their packages keep the name to themselves. */
const approvalCall = ({ id = '', name = '', text, approvalId }: Piece, context: ReaderContext): ToolCall => {
  const { who, request } = context;
  const servers = toolsRunBy(who.provider, request).flatMap((each) => {
    const label = isProviderTool(each) && each.id.endsWith('.mcp') ? each.args?.['serverLabel'] : undefined;
    return typeof label === 'string' ? [label] : [];
  });
  return {
    id,
    name: APPROVE_PROVIDER_CALL,
    input: {
      server: servers.join(' or '),
      tool: name.replace(/^mcp\./, ''),
      input: callArguments(text).input,
    },
    origin: {
      provider: who.provider,
      id,
      model: who.model,
      fields: { request: { approvalId: approvalId ?? '' } },
    },
  };
};

/** The calls that the vendor ran, each with what its result says of a failure. */
const callsOfProvider = (pieces: readonly Piece[]): readonly ProviderCall[] =>
  pieces
    .filter(({ isProviders, approvalId }) => isProviders === true && approvalId === undefined)
    .map(({ id, name, text }) => {
      const result = pieces.find(({ content }) => content?.['toolCallId'] === id)?.content;
      return providerCall(
        name,
        callArguments(text).input,
        result?.['isError'] === true ? result['result'] : undefined,
      );
    });

/** Reasons of finished answers; after any other, the last call may be incomplete. */
const WHOLE: ReadonlySet<string> = new Set(['stop', 'tool-calls']);

/**
 * Checks whether an end came without a reason. Their packages end a stream that was cut off as they end any, with the reason that they began
 * with: 'other', without the vendor's own word. Before version 3, without a place for that word, 'unknown' is also their name for
 * one that they do not know: then tokens that were counted show the end, but for a vendor that counts in each piece.
 */
export const lacksReason = (facts: Facts, vendor: Vendor): boolean => {
  const { finish, rawFinish } = facts;
  if (finish === 'other') return rawFinish === '';
  if (finish !== 'unknown' || rawFinish !== undefined) return false;
  return vendor.countsAsItGoes === true || typeof countedTokens(facts, vendor).output !== 'number';
};

const finishOf = ({ finish, rawFinish }: Facts, hasCalls: boolean, text: string): FinishReason => {
  if (rawFinish === 'refusal') return 'refusal';
  if (rawFinish === 'pause_turn') return 'pause';
  switch (finish) {
    case 'stop':
      return hasCalls ? 'tool-calls' : 'stop';
    case 'tool-calls':
      // An end that announces calls without any is a plain end, if there is text.
      return hasCalls ? 'tool-calls' : text.trim() === '' ? 'other' : 'stop';
    case 'length':
    case 'content-filter':
      return finish;
    default:
      return 'other';
  }
};

/** Counts are nested from version 3 on, and plain before. */
const reportedUsage = (pieces: readonly Piece[], facts: Facts, vendor: Vendor): ReportedUsage => ({
  ...countedTokens(facts, vendor),
  ...vendor.charges?.({
    usage: rawUsage(facts),
    metadata: facts.metadata ?? {},
    results: pieces.flatMap(({ type, content }) => (type === 'tool-result' ? [content?.['result']] : [])),
  }),
});

/** The provider's own counts; before version 3 the package keeps them to itself. */
const rawUsage = ({ usage = {} }: Facts): JsonObject => (isJsonObject(usage['raw']) ? usage['raw'] : {});

const countedTokens = (
  { usage = {}, metadata }: Facts,
  { name, countsCacheApart }: Vendor,
): ReportedUsage => {
  const { inputTokens: input, outputTokens: output } = usage;
  if (isJsonObject(input) || isJsonObject(output)) {
    const [read, written] = [isJsonObject(input) ? input : {}, isJsonObject(output) ? output : {}];
    return {
      input: read['total'],
      output: written['total'],
      cached: read['cacheRead'],
      stored: read['cacheWrite'],
      reasoning: written['reasoning'],
    };
  }
  const cached = usage['cachedInputTokens'];
  const own = metadata?.[name];
  const stored = isJsonObject(own) ? own['cacheCreationInputTokens'] : undefined;
  const isApart = countsCacheApart === true && typeof input === 'number';
  return {
    input: isApart ? input + countOf(cached) + countOf(stored) : input,
    output,
    cached,
    stored,
    reasoning: usage['reasoningTokens'],
  };
};

const countOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);

/** All parts, if there is more than text and calls, or the turn is paused: they must be sent back unchanged. */
const replayOf = (
  pieces: readonly Piece[],
  { rawFinish }: Facts,
  { who }: ReaderContext,
): Pick<ModelAnswer, 'replay'> => {
  const isPaused = rawFinish === 'pause_turn';
  const isPlain = pieces.every(
    ({ type, metadata, isProviders }) => PLAIN.has(type) && metadata === undefined && isProviders !== true,
  );
  if (isPlain && !isPaused) return {};
  const parts = pieces
    .filter(({ type, text, metadata }) => type !== 'text' || text.trim() !== '' || metadata !== undefined)
    .map(promptPart);
  const content: Json = { model: who.model, parts, ...(isPaused ? { paused: true } : {}) };
  return { replay: { provider: who.provider, content } };
};

const PLAIN: ReadonlySet<string> = new Set(['text', 'tool-call']);

/** A piece in the form in which a prompt takes it. */
const promptPart = (piece: Piece): JsonObject => {
  const { type, text, metadata, content = {}, approvalId } = piece;
  const options = metadata === undefined ? {} : { providerOptions: metadata };
  if (type === 'text' || type === 'reasoning') return { type, text, ...options };
  if (type === 'tool-call')
    return {
      type,
      toolCallId: piece.id ?? '',
      toolName: piece.name ?? '',
      input: callArguments(text).input,
      ...(piece.isProviders ? { providerExecuted: true } : {}),
      ...(approvalId === undefined ? {} : { approvalId }),
      ...options,
    };
  const { providerMetadata: _metadata, ...fields } = content;
  if (type !== 'tool-result') return { ...fields, ...bytesOf(fields), ...options };
  const value = toJson(fields['result']);
  return {
    type,
    toolCallId: fields['toolCallId'],
    toolName: fields['toolName'],
    output: { type: fields['isError'] === true ? 'error-json' : 'json', value },
    ...options,
  };
};

/** Bytes are JSON as a `data:` URL; a prompt takes base64 alone. */
const bytesOf = ({ data }: JsonObject): JsonObject => {
  if (typeof data === 'string') return { data: data.replace(/^data:[^,]*;base64,/, '') };
  return isJsonObject(data) ? { data: { ...data, ...bytesOf(data) } } : {};
};

/** Settings that the package says it has left out, of those that were given. */
const findOmissions = (
  { warnings }: Facts,
  { settings = {} }: ModelRequest,
): Pick<ModelAnswer, 'omitted'> => {
  const given = plainSettings(settings);
  const omitted: Record<string, string> = {};
  for (const warning of warnings) {
    if (!isJsonObject(warning)) continue;
    // Named `setting` by version 2.
    const { type, feature, setting = feature, details } = warning;
    if ((type !== 'unsupported' && type !== 'unsupported-setting') || typeof setting !== 'string') continue;
    const name = OUR_NAMES[setting] ?? setting;
    if (Reflect.get(given, name) !== undefined)
      omitted[omissionName(name)] = typeof details === 'string' ? details : 'its package does not support it';
  }
  return Object.keys(omitted).length === 0 ? {} : { omitted };
};

/** Names in warnings that are not those of plain settings. */
const OUR_NAMES: Readonly<Record<string, string | undefined>> = {
  stopSequences: 'stop',
  reasoning: 'effort',
  reasoningEffort: 'effort',
  parallelToolCalls: 'parallelCalls',
};

/** All that a program may want to know, and no model. */
const metadataOf = ({ id, metadata, warnings, sources }: Facts): Pick<ModelAnswer, 'metadata'> => {
  const found = {
    ...(id === undefined ? {} : { responseId: id }),
    ...(metadata === undefined ? {} : { providerMetadata: metadata }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(sources.length === 0 ? {} : { sources }),
  };
  return Object.keys(found).length === 0 ? {} : { metadata: found };
};
