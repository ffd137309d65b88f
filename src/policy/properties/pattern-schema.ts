import type { OptionSchema } from '../../base/schemas/option-schemas.ts';
import {
  aBoolean,
  aFunction,
  aText,
  byName,
  formOr,
  fulfilling,
  isObject,
  oneForm,
  optional,
  optionsSchema,
  together,
} from '../../base/schemas/option-schemas.ts';
import { onDemand } from '../../base/on-demand.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import { argumentSchema, globs } from '../permissions/policy-schema.ts';
import type { EventChoice, EventPattern } from './event-pattern.ts';
import { isEventType, wordsOf } from './event-pattern.ts';

/** Checks what a property speaks of, and returns it. @throws {TroupeError} `policy.invalid` */
export const checkChoice = (given: EventChoice, owner: string): EventChoice => {
  checkOptions(schema(), { event: given }, { code: 'policy.invalid', owner });
  return typeof given === 'object' ? structuredClone(given) : given;
};

/** Checks a whole number of times. @throws {TroupeError} `policy.invalid` */
export const checkCount = (count: number, owner: string): void => {
  checkOptions(countSchema(), { count }, { code: 'policy.invalid', owner });
};

const schema = onDemand(() =>
  optionsSchema<{ event: EventChoice }>({
    event: oneForm((given) => {
      if (typeof given === 'function') return aFunction();
      return isObject(given) ? patternSchema() : aText(1);
    }),
  }),
);

const countSchema = onDemand(() =>
  optionsSchema<{ count: number }>({
    count: fulfilling(
      (given) => Number.isSafeInteger(given) && Number(given) >= 0,
      'not a whole number from 0',
    ),
  }),
);

const patternSchema = (): OptionSchema =>
  together<EventPattern>(
    optionsSchema<EventPattern>({
      event: optional(formOr((given) => Array.isArray(given), eventNames(), eventName())),
      tool: globs(),
      agent: globs(),
      path: globs(),
      state: globs(),
      input: optional(byName(argumentSchema())),
      ok: optional(aBoolean()),
    }),
    (pattern) =>
      wordsOf(pattern) === ''
        ? [
            'event',
            'missing, and so is all else: it would be every event, so name a tool, a state or an event',
          ]
        : undefined,
  );

const eventName = (): OptionSchema =>
  fulfilling(
    (given) => typeof given === 'string' && isEventType(given),
    'not a type of event: write one such as tool.approved',
  );

const eventNames = (): OptionSchema =>
  fulfilling(
    (given) =>
      Array.isArray(given) &&
      given.length > 0 &&
      given.every((each) => typeof each === 'string' && isEventType(each)),
    'not a list of types of events: write one such as tool.approved',
  );
