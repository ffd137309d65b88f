import type { Ending, LoopLimits, WrapUp } from '../contracts/agents/ending.ts';
import type { Json } from '../base/json/json.ts';
import { freezeJson } from '../base/json/freeze-json.ts';
import { oddValueIn } from '../base/json/odd-value.ts';
import type { ReduceView } from '../contracts/agents/agent.ts';
import type { Checked } from '../base/schemas/schema.ts';
import type { StopRule, StopView } from '../contracts/agents/stop-rule.ts';
import type { ToolResult } from '../contracts/tools/tool-result.ts';

/**
 * The synchronous, pure functions of a definition, which a machine calls while it moves.
 *
 * All agents share one machine object, and a context is plain JSON, so neither can hold an agent's rules. Instead they are set for the
 * duration of one transition, by the code that moves the machine.
 *
 * I1 Only reducers call rules; guards read the context, so `can` on a snapshot needs no rules.
 * I2 A transition is synchronous, so the rules of two agents are never set at once.
 */
export interface Rules {
  readonly reduce?: ((view: ReduceView) => Json) | undefined;
  /** The phase of the work shown by a step's results; undefined if unchanged. */
  readonly phaseOf?: ((results: readonly ToolResult[]) => string | undefined) | undefined;
  readonly shouldStop?: ((view: StopView) => string | boolean | undefined) | undefined;
  readonly stop: readonly StopRule[];
  /** Default: an answer without calls ends the work. */
  readonly ends?: Ending | undefined;
  /** Parses an answer that an ending policy takes from elsewhere than the model's answer. */
  readonly checkOutput?: ((answer: Json) => Checked<Json> | Promise<Checked<Json>>) | undefined;
  /** Without it loops are not detected. */
  readonly loops?: LoopLimits | undefined;
  /** Without it the run stops at limits without wrapping up. */
  readonly wrapUp?: WrapUp | undefined;
  /** Pure functions that a team's machine calls by name. */
  readonly functions?: Readonly<Record<string, (...values: readonly Json[]) => Json>> | undefined;
}

/** Returns a rule's result; refuses a promise, as a machine cannot wait. */
export const atOnce = <T>(said: T): T => {
  if (typeof said !== 'object' || said === null || !('then' in said)) return said;
  // Its rejection is ignored, as the run fails anyway.
  Promise.resolve(said).catch(() => undefined);
  throw new TypeError('it returned a promise, and has to answer at once');
};

/**
 * Freezes the result of a rule, so that it cannot be changed later. Values that are not plain JSON are refused, as they would not survive
 * storage.
 */
export const plain = (made: Json, before: Json | undefined, what: string): Json => {
  const odd = oddValueIn(made, what, before);
  if (odd === undefined) return freezeJson(made, before);
  throw new TypeError(`it returned a ${what} that is not plain JSON: ${odd.found} at ${odd.at}`);
};
