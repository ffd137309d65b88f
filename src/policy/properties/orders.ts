import { speakingOf } from './property-choices.ts';
import type { Property } from '../../contracts/properties/property.ts';
import type { EventChoice } from './event-pattern.ts';
import { eventTest, wordsOf } from './event-pattern.ts';
import { checkChoice } from './pattern-schema.ts';
import type { NamedProperty } from './named-property.ts';
import { nameable } from './named-property.ts';

/** Options of an order. */
export interface OrderOptions {
  /** True if one event serves one other: each call needs an approval of its own. Default: one serves all that follow. */
  readonly each?: boolean | undefined;
}

/** A property that something never happens, or only in an order. */
export interface Never extends NamedProperty {
  /** Allows it once the other has happened. */
  before(required: EventChoice, options?: OrderOptions): NamedProperty;
  /** Forbids it once the other has happened, and not before. */
  after(cause: EventChoice): NamedProperty;
}

/** A property that something is followed by something else before the run ends. */
export interface Always {
  eventually(answer: EventChoice, options?: OrderOptions): NamedProperty;
}

/** Forbids an event: at any time, or but for an order. */
export const never = (given: EventChoice): Never => {
  const forbidden = checkChoice(given, 'the property');
  const isForbidden = eventTest(forbidden, 'forbidden');
  const what = wordsOf(forbidden);
  const always: Property = {
    name: `never ${what}`,
    initial: false,
    next: (state, event) => state === true || isForbidden(event),
    violation: (state) => (state === true ? `${what} happened` : undefined),
  };
  const forbidding = Object.freeze({
    ...nameable(always, [forbidden]),
    before: (choice: EventChoice, { each = false }: OrderOptions = {}) => {
      const required = checkChoice(choice, `the property 'never ${what} before'`);
      return nameable(orderOf(isForbidden, eventTest(required, 'required'), what, wordsOf(required), each), [
        forbidden,
        required,
      ]);
    },
    after: (choice: EventChoice) => {
      const cause = checkChoice(choice, `the property 'never ${what} after'`);
      return nameable(taintOf(isForbidden, eventTest(cause, 'forbidden'), what, wordsOf(cause)), [
        forbidden,
        cause,
      ]);
    },
  });
  return speakingOf(forbidding, [forbidden]);
};

/** Requires that an event is followed by another before the run ends. */
export const always = (given: EventChoice): Always => {
  const cause = checkChoice(given, 'the property');
  const isCause = eventTest(cause, 'forbidden');
  const what = wordsOf(cause);
  return {
    eventually: (choice, { each = false } = {}) => {
      const answer = checkChoice(choice, `the property 'always ${what} eventually'`);
      const isAnswer = eventTest(answer, 'required');
      const awaited = wordsOf(answer);
      return nameable(
        {
          name: `always ${what} eventually ${awaited}`,
          initial: 0,
          next: (state, event) => {
            const open = numberIn(state);
            const left = isAnswer(event) ? (each ? Math.max(0, open - 1) : 0) : open;
            return isCause(event) ? (each ? left + 1 : 1) : left;
          },
          violation: (state, isOver) =>
            isOver && state !== 0
              ? `the run ended before ${awaited}, which has to follow ${what}`
              : undefined,
        },
        [cause, answer],
      );
    },
  };
};

type Test = (event: Parameters<Property['next']>[1]) => boolean;

/** The number of events that are allowed, or 'violated'; Infinity does not exist in JSON. */
const orderOf = (
  isForbidden: Test,
  isRequired: Test,
  what: string,
  required: string,
  each: boolean,
): Property => ({
  name: `never ${what} before ${required}${each ? ' each time' : ''}`,
  initial: 0,
  next: (state, event) => {
    if (state === VIOLATED) return state;
    const allowed = numberIn(state);
    // What it requires must have happened before, not be the same event.
    if (isForbidden(event)) return allowed === 0 ? VIOLATED : each ? allowed - 1 : allowed;
    return isRequired(event) ? (each ? allowed + 1 : 1) : state;
  },
  violation: (state) =>
    state === VIOLATED ? `${what} happened before ${required}${each ? ' of its own' : ''}` : undefined,
});

const taintOf = (isForbidden: Test, isCause: Test, what: string, cause: string): Property => ({
  name: `never ${what} after ${cause}`,
  initial: false,
  next: (state, event) => {
    if (state === VIOLATED) return state;
    if (state === true && isForbidden(event)) return VIOLATED;
    return state === true || isCause(event);
  },
  violation: (state) => (state === VIOLATED ? `${what} happened after ${cause}` : undefined),
});

const VIOLATED = 'violated';

const numberIn = (state: unknown): number => (typeof state === 'number' ? state : 0);
