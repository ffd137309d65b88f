import type { ErrorData } from '../errors/error-data.ts';
import type { Json } from '../../base/json/json.ts';
import type { StopRule, StopView } from './stop-rule.ts';
import type { Tally } from './tally.ts';
import type { ToolResult } from '../tools/tool-result.ts';

/**
 * Policy by which an agent's work counts as done, applied to what its model says. Pure and synchronous, as it runs
 * within the machine, in REDUCE.
 *
 * It judges the model only: an answer from the agent's own `decide` is final. A control tool (`complete`, `respond`,
 * `handoff` …) that succeeds ends the work under every policy; one that fails ends nothing.
 *
 * @example
 * const polite: Ending = {
 *   name: 'polite',
 *   answered: ({ text }) => (text.includes('please') ? { kind: 'end' } : { kind: 'goOn', note: 'Say please.' }),
 * };
 */
export interface Ending {
  readonly name: string;
  /** Called when the model answered without calls. */
  answered(view: EndingView): EndingVerdict;
  /** Called when its calls are done and none of them ended the work; return undefined to continue. */
  acted?(view: EndingView): EndingVerdict | undefined;
  /**
   * Empty answers are judged too (`text` is then empty) after an answer was sent back; not where the answer has a
   * schema. Default false: the model is asked again.
   */
  readonly takesSilence?: boolean | undefined;
  /** Searches the text: not usable for an agent whose answer has a schema. Default false. */
  readonly readsText?: boolean | undefined;
}

/** One check of a supervised ending. Pure. */
export interface Heuristic {
  readonly name: string;
  /**
   * `answer`: a finding sends the answer back. `calls`: a finding is added to the conversation after calls. Default
   * `answer`.
   */
  readonly on?: 'answer' | 'calls' | undefined;
  /** `once` in a run, or `repeat` until there is no finding. Default `repeat`; `once` for calls. */
  readonly mode?: 'once' | 'repeat' | undefined;
  /** Returns what is missing, in words for the model; undefined if nothing is. */
  check(view: EndingView): string | undefined;
}

/** A run, as an ending policy sees it. */
export interface EndingView {
  readonly agent: string;
  /** The current step, from 0. */
  readonly step: number;
  /** The phase of the work: that of an `orchestrator`, or by the agent's `workPhases`; null without either. */
  readonly phase: string | null;
  /** The state before this step. */
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
  /** Names (`by`) of the rules of this policy that have spoken so far. */
  readonly spoken: readonly string[];
  /** True if the run is near its limit and tools are withdrawn: this answer is the last. */
  readonly isLast: boolean;
}

/** The verdict of an ending policy on a step. */
export type EndingVerdict =
  /** Done; with `answer` in place of the model's, if given. */
  | { readonly kind: 'end'; readonly answer?: Json | undefined }
  /** Done by the policy's judgement, and marked so: the model did not declare itself done. */
  | { readonly kind: 'autoComplete'; readonly answer: Json }
  /** Not done: the note is sent to the model, at once or after a delay (in ms). `by` names the rule that speaks. */
  | {
      readonly kind: 'goOn';
      readonly note: string;
      readonly afterMs?: number | undefined;
      readonly by?: string | undefined;
    }
  /** Cannot be done: the run ends `unresolved`, with the answer kept but not accepted. */
  | { readonly kind: 'giveUp'; readonly note: string; readonly by: string }
  | { readonly kind: 'fail'; readonly error: ErrorData };

/** Loop detection: steps that repeat the same calls with the same results. */
export interface LoopLimits {
  /** Rounds in a row from which on the model is warned, at least 2. Default 3: real work repeats a call. */
  readonly warnAt: number;
  /** Rounds in a row that end the run, at least `warnAt`. Default 5. */
  readonly stopAt: number;
  /** Input keys that vary without meaning (a time stamp, a request id …) and are ignored. */
  readonly ignore?: readonly string[] | undefined;
}

/** Winds up a run that nears its limits: a warning first, then no tools, then the end. */
export interface WrapUp {
  /** The fraction of the nearest limit at which the model is warned, above 0 up to 1. Default 0.8. */
  readonly warnAt: number;
  /** The fraction at which it has to answer without tools, from `warnAt` to 1. Default 0.95; the last step of all is always one. */
  readonly wrapUpAt: number;
  /**
   * Steps granted to a run that passed a limit before it could wrap up; limits of steps and of time are never passed.
   * Default 1.
   */
  readonly graceSteps: number;
}

/** The conditions under which an agent is done. */
export interface StopOptions {
  /** Checked in order, after all else. Default `maxSteps(50)`, as for a rule alone. */
  readonly rules?: StopRule | readonly StopRule[] | undefined;
  /** Stops the run, with the returned text as the reason (`true`: without one). */
  readonly shouldStop?: ((view: StopView) => string | boolean | undefined) | undefined;
  /**
   * The policy by which its work counts as done: `byTool()`, `byMarker('DONE')`, `bySupervisor([…])`. Default: an
   * answer without calls.
   */
  readonly ends?: Ending | undefined;
  /**
   * Names the phase of the work by the category of the last tool used: `{ files: 'edit', processes: 'validate' }`.
   * Tools of other categories, and tools added during the run, leave the phase unchanged. Ending policies and step
   * fragments see it.
   */
  readonly workPhases?: Readonly<Record<string, string>> | undefined;
}

/** A stop rule, several, or all that there is to say of when an agent is done. */
export type StopChoice = StopRule | readonly StopRule[] | StopOptions;

const isShort = (stop: StopChoice): stop is StopRule | readonly StopRule[] =>
  Array.isArray(stop) || 'check' in stop;

/** Writes the short form out. */
export const writeOutStop = (
  stop: StopChoice = {},
): StopOptions & { readonly rules: readonly StopRule[] } => {
  const { rules = [], ...rest }: StopOptions = isShort(stop) ? { rules: stop } : stop;
  return { ...rest, rules: [rules].flat() };
};
