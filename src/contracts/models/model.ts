import type { Json, JsonObject, JsonSchema } from '../../base/json/json.ts';
import type { ContentSupport } from '../content/content-support.ts';
import type { GivenPart, MediaPart } from '../content/part.ts';
import type { Transcript, Replay } from '../conversations/transcript.ts';
import type { AdaptiveRetry } from './adaptive-retry.ts';
import type { ProviderCall } from './provider-call.ts';
import type { LongWait } from './long-wait.ts';
import type { Secrets } from '../secrets/redactor.ts';
import type { ToolCall, ToolSpec } from '../tools/tool-call.ts';
import type { CachedUse, Usage } from './usage.ts';

/**
 * Answers prompts: the one contract behind which every provider stands.
 *
 * A model makes one attempt and reports truthfully; it never retries and never waits: that is the runtime's work, in
 * one place. It may answer synchronously (in process) or with a promise. It should throw a `TroupeError` with a
 * `model.*` code; anything else counts as `model.failed` and is not retried.
 *
 * @example
 * const echo: Model = {
 *   provider: 'example',
 *   id: 'echo',
 *   answer: ({ messages }) => modelAnswer({ text: `You said: ${messages.at(-1)?.text}` }),
 * };
 */
export interface Model {
  /** The vendor file behind it: `openai`, `anthropic`, `offline` … */
  readonly provider: string;
  readonly id: string;
  /** False for a model that is not an LLM (offline, scripted); stated in the first event of the run. */
  readonly isLanguageModel?: boolean;
  /**
   * The media that it takes. Default: none. Media that it does not take are converted, or refused, before it is called:
   * texts as files are sent as text in any case.
   */
  readonly takes?: ContentSupport | undefined;
  /** Secrets that must be redacted, by name: its API key. Registered with each run that it answers in. */
  readonly secrets?: (() => Secrets) | undefined;
  /** The share of the list price that its calls cost: 0.5 for half of it. Default 1. */
  readonly priceShare?: number | undefined;
  answer(request: ModelRequest, call: ModelCall): ModelAnswer | Promise<ModelAnswer>;
}

/** The input of a model call. */
export interface ModelRequest {
  /** The system prompt; byte-stable over a run, so that providers can cache it. */
  readonly instructions: string;
  readonly messages: Transcript;
  readonly tools: readonly ToolSpec[];
  readonly toolChoice?: ToolChoice | undefined;
  /** The final answer's schema; the model's text must then be one JSON value of it. */
  readonly output?: OutputSpec | undefined;
  readonly settings?: ModelSettings | undefined;
}

/** `none` hides the tools without changing the prompt prefix; `{ name }` forces that one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** A structured final answer. */
export interface OutputSpec {
  readonly name: string;
  readonly schema: JsonSchema;
}

/**
 * Settings of an agent's model calls. Each default is the provider's.
 *
 * Every provider maps them to fields of its own. What a model does not take is left out of its requests, and reported once for each run
 * and model, by `omitted` of the event `model.answered`.
 *
 * @example
 * agent({ name: 'clerk', settings: { temperature: 0, stop: ['END'], reasoning: { budgetTokens: 4_000 } } });
 */
export interface ModelSettings {
  /** In tokens. 8,192 where the provider demands a number. */
  readonly maxOutputTokens?: number | undefined;
  /** From 0. */
  readonly temperature?: number | undefined;
  /** The share of probability that tokens are drawn from: above 0, at most 1. */
  readonly topP?: number | undefined;
  /** The number of likeliest tokens that one is drawn from. */
  readonly topK?: number | undefined;
  /** Texts at which the answer ends; they are no part of it. */
  readonly stop?: readonly string[] | undefined;
  /** A whole number by which draws are repeatable, as far as the provider makes them so. */
  readonly seed?: number | undefined;
  /** From -2 to 2: above 0, tokens that have occurred are less likely. */
  readonly presencePenalty?: number | undefined;
  /** From -2 to 2: above 0, tokens are the less likely the more often they have occurred. */
  readonly frequencyPenalty?: number | undefined;
  /** False for at most one call of a tool in an answer. */
  readonly parallelCalls?: boolean | undefined;
  /**
   * The tools that may be called. `required` and `{ name }` hold until the agent has called a tool in its run, then the model is free to
   * answer; `none` holds for the whole run.
   */
  readonly toolChoice?: ToolChoice | undefined;
  /** An effort, or a budget in tokens for models that take one, or both. */
  readonly reasoning?: ReasoningEffort | ReasoningSettings | undefined;
  /** The provider's word for price and speed of a request: `flex`, `priority` … */
  readonly serviceTier?: string | undefined;
  /** Sent with each request. Values of headers that are named like a secret are redacted from events and journals. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Passed on as they are to the provider of that name. They are fields of the request's body, and for `aiSdk()` the options that its
   * package documents; they win over all else. Those of a provider that no model of the agent is of are reported as omitted.
   */
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | undefined;
  /**
   * Tools that the provider of that name runs itself while its model answers, as its API defines them: web search, code execution …
   * They are sent beside the agent's tools. Nothing of troupe is between them and the model: no policy, no time limit of a tool, and no
   * approval but of remote MCP servers that `openai` asks for. Their calls are `providerCalls` of the event `model.answered`.
   */
  readonly providerTools?: Readonly<Record<string, readonly JsonObject[]>> | undefined;
  /** Mark the stable prefix for the provider's prompt cache. Default true. */
  readonly cache?: boolean | undefined;
}

