import type { Usage } from '../models/usage.ts';
import type { Turn } from './transcript.ts';

/**
 * Turns that must stay together: one turn, or a tool cycle (an assistant turn with calls, and their results).
 *
 * Processors handle blocks and not turns, so that no call is ever separated from its result.
 */
export interface TurnBlock {
  readonly turns: readonly Turn[];
  /** Index of its first turn in the history; a block made by a processor has the index of the turns that it replaces. */
  readonly index: number;
  /** Never dropped or changed: the first user message, and others that the caller pins. */
  readonly isPinned: boolean;
}

/**
 * Selects what of a conversation the model is shown: pure, and applied left to right.
 *
 * Blocks are streamed newest first and made only on demand: a processor that stops reading (`keepLast`) makes the
 * request cost the same at turn 10 and at turn 10,000. An error ends the model call.
 *
 * @example
 * const withoutNoise: Processor = {
 *   name: 'withoutNoise',
 *   *project(blocks) {
 *     for (const block of blocks) if (block.isPinned || !isNoise(block)) yield block;
 *   },
 * };
 */
export interface Processor {
  readonly name: string;
  project(blocks: Iterable<TurnBlock>, facts: ProjectionFacts): Iterable<TurnBlock>;
}

/** Facts available to a processor beside the blocks. */
export interface ProjectionFacts {
  /** Turns in the whole history. */
  readonly length: number;
  readonly pinned: readonly TurnBlock[];
  readonly budget: TokenBudget | undefined;
  /** Tokens of the request outside its turns: instructions and tools. */
  readonly overhead: number;
  /** The summary that replaces the oldest turns, if there is one. */
  readonly summary: Summary | undefined;
  /** Returns estimated tokens; a turn is counted once, however often this is called. */
  readonly count: (turn: Turn) => number;
  readonly note: (note: ProjectionNote) => void;
}

/** A notice for the caller of a projection. */
export type ProjectionNote =
  /** The request is past the soft limit and was left unchanged. */
  | { readonly kind: 'near-limit'; readonly tokens: number; readonly soft: number }
  /** A rung of the ladder was tried; sizes past twice the budget are reported as that. */
  | {
      readonly kind: 'rung';
      readonly rung: string;
      readonly before: number;
      readonly after: number;
      readonly helped: boolean;
    }
  /** The turns from `from` to before `to` are left out and in no summary yet. */
  | { readonly kind: 'wants-summary'; readonly from: number; readonly to: number };

/** Counts the tokens of a text: an estimate by default, a real tokenizer if configured. */
export interface TokenCounter {
  readonly name: string;
  count(text: string): number;
}

/** The length that a request may have, in tokens. */
export interface TokenBudget {
  /** Past this, a warning. */
  readonly soft: number;
  /** The model's own limit. */
  readonly hard: number;
  /** Part of `hard` that is reserved for the answer. */
  readonly reserve: number;
}

/** A text in place of the oldest turns. */
export interface Summary {
  /** It replaces the turns before this index. */
  readonly upTo: number;
  /** Empty if summarising failed: those turns are dropped without a replacement. */
  readonly text: string;
}

/** The input of a summariser. */
export interface SummaryRequest {
  /** The summary of still older turns, to be included. */
  readonly previous: string;
  readonly turns: readonly Turn[];
  readonly maxTokens: number;
}

/** Condenses turns into one text, usually by a model. Not retried: if it throws, the turns are dropped. */
export interface Summariser {
  readonly name: string;
  summarise(request: SummaryRequest, signal: AbortSignal): Summarised | Promise<Summarised>;
}

/** A summary, and what it cost. */
export interface Summarised {
  readonly text: string;
  readonly usage?: Usage | undefined;
}

/** A named policy for the part of a conversation that the model is shown. */
export type CompactionPreset = 'conservative' | 'balanced' | 'aggressive';

/** Fits a conversation into a model's limit; omitted fields keep their defaults. */
export interface CompactionOptions {
  /**
   * Applied to every request, left to right; past the hard limit a ladder follows them, unless one of them is one.
   * Default: those of `balanced`, and only once the conversation is past the soft limit.
   */
  readonly processors?: readonly Processor[] | undefined;
  /** In tokens. Default: by the model's name; a model that is not a language model has no limit. */
  readonly budget?: Partial<TokenBudget> | undefined;
  /** Default: an estimate from characters. */
  readonly counter?: TokenCounter | undefined;
  /**
   * Summarises omitted turns. Default: the model that is about to be asked, if it is a language model; `false` omits
   * them without a summary.
   */
  readonly summariser?: Summariser | false | undefined;
  /**
   * The part of its thread's earlier runs that it is shown: whole cycles, with each call and its result, or questions
   * and answers only. Everything is stored either way. Default `cycles`.
   */
  readonly thread?: 'cycles' | 'answers' | undefined;
}

/** The compaction state of a long conversation: part of the agent's context, so that each decision is made once. */
export interface Compaction {
  /** Turns before `upTo` are shown as the processors left them under that budget; later ones unchanged. */
  readonly cut: {
    readonly upTo: number;
    readonly budget: TokenBudget | null;
    readonly overhead: number;
  } | null;
  readonly summary: Summary | null;
  /** The model that reported an overflow, and the budget it is given since. */
  readonly refused: { readonly model: string; readonly budget: TokenBudget } | null;
  /** True if the soft-limit warning was emitted and the conversation is still past the limit. */
  readonly isWarned: boolean;
}

/** The state in which nothing was omitted yet. */
export const noCompaction: Compaction = { cut: null, summary: null, refused: null, isWarned: false };
