import { atMost, within } from './bounds.ts';
import { invariant } from './invariant.ts';
import { always, never } from './orders.ts';
import { ownProperty } from './own-property.ts';

/**
 * Makes properties: statements about a whole run, with all its agents. The same object is proven by `verify` of `troupe/testing` before a run,
 * enforced by `policy({ properties })` during it, and audited by `verify` over a store after it.
 *
 * An event is named by its type (`tool.approved`), else by the tool whose call starts (`pay`); by a pattern of these, agents, states
 * and arguments; or by a function. A call is refused before it starts, a model before it is asked.
 *
 * - `never(A)`, `never(A).before(B)`, `never(A).after(B)`: at no time, not until B, not once B has happened.
 * - `always(A).eventually(B)`: after A, B happens before the run ends.
 * - `atMost(n, A)`, `within({ usd, tokens, steps, toolCalls, modelCalls })`: bounds of a whole run.
 * - `invariant(name, holds)`: holds after every event, with the states of all agents.
 * - `property({ name, initial, next, violation })`: an automaton of your own, whose state is plain JSON.
 *
 * @example
 * const { never, always, atMost } = property;
 * const rules = [
 *   never('pay').before({ event: 'tool.approved', tool: 'pay' }, { each: true }),
 *   always('person.asked').eventually('person.answered'),
 *   atMost(3, 'search').nameable('three-searches'),
 * ];
 *
 * @throws {TroupeError} `policy.invalid` for what is no event, count or amount.
 */
export const property = Object.freeze(
  Object.assign(ownProperty, { never, always, atMost, within, invariant }),
);
