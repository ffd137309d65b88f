import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { NamedProperty } from './named-property.ts';
import { nameable } from './named-property.ts';
import { checkNamed } from './own-property.ts';

/** The view of an invariant, after each event. */
export interface InvariantView {
  readonly event: RuntimeEvent;
  /** By address, the state of each agent as its `reduce` made it, as far as the run changed it. */
  readonly states: Readonly<Record<string, JsonObject>>;
}

/** A statement that has to hold after every event: about the event, and the states of all agents. */
export const invariant = (name: string, holds: (view: InvariantView) => boolean): NamedProperty => {
  checkNamed({ name, holds }, 'holds');
  return nameable({
    name,
    initial: { states: {}, isBroken: false },
    next: (state, event) => {
      const { states, isBroken } = readState(state);
      if (isBroken) return state;
      const after = statesAfter(states, event);
      if (verdictOf(holds({ event, states: after }), name))
        return after === states ? state : { states: after, isBroken };
      return { states: after, isBroken: true };
    },
    violation: (state) => (readState(state).isBroken ? 'it does not hold any more' : undefined),
  });
};

const verdictOf = (said: unknown, name: string): boolean => {
  if (typeof said === 'boolean') return said;
  if (isThenable(said)) said.then(undefined, () => undefined);
  throw new TroupeError(
    'policy.invalid',
    `Cannot tell whether '${name}' holds as its function returned neither true nor false: ${foundText(said)}`,
  );
};

type States = Readonly<Record<string, JsonObject>>;

const readState = (state: Json): { readonly states: States; readonly isBroken: boolean } => {
  if (!isJsonObject(state) || !isJsonObject(state['states'])) return { states: {}, isBroken: false };
  const states = Object.entries(state['states']).filter((entry): entry is [string, JsonObject] =>
    isJsonObject(entry[1]),
  );
  return { states: Object.fromEntries(states), isBroken: state['isBroken'] === true };
};

const statesAfter = (states: States, event: RuntimeEvent): States => {
  if (event.type !== 'agent.reduced') return states;
  const changes = Object.entries(event.diff);
  if (changes.length === 0) return states;
  const state: Record<string, Json> = {};
  for (const [key, value] of Object.entries(states[event.path] ?? {}))
    if (value !== undefined) state[key] = value;
  for (const [key, { after }] of changes)
    if (after === undefined) delete state[key];
    else state[key] = after;
  return { ...states, [event.path]: state };
};
