import type { Ending, LoopLimits, WrapUp } from '../contracts/ending.ts';
import type { Json } from '../contracts/json.ts';
import { freezeJson } from '../contracts/freeze-json.ts';
import { oddValueIn } from '../contracts/odd-value.ts';
import type { ReduceView } from '../contracts/agent.ts';
import type { Checked } from '../contracts/schema.ts';
import type { StopRule, StopView } from '../contracts/stop.ts';
import type { ToolResult } from '../contracts/tool.ts';

/**
 * The synchronous, pure part of a definition: what a machine consults while it moves.
 *
 * All agents share one machine object, and a context is plain JSON, so the rules of the agent at hand can live in
 * neither. They are in force for the length of one transition instead: whoever moves a machine says which.
 *
 * I1  Only reducers consult rules; guards read the context, so asking a snapshot what it could do needs no rules.
 * I2  A transition is synchronous, so no two agents' rules are ever in force at once.
 */
export interface Rules {
  readonly reduce?: ((view: ReduceView) => Json) | undefined;
  /** The phase of the work that the results of a step show; undefined where they show none. */
  readonly phaseOf?: ((results: readonly ToolResult[]) => string | undefined) | undefined;
  readonly shouldStop?: ((view: StopView) => string | boolean | undefined) | undefined;
  readonly stop: readonly StopRule[];
  /** Default: an answer without calls ends the work. */
  readonly ends?: Ending | undefined;
  /** Parses an answer that a policy of ending takes from elsewhere than the model's answer. */
  readonly checkOutput?: ((answer: Json) => Checked<unknown> | Promise<Checked<unknown>>) | undefined;
  /** Without it nobody looks for loops. */
  readonly loops?: LoopLimits | undefined;
  /** Without it limits are met unprepared. */
  readonly wrapUp?: WrapUp | undefined;
  /** Pure functions that a team's machine calls by name. */
  readonly functions?: Readonly<Record<string, (...values: readonly Json[]) => Json>> | undefined;
}

const NO_RULES: Rules = { stop: [] };

let inForce: Rules = NO_RULES;

/** Does `move` while `rules` are in force. */
export const underRules = <T>(rules: Rules, move: () => T): T => {
  const before = inForce;
  inForce = rules;
  try {
    return move();
  } finally {
    inForce = before;
  }
};

/** What a rule said; a promise is refused, as nobody waits inside a machine. */
export const atOnce = <T>(said: T): T => {
  if (typeof said !== 'object' || said === null || !('then' in said)) return said;
  // Its failure is no business of the process: the run fails already.
  Promise.resolve(said).catch(() => undefined);
  throw new TypeError('it returned a promise, and has to answer at once');
};

/**
 * What a rule made of `before`, frozen: changed in place later on it would be another without anybody's knowing. What is no
 * plain JSON is refused, or it would be another when it is read back.
 */
export const plain = (made: Json, before: Json | undefined, what: string): Json => {
  const odd = oddValueIn(made, what, before);
  if (odd === undefined) return freezeJson(made, before);
  throw new TypeError(`it returned a ${what} that is no plain JSON: ${odd.found} at ${odd.at}`);
};

/** The rules of the agent whose machine is moving; empty ones where nobody said. */
export const rulesInForce = (): Rules => inForce;
