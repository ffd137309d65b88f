import { oddValueIn } from '../../base/json/odd-value.ts';
import type { OptionSchema } from '../../base/schemas/option-schemas.ts';
import {
  aBoolean,
  aFunction,
  aText,
  byName,
  formOr,
  fulfilling,
  isObject,
  listOf,
  objectWith,
  oneForm,
  oneOf,
  optional,
  optionsSchema,
  together,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { DAYS, isDate, isTimeOfDay, isZone } from './between.ts';
import type { FileChecks } from './file-checks.ts';
import type { PolicyOptions } from './policy-options.ts';
import { modes } from './policy-options.ts';
import type { Between, PolicyRule } from './rule.ts';

/** A text or texts; an empty list matches nothing. */
export const globs = (): OptionSchema => oneOrMany(aText(1));

const oneOrMany = (item: OptionSchema): OptionSchema =>
  optional(formOr((given) => Array.isArray(given), aFilledList(item), item));

const aFilledList = (item: OptionSchema): OptionSchema =>
  formOr((given) => Array.isArray(given) && given.length === 0, nothing(), listOf(item));

const nothing = (): OptionSchema =>
  fulfilling(() => false, 'not a list that anything matches: leave it out, or name what it matches');

const aPlainNumber = () => optional(fulfilling((given) => Number.isFinite(given), 'not a number'));

/** A test of one argument. */
export const argumentSchema = (): OptionSchema =>
  oneForm((given) => {
    if (typeof given === 'string') return aText();
    if (isObject(given) && 'in' in given) return optionsSchema<{ in: unknown }>({ in: values() });
    return together<{ from?: number; to?: number }>(
      optionsSchema<{ from?: number; to?: number }>({ from: aPlainNumber(), to: aPlainNumber() }),
      ({ from = -Infinity, to = Infinity }) =>
        from > to ? ['to', 'below its `from`: nothing matches it'] : undefined,
    );
  });

const values = (): OptionSchema =>
  fulfilling(
    (given) => Array.isArray(given) && given.length > 0 && oddValueIn(given, '') === undefined,
    'not a list of plain values: write [ … ]',
  );

const betweenSchema = (): OptionSchema =>
  together<Between>(
    optionsSchema<Between>({
      from: optional(fulfilling(isTimeOfDay, 'not a time of day: write HH:MM')),
      to: optional(fulfilling(isTimeOfDay, 'not a time of day: write HH:MM')),
      days: optional(aFilledList(oneOf(DAYS))),
      since: optional(fulfilling(isDate, 'not a day: write YYYY-MM-DD')),
      until: optional(fulfilling(isDate, 'not a day: write YYYY-MM-DD')),
      zone: optional(fulfilling(isZone, 'not a time zone: write one such as Europe/Paris')),
    }),
    ({ from = '00:00', to = '24:00', since, until }) => {
      if (from === to) return ['to', 'its `from`: nothing matches it'];
      const isOver = since !== undefined && until !== undefined && since > until;
      return isOver ? ['until', 'before its `since`: nothing matches it'] : undefined;
    },
  );

const ruleSchema = (): OptionSchema =>
  together<PolicyRule>(
    optionsSchema<PolicyRule>({
      name: aText(1),
      effect: oneOf(['allow', 'ask', 'deny']),
      reason: optional(aText(1)),
      tool: globs(),
      agent: globs(),
      role: globs(),
      path: globs(),
      safety: oneOrMany(oneOf(['read', 'write', 'danger'])),
      tags: globs(),
      input: optional(byName(argumentSchema())),
      environment: globs(),
      after: globs(),
      between: optional(betweenSchema()),
      by: optional(aText(1)),
      approvals: optional(wholeNumber(1)),
      expireAfterMs: optional(wholeNumber(1)),
    }),
    (rule) => {
      const forPeople = (['by', 'approvals', 'expireAfterMs'] as const).find(
        (each) => rule[each] !== undefined,
      );
      return rule.effect === 'ask' || forPeople === undefined
        ? undefined
        : [forPeople, 'for a rule that asks alone'];
    },
  );

/** Checks the options of a policy. @throws {TroupeError} `policy.invalid` */
export const checkPolicy = optionsCheck<PolicyOptions>(
  { code: 'policy.invalid', owner: 'the policy' },
  () => ({
    mode: optional(oneOf(modes)),
    lead: optional(aText(1)),
    otherwise: optional(oneOf(['deny'])),
    rules: optional(listOf(formOr((given) => typeof given === 'function', aFunction(), ruleSchema()))),
    properties: optional(
      listOf(
        objectWith(['next', 'violation'], 'not a property: make it by `property` of troupe/policy'),
        'not a list of properties',
      ),
    ),
    files: optional(optionsSchema<FileChecks>({ readFirst: optional(aBoolean()), protect: globs() })),
  }),
);