/** The effort of a model's reasoning. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high';

/** A model's reasoning in two measures, of which each model takes its own. */
export interface ReasoningSettings {
  readonly effort?: ReasoningEffort | undefined;
  /** In tokens. */
  readonly budgetTokens?: number | undefined;
}

/** Facilities of one attempt. */
export interface ModelCall {
  /** Follows from run, step and attempt: the same call after a crash has the same key. */
  readonly key: string;
  /** Aborted when the answer is no longer needed, or the attempt timed out. Made on first use. */
  readonly signal: AbortSignal;
  /** Reports a piece of the answer as it arrives. Every delta resets the idle watchdog; do not report keep-alives. */
  readonly delta: (delta: ModelDelta) => void;
  /** True if text deltas have a reader; a provider may stream either way. */
  readonly isWatched: boolean;
  /**
   * Waits for `turn` while the attempt's time limit is suspended: for a model that shares its provider and has to
   * queue. Not for the provider's own silence.
   */
  readonly inLine?: <Turn>(turn: Promise<Turn>) => Promise<Turn>;
  /** Asks a person, and suspends the attempt's time limit meanwhile; rejects if nobody can answer. Absent outside a run. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** For a model that answers after hours: what it waits for survives the process. Absent outside a run. */
  readonly longWait?: (() => LongWait) | undefined;
  /**
   * Reads the bytes of a part of the request. Absent outside a run.
   *
   * @throws (rejects with) `content.missing` if the blob store of the run does not have them.
   */
  readonly bytesOf?: ((part: MediaPart) => Promise<Uint8Array>) | undefined;
  /** The `context` that the caller of the run passed, for shared resources that tell tenants apart; validate it before use. */
  readonly context?: unknown;
}

/** A piece of an answer that is still arriving: ephemeral, never in a log. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly index: number; readonly name?: string; readonly text: string }
  | { readonly type: 'progress' };

/** All reasons why a model stops. */
export const finishReasons = [
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'refusal',
  'pause',
  'other',
] as const;

/**
 * The reason why the model stopped; `pause` must be sent back unchanged, `other` is not known to be an end and is asked
 * again.
 */
export type FinishReason = (typeof finishReasons)[number];

/** A model's answer. */
export interface ModelAnswer {
  readonly text: string;
  /** The media that it made: images, audio, files. Their bytes go to the run's blob store. */
  readonly media?: readonly GivenPart[] | undefined;
  readonly reasoning?: string | undefined;
  /** Ids are the provider's; the runtime gives calls ids of its own. */
  readonly calls: readonly ToolCall[];
  /** The calls that the provider ran itself, in order. Absent if there are none. */
  readonly providerCalls?: readonly ProviderCall[] | undefined;
  readonly refusal?: string | undefined;
  /**
   * The reason why the provider could not use the model's output (an unreadable call): the model is notified and
   * answers again. `text` is then that output.
   */
  readonly problem?: string | undefined;
  readonly finish: FinishReason;
  readonly usage: Usage;
  /** Set if the model was not asked, as an equal request was answered before: `usage` is then nothing. */
  readonly cached?: CachedUse | undefined;
  /** The settings that were left out of the request, by name, each with the reason. Absent if there are none. */
  readonly omitted?: Readonly<Record<string, string>> | undefined;
  /** The model that really answered, as the provider names it. */
  readonly model?: string | undefined;
  readonly replay?: Replay | undefined;
  readonly metadata?: Json | undefined;
}

/** Completes a {@link ModelAnswer} from the parts that matter: for custom models. */
export const modelAnswer = (parts: Partial<ModelAnswer>): ModelAnswer => {
  const calls = parts.calls ?? [];
  return {
    text: '',
    finish: calls.length > 0 ? 'tool-calls' : 'stop',
    usage: NO_USAGE,
    ...parts,
    calls,
  };
};

const NO_USAGE: Usage = { input: 0, output: 0 };

/** Retry policy of failed model calls (defaults in `models/retry/retry-policy`). */
export interface ModelRetry {
  /** Attempts of one model in all, the first included. Default 3. */
  readonly attempts?: number | undefined;
  /** The longest single wait that is accepted, in ms; a provider that asks for more fails the call. Default 60,000. */
  readonly maxWaitMs?: number | undefined;
  /** All waits of one call together, in ms. Default 300,000. */
  readonly maxTotalWaitMs?: number | undefined;
  /** First back-off, in ms; it doubles. Default 1,000. */
  readonly initialWaitMs?: number | undefined;
  /** One attempt may last this long, in ms. Default 600,000. */
  readonly attemptTimeoutMs?: number | undefined;
  /** No semantic event of a stream for this long ends the attempt, in ms. Default 90,000. */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Handling of the text of a broken stream when the call is retried: `restart` discards it (`model.discarded`),
   * `continue` keeps it and has the model continue (`model.interrupted`). Default `restart`.
   */
  readonly onBreak?: 'restart' | 'continue' | undefined;
  /** Back-off by what failed lately, in place of the attempt alone; see {@link AdaptiveRetry}. Default false. */
  readonly adaptive?: boolean | AdaptiveRetry | undefined;
}

/** A model, or its name as `provider:model`. */
export type ModelChoice = Model | string;
