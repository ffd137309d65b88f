import type { ErrorData } from './error.ts';
import type { Json } from './json.ts';
import type { Tally } from './stop.ts';
import type { ToolResult } from './tool.ts';

/**
 * When the work of an agent counts as done: a policy over what its model says. Pure and synchronous, as it is asked within
 * the machine, in REDUCE.
 *
 * It judges the model only: an answer that the agent's own `decide` gives stands. A control tool (`complete`, `respond`,
 * `handoff` …) that succeeded ends the work under every policy; one that failed ends nothing.
 *
 * @example
 * const polite: Ending = {
 *   name: 'polite',
 *   answered: ({ text }) => (text.includes('please') ? { kind: 'end' } : { kind: 'goOn', note: 'Say please.' }),
 * };
 */
export interface Ending {
  readonly name: string;
  /** The model answered and called nothing. */
  answered(view: EndingView): EndingVerdict;
  /** Its calls are through, and none of them ended the work; undefined where there is nothing to say. */
  acted?(view: EndingView): EndingVerdict | undefined;
  /**
   * An answer without a word is judged too (`text` is then empty) where one was sent back before; not where the answer has a
   * schema. Default false: it is asked for again.
   */
  readonly takesSilence?: boolean | undefined;
  /** It looks for something in the text: no policy for an agent whose answer has a schema. Default false. */
  readonly readsText?: boolean | undefined;
}

/** One thing that a supervisor of endings looks for. Pure. */
export interface Heuristic {
  readonly name: string;
  /** `answer`: what it says sends the answer back. `calls`: what it says is added to the conversation after calls. Default `answer`. */
  readonly on?: 'answer' | 'calls' | undefined;
  /** `once` in a run, or `repeat` until there is nothing to say. Default `repeat`; `once` for calls. */
  readonly mode?: 'once' | 'repeat' | undefined;
  /** What is missing, in words for the model; undefined where nothing is. */
  check(view: EndingView): string | undefined;
}

/** What a policy of ending sees of a run. */
export interface EndingView {
  readonly agent: string;
  /** The step at hand, from 0. */
  readonly step: number;
  /** The phase that the work is in: that of an `orchestrator`, or by the agent's `workPhases`; null where it has none. */
  readonly phase: string | null;
  /** As it was before this step. */
  readonly state: Json;
  readonly tally: Tally;
  /** The answer; null where calls are judged. */
  readonly answer: Json;
  /** The answer as text; empty where calls are judged. */
  readonly text: string;
  /** The last answer that was sent back; empty where none was. */
  readonly said: string;
  /** The results of the step; empty where an answer is judged. */
  readonly results: readonly ToolResult[];
  /** Answers sent back so far. */
  readonly sentBack: number;
  /** Of these, how many in a row with no successful call between them. */
  readonly stuck: number;
  /** What this policy said so far, by the names it gave (`by`). */
  readonly spoken: readonly string[];
  /** The run is near its limit, and there are no more tools: what is said now is the last. */
  readonly isLast: boolean;
}

/** What a policy of ending makes of a step. */
export type EndingVerdict =
  /** Done; with another answer than the model's, if one is given. */
  | { readonly kind: 'end'; readonly answer?: Json | undefined }
  /** Done for it, and marked so: the model did not say in so many words that it was done. */
  | { readonly kind: 'autoComplete'; readonly answer: Json }
  /** Not done: this is said to the model, at once or after a while (in ms). `by` says which rule of the policy speaks. */
  | {
      readonly kind: 'goOn';
      readonly note: string;
      readonly afterMs?: number | undefined;
      readonly by?: string | undefined;
    }
  /** Never to be done: the run ends `unresolved`, the answer kept and not accepted. */
  | { readonly kind: 'giveUp'; readonly note: string; readonly by: string }
  | { readonly kind: 'fail'; readonly error: ErrorData };

/** How loops are found: steps that do the same, with the same results, again and again. */
export interface LoopLimits {
  /** Rounds in a row from which on the model is warned, at least 2. Default 3: real work repeats a call. */
  readonly warnAt: number;
  /** Rounds in a row that end the run, at least `warnAt`. Default 5. */
  readonly stopAt: number;
  /** Keys of inputs that differ from call to call and mean nothing (a time stamp, a request id …). */
  readonly ignore?: readonly string[] | undefined;
}

/** How a run that nears its limits comes to its end: warned, then without tools, then stopped. */
export interface WrapUp {
  /** The fraction of the nearest limit at which the model is warned, above 0 up to 1. Default 0.8. */
  readonly warnAt: number;
  /** The fraction at which it has to answer without tools, from `warnAt` to 1. Default 0.95; the last step of all is always one. */
  readonly wrapUpAt: number;
  /** Steps for it that a run still gets which passed a limit before it came to wrapping up; a limit of steps or of time is never passed. Default 1. */
  readonly graceSteps: number;
}
