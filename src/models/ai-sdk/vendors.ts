import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';
import type { ContentSupport } from '../../contracts/content/content-support.ts';
import type { ModelRequest, ReasoningEffort, ReasoningSettings } from '../../contracts/models/model.ts';
import { thinkingFields, thinkingRefusals } from '../anthropic/anthropic-thinking.ts';
import type { ProviderCall } from '../../contracts/models/provider-call.ts';
import { providerCall } from '../wire/provider-tools.ts';
import { dollarsOfTicks } from '../wire/ticks.ts';
import type { ReportedUsage } from '../wire/usage.ts';
import type { Refusals } from '../wire/sent-settings.ts';
import type { VendorOptions } from './language-model.ts';

type Options = Record<string, Json>;

/** Facts of one vendor that the specification leaves to `providerOptions`. */
export interface Vendor {
  /** The name of its options, and that of the provider of the model. */
  readonly name: string;
  /** Sent with every call. */
  readonly always?: Options;
  /** Marks the end of a prefix that is worth keeping. */
  readonly cache?: Options;
  /** Translates reasoning, where the specification has no word for it: budgets, and before version 4 efforts. */
  readonly reasoning?: (reasoning: ReasoningSettings, model: string, request: ModelRequest) => Options;
  /** Takes a number of tokens to reason with. */
  readonly takesBudget?: true;
  /** Reasons for which a model of it does not take settings. */
  readonly refusals?: (model: string, request: ModelRequest) => Refusals;
  /** Allows or forbids several calls in an answer. */
  readonly parallel?: (isAllowed: boolean) => Options;
  /** Has an option `serviceTier`. */
  readonly takesTier?: true;
  /** Sent with an output whose schema strict mode would refuse. */
  readonly loose?: Options;
  /** Required number of letters and digits of a call id. */
  readonly callIdLength?: number;
  /** Refuses a conversation with calls in it and no tools beside it. */
  readonly demandsTools?: true;
  /** The media that its newest models take. Default: {@link TAKES}. */
  readonly takes?: ContentSupport;
  /** Refuses reasoning without the item that followed it. */
  readonly bindsReasoning?: true;
  /** The price that it states of a call, and the searches that it charges beside tokens. */
  readonly charges?: (stated: {
    readonly usage: JsonObject;
    readonly metadata: JsonObject;
    /** Those of the calls that it ran. */
    readonly results: readonly unknown[];
  }) => Pick<ReportedUsage, 'webSearches' | 'fileSearches' | 'billed'>;
  /** The calls that it ran and reports beside its answer only. */
  readonly callsIn?: (metadata: JsonObject) => readonly ProviderCall[];
  /** Its package cannot give back calls that the vendor ran, unless they have options. */
  readonly losesOwnCalls?: true;
  /** Counts the tokens so far in each piece of a stream. */
  readonly countsAsItGoes?: true;
  /** Counts tokens of the cache apart from the input, before version 3. */
  readonly countsCacheApart?: true;
}

const namedEffort = ({ effort }: ReasoningSettings): Options =>
  effort === undefined ? {} : { reasoningEffort: effort };

const parallelToolCalls = (isAllowed: boolean): Options => ({ parallelToolCalls: isAllowed });

const claudeThinking = (reasoning: ReasoningSettings, model: string, request: ModelRequest): Options => {
  const { thinking, effort } = thinkingFields(model, request, reasoning, 0);
  return {
    ...(thinking?.type === 'enabled'
      ? { thinking: { type: 'enabled', budgetTokens: thinking.budget_tokens } }
      : thinking === undefined
        ? {}
        : { thinking: { type: thinking.type } }),
    ...(effort == null ? {} : { effort }),
  };
};

/** Models before Gemini 3 take a number of tokens in place of a level; later ones take either. */
const geminiThinking = ({ effort = 'medium', budgetTokens }: ReasoningSettings, model: string): Options => {
  const isOld = /gemini-[12]/.test(model);
  const level = isOld || budgetTokens !== undefined ? undefined : effort === 'none' ? 'minimal' : effort;
  return {
    thinkingConfig: {
      ...(level === undefined
        ? { thinkingBudget: budgetTokens ?? GEMINI_BUDGETS[effort] }
        : { thinkingLevel: level }),
      includeThoughts: effort !== 'none',
    },
  };
};

