import type { Json } from '../../base/json/json.ts';
import type { ToolResult } from '../tools/tool-result.ts';
import type { TakenDecision } from './decision.ts';
import type { StopReason } from './stop-reason.ts';
import type { Tally } from './tally.ts';

/** A run, as a stop rule sees it at CHECK_STOP. */
export interface StopView {
  /** Steps completed. */
  readonly step: number;
  readonly state: Json;
  readonly tally: Tally;
  readonly decision: TakenDecision | undefined;
  readonly results: readonly ToolResult[];
}

/** A time limit that holds even while work is in flight. */
export interface Deadline {
  /** In ms since the agent started; past it (`>`) the agent ends. */
  readonly afterMs: number;
  /** The stop reason on expiry. */
  readonly reason: StopReason;
}

/** One reason to stop; compose them with `anyOf` and `allOf`. Synchronous and pure. */
export interface StopRule {
  readonly name: string;
  /** True if it ends every run after some number of steps: then an agent needs no other limit. Default false. */
  readonly limitsSteps?: boolean | undefined;
  /**
   * Ends the agent at that time, even within a step: work in flight is aborted. Default: none, the rule is evaluated
   * after steps.
   */
  readonly deadline?: Deadline | undefined;
  /** `memory` is what `remember` gave just before. */
  check(view: StopView, memory?: Json): StopReason | undefined;
  /**
   * Returns the rule's memory for the next CHECK_STOP, from its last one: plain JSON that must not grow with the run.
   * Anything else fails the run. The memory is frozen.
   */
  remember?(view: StopView, memory: Json | undefined): Json;
  /**
   * Returns the used fraction of its limit, from 0; 1 if the coming step is the last. An agent that wraps up (`limits.wrapUp`)
   * follows the rule nearest to its limit.
   */
  pressure?(view: StopView, memory?: Json): number;
  /** Returns a warning that is sent to the model before the next step. */
  warn?(view: StopView, memory?: Json): string | undefined;
}
