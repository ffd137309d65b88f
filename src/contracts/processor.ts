import type { Usage } from './model.ts';
import type { Turn } from './transcript.ts';

/**
 * Turns that stand or fall together: one turn, or a tool cycle (an assistant turn with calls, and their results).
 *
 * Processors handle blocks and not turns, so that no call is ever parted from its result.
 */
export interface TurnBlock {
  readonly turns: readonly Turn[];
  /** Where its first turn stands in the history; a block that a processor made up has the place of what it replaces. */
  readonly index: number;
  /** Never dropped and never changed: the first user message, and what else the caller pins. */
  readonly isPinned: boolean;
}

/**
 * Says what of a conversation the model is shown: pure, and applied left to right.
 *
 * Blocks come and go newest first and are only made when somebody takes them: a processor that stops taking (`keepLast`)
 * makes the request cost the same at turn 10 and at turn 10,000. What it throws ends the model call.
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

/** What a processor may know beside the blocks. */
export interface ProjectionFacts {
  /** Turns in the whole history. */
  readonly length: number;
  readonly pinned: readonly TurnBlock[];
  readonly budget: TokenBudget | undefined;
  /** Tokens of what the request holds beside turns: instructions and tools. */
  readonly overhead: number;
  /** What stands for the oldest turns, where somebody has summarised them. */
  readonly summary: Summary | undefined;
  /** Estimated tokens; a turn is counted once, however often it is asked for. */
  readonly count: (turn: Turn) => number;
  readonly note: (note: ProjectionNote) => void;
}

/** Something that whoever asked for a projection should know. */
export type ProjectionNote =
  /** The request is past the soft limit; nothing was done about it. */
  | { readonly kind: 'near-limit'; readonly tokens: number; readonly soft: number }
  /** A rung of the ladder was tried; sizes past twice the budget are given as that. */
  | {
      readonly kind: 'rung';
      readonly rung: string;
      readonly before: number;
      readonly after: number;
      readonly helped: boolean;
    }
  /** The turns from `from` to before `to` are left out and in no summary yet. */
  | { readonly kind: 'wants-summary'; readonly from: number; readonly to: number };

/** Counts the tokens of a text: an estimate by default, a real tokenizer where one is at hand. */
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
  /** Kept free of `hard` for the answer. */
  readonly reserve: number;
}

/** A text in place of the oldest turns. */
export interface Summary {
  /** It stands for the turns before this index. */
  readonly upTo: number;
  /** Empty where summarising failed: those turns are dropped without a word. */
  readonly text: string;
}

/** What is to be summarised. */
export interface SummaryRequest {
  /** What stands for still older turns: to be carried on. */
  readonly previous: string;
  readonly turns: readonly Turn[];
  readonly maxTokens: number;
}

/** Makes one text of many turns, usually by a model. It is tried once: what it throws means that the turns are dropped. */
export interface Summariser {
  readonly name: string;
  summarise(request: SummaryRequest, signal: AbortSignal): Summarised | Promise<Summarised>;
}

/** A summary, and what it cost. */
export interface Summarised {
  readonly text: string;
  readonly usage?: Usage | undefined;
}

/** The part of a conversation that the model is shown, in a word. */
export type ContextPreset = 'conservative' | 'balanced' | 'aggressive';

/** How a conversation is kept within what a model takes; what is left out has the default's meaning. */
export interface ContextOptions {
  /**
   * Applied to every request, left to right; past the hard limit a ladder follows them, unless one of them is one.
   * Default: those of `balanced`, and only once the conversation is past the soft limit.
   */
  readonly processors?: readonly Processor[] | undefined;
  /** In tokens. Default: by the model's name; a model that is no language model has none. */
  readonly budget?: Partial<TokenBudget> | undefined;
  /** Default: an estimate from characters. */
  readonly counter?: TokenCounter | undefined;
  /**
   * Makes a summary of what is left out. Default: the model that is about to be asked, if it is a language model;
   * `false` leaves it out without one.
   */
  readonly summariser?: Summariser | false | undefined;
  /**
   * What it is shown of the earlier runs of its thread: whole cycles, with each call and what the tool answered, or what was asked
   * and answered alone. All of it is kept either way. Default `cycles`.
   */
  readonly thread?: 'cycles' | 'answers' | undefined;
}

/** What has become of a conversation that got long: part of the agent's context, so that it is decided once. */
export interface Compaction {
  /** The turns before `upTo` are shown as the processors left them under that budget; later ones as they are. */
  readonly cut: {
    readonly upTo: number;
    readonly budget: TokenBudget | null;
    readonly overhead: number;
  } | null;
  readonly summary: Summary | null;
  /** A model that said it was sent too much, and what it is sent since. */
  readonly refused: { readonly model: string; readonly budget: TokenBudget } | null;
  /** Somebody has been told that it is past the soft limit, and it still is. */
  readonly isWarned: boolean;
}

/** Nothing was ever left out. */
export const noCompaction: Compaction = { cut: null, summary: null, refused: null, isWarned: false };
