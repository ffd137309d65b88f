import type { Output } from './outputs.ts';
import type { Rules } from './rules.ts';

const NO_RULES: Rules = { stop: [] };

let rules: Rules = NO_RULES;
let outputs: Output[] | undefined;

/**
 * Runs `move` with the rules of its definition, and adds its outputs to `into`.
 *
 * A transition is synchronous, so those of two machines are never in force at once.
 */
export const moveUnder = <T>(given: Rules, into: Output[], move: () => T): T => {
  const before = [rules, outputs] as const;
  rules = given;
  outputs = into;
  try {
    return move();
  } finally {
    [rules, outputs] = before;
  }
};

/** The rules of the moving machine; empty outside of a move. */
export const rulesInForce = (): Rules => rules;

/** Adds an output to those of the current move; outside of any, as in a bare machine, it is dropped. */
export const put = (output: Output): void => {
  outputs?.push(output);
};
