import type { AdaptiveRetry } from './adaptive-retry.ts';
import type { Json, JsonSchema } from './json.ts';
import type { Secrets } from './secrets/redactor.ts';
import type { ToolCall, ToolSpec } from './tool.ts';
import type { Replay, Transcript } from './transcript.ts';

/**
 * Answers prompts: the one contract behind which every provider stands.
 *
 * A model makes one attempt and reports truthfully; it never retries and never waits: that is the runtime's work,
 * in one place. It may answer at once (in process) or with a promise. What it throws should be a `TroupeError`
 * with a `model.*` code; anything else counts as `model.failed` and is not tried again.
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
  /** False for a model that is not an LLM (offline, scripted): said in the first event of the run. */
  readonly isLanguageModel?: boolean;
  /** What nobody may read of it, by name: the key that it was given. Known to each run that it answers in. */
  readonly secrets?: (() => Secrets) | undefined;
  answer(request: ModelRequest, call: ModelCall): ModelAnswer | Promise<ModelAnswer>;
}

/** What a model is asked. */
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

/** Knobs that every provider maps as well as it can; what it lacks it leaves out. */
export interface ModelSettings {
  /** In tokens. Default: the provider's, or 8,192 where it demands a number. */
  readonly maxOutputTokens?: number | undefined;
  /** Left out for models that refuse it. */
  readonly temperature?: number | undefined;
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | undefined;
  /** Mark the stable prefix for the provider's prompt cache. Default true. */
  readonly cache?: boolean | undefined;
}

/** What one attempt may use while it runs. */
export interface ModelCall {
  /** Follows from run, step and attempt: the same call after a crash has the same key. */
  readonly key: string;
  /** Aborted when nobody wants the answer any more, or the attempt is out of time. Made on first use. */
  readonly signal: AbortSignal;
  /** Tells what arrives, as it arrives. Every delta resets the idle watchdog; keep-alives must not be reported. */
  readonly delta: (delta: ModelDelta) => void;
  /** True if somebody reads text deltas; a provider may stream either way. */
  readonly isWatched: boolean;
  /**
   * Waits for `turn` while the time of the attempt stands still: for a model that shares its provider with others and has to
   * wait in line. The provider's own silence is none of that.
   */
  readonly inLine?: <Turn>(turn: Promise<Turn>) => Promise<Turn>;
}

/** A piece of an answer that is still arriving: ephemeral, never in a log. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly index: number; readonly name?: string; readonly text: string }
  | { readonly type: 'progress' };

/** The reason for which the model stopped; `pause` wants to be sent back as it is, `other` is not known to be an end and is asked again. */
export type FinishReason =
  'stop' | 'tool-calls' | 'length' | 'content-filter' | 'refusal' | 'pause' | 'other';

/** Tokens of one call; `cached` and `reasoning` are parts of `input` and `output`. */
export type Usage = {
  readonly input: number;
  readonly output: number;
  readonly cached?: number | undefined;
  readonly reasoning?: number | undefined;
  /** True where the provider said nothing and we counted characters. */
  readonly isEstimate?: boolean | undefined;
};

/** What a model answered. */
export interface ModelAnswer {
  readonly text: string;
  readonly reasoning?: string | undefined;
  /** Ids are the provider's; the runtime gives calls ids of its own. */
  readonly calls: readonly ToolCall[];
  readonly refusal?: string | undefined;
  /**
   * Why the provider could not use what the model wrote (a call that it could not read): the model is notified, and answers
   * again. `text` is then what the model wrote.
   */
  readonly problem?: string | undefined;
  readonly finish: FinishReason;
  readonly usage: Usage;
  /** The model that really answered, as the provider names it. */
  readonly model?: string | undefined;
  readonly replay?: Replay | undefined;
  readonly metadata?: Json | undefined;
}

/** A whole {@link ModelAnswer} from the parts that matter: what a model of one's own returns. */
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

/** When and how often a failed model call is tried again (defaults in `models/retry/retry-policy`). */
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
   * What becomes of the text of a stream that broke, where the call is tried again: `restart` throws it away
   * (`model.discarded`), `continue` keeps it and has the model go on from there (`model.interrupted`). Default `restart`.
   */
  readonly onBreak?: 'restart' | 'continue' | undefined;
  /** Back-off by what failed lately, in place of the attempt alone; see {@link AdaptiveRetry}. Default false. */
  readonly adaptive?: boolean | AdaptiveRetry | undefined;
}