/** In tokens. */
const GEMINI_BUDGETS: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
};

/** The queries of Google's search stand beside the answer. */
const googleSearches = ({ google }: JsonObject): readonly ProviderCall[] => {
  const found = isJsonObject(google) ? google['groundingMetadata'] : undefined;
  const queries = isJsonObject(found) ? found['webSearchQueries'] : undefined;
  return Array.isArray(queries) && queries.length > 0
    ? [providerCall('google_search', queries, undefined)]
    : [];
};

const fieldOf = (value: unknown, name: string): Json | undefined =>
  isJsonObject(value) ? value[name] : undefined;

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Images, as bytes: the package asks the provider, and no file is fetched on the way. */
export const TAKES: ContentSupport = { media: IMAGES };

/** Both fetch links themselves. */
const withFiles: ContentSupport = {
  media: [...IMAGES, 'application/pdf'],
  links: ['image/*', 'application/pdf'],
};

const openaiVendor: Omit<Vendor, 'name'> = {
  // The whole conversation is sent each time: nothing has to be kept at the provider.
  always: { store: false },
  takes: withFiles,
  reasoning: namedEffort,
  parallel: parallelToolCalls,
  takesTier: true,
  loose: { strictJsonSchema: false },
  bindsReasoning: true,
  charges: ({ results }) => ({
    webSearches: results.filter((result) => fieldOf(fieldOf(result, 'action'), 'type') === 'search').length,
    fileSearches: results.filter((result) => fieldOf(result, 'queries') !== undefined).length,
  }),
};

const vendors: readonly Vendor[] = [
  { name: 'openai', ...openaiVendor },
  { name: 'azure', ...openaiVendor },
  {
    name: 'anthropic',
    takes: withFiles,
    cache: { cacheControl: { type: 'ephemeral' } },
    reasoning: claudeThinking,
    takesBudget: true,
    refusals: thinkingRefusals,
    parallel: (isAllowed) => ({ disableParallelToolUse: !isAllowed }),
    demandsTools: true,
    countsCacheApart: true,
    charges: ({ usage }) => ({ webSearches: fieldOf(usage['server_tool_use'], 'web_search_requests') }),
  },
  {
    name: 'google',
    reasoning: geminiThinking,
    takesBudget: true,
    takes: { media: ['image/*', 'audio/*', 'video/*', 'application/pdf'] },
    callsIn: googleSearches,
    losesOwnCalls: true,
    countsAsItGoes: true,
  },
  { name: 'mistral', callIdLength: 9, parallel: parallelToolCalls },
  { name: 'groq', reasoning: namedEffort, parallel: parallelToolCalls, takesTier: true },
  {
    name: 'xai',
    reasoning: namedEffort,
    parallel: (isAllowed) => ({ parallel_function_calling: isAllowed }),
    charges: ({ usage }) => ({ billed: dollarsOfTicks(usage['cost_in_usd_ticks']) }),
  },
  {
    name: 'openrouter',
    // As its package has it in the facts of an answer (github.com/OpenRouterTeam/ai-sdk-provider, "Usage accounting").
    charges: ({ metadata }) => ({ billed: fieldOf(fieldOf(metadata['openrouter'], 'usage'), 'cost') }),
  },
  {
    name: 'gateway',
    // A text (vercel.com/docs/ai-gateway, "Provider metadata").
    charges: ({ metadata }) => ({ billed: Number(fieldOf(metadata['gateway'], 'cost') ?? Number.NaN) }),
  },
];

/** The vendor behind a provider's name such as `openai.responses`; one without facts if it is not known. */
export const vendorOf = (provider: string): Vendor => {
  const name = provider.split('.')[0] ?? provider;
  return vendors.find((vendor) => vendor.name === name) ?? { name };
};

/** A vendor with a strict mode has optional properties of an output as ones that may be null. */
export const optionalOf = ({ loose }: Vendor): 'optional' | 'nullable' =>
  loose === undefined ? 'optional' : 'nullable';

/** Joins options of vendors: of one vendor, the later ones win field by field. */
export const joinOptions = (...all: readonly (VendorOptions | undefined)[]): VendorOptions => {
  const joined: VendorOptions = {};
  for (const options of all)
    for (const [name, fields] of Object.entries(options ?? {})) joined[name] = { ...joined[name], ...fields };
  return joined;
};
