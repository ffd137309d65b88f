import type { Json } from '../../base/json/json.ts';
import { oddValueIn, problemOfOdd } from '../../base/json/odd-value.ts';
import { aFunction, aText, anything, optionsSchema } from '../../base/schemas/option-schemas.ts';
import { onDemand } from '../../base/on-demand.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Property } from '../../contracts/properties/property.ts';
import type { NamedProperty } from './named-property.ts';
import { nameable } from './named-property.ts';

/** An automaton of an app's own. */
export interface OwnProperty<State extends Json> {
  readonly name: string;
  readonly initial: State;
  /** The state after an event: plain JSON, from the arguments alone. */
  next(state: State, event: RuntimeEvent): State;
  violation(state: State, isOver: boolean): string | undefined;
}

/** Makes a property of an automaton of an app's own, whose states and verdicts are checked. */
export const ownProperty = <State extends Json>(given: OwnProperty<State>): NamedProperty => {
  checkOptions(automatonSchema(), given, { code: 'policy.invalid', owner: 'the property' });
  // Its own states come back to it, and no others.
  const own: Property = given;
  const { name } = own;
  return nameable({
    name,
    initial: asPlain(own.initial, `the \`initial\` of '${name}'`),
    next: (state, event) => {
      const after: unknown = own.next(state, event);
      return after === state ? state : asPlain(after, `the state of '${name}' after ${event.type}`);
    },
    violation: (state, isOver) => {
      const said: unknown = own.violation(state, isOver);
      if (said === undefined || typeof said === 'string') return said;
      throw new TroupeError(
        'policy.invalid',
        `Cannot judge '${name}' as its \`violation\` returned neither a text nor nothing: ${foundText(said)}`,
      );
    },
  });
};

/** Checks a property that is a name and a function. @throws {TroupeError} `policy.invalid` */
export const checkNamed = (
  given: { readonly name: string; readonly holds: unknown },
  option: 'holds',
): void => {
  checkOptions(
    holdsSchema(),
    { name: given.name, [option]: given.holds },
    { code: 'policy.invalid', owner: 'the invariant' },
  );
};

const holdsSchema = onDemand(() =>
  optionsSchema<{ name: string; holds: unknown }>({ name: aText(1), holds: aFunction() }),
);

const automatonSchema = onDemand(() =>
  optionsSchema<OwnProperty<Json>>({
    name: aText(1),
    initial: anything(),
    next: aFunction(),
    violation: aFunction(),
  }),
);

const asPlain = (value: unknown, what: string): Json => {
  const odd = value === undefined ? { found: 'undefined', at: 'it' } : oddValueIn(value, 'it');
  // Looked through: it is JSON.
  if (odd === undefined) return value as Json;
  throw new TroupeError('policy.invalid', `Cannot use ${what} as ${odd.at} is ${problemOfOdd(odd)}`);
};
