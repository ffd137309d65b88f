import type { OptionSchema } from '../../base/schemas/option-schemas.ts';
import { anything, optionsSchema } from '../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import type { Member } from '../../runtime/define/team.ts';
import { definitionOf } from '../../runtime/define/definition.ts';
import { memberOf } from '../../runtime/define/team.ts';
import { isRecord } from '../../base/json/is-record.ts';

/**
 * A member that was given as it is, or as the `agent` of an object that says more of it, by these options; and what more there is.
 *
 * @throws {TroupeError} `team.invalid` for what is neither, and for an option that there is not, with the nearest name.
 */
export const memberWith = <More extends object>(
  team: string,
  role: string,
  given: Member | (More & { readonly agent: Member }),
  options: readonly (keyof More & string)[],
): readonly [agent: Member, more: Partial<More>] => {
  const saysMore = isMore(given);
  memberOf(team, role, saysMore ? given.agent : given);
  if (!saysMore) return [given, {}];
  checkKeys(given, ['agent', ...options], `${role} of the team '${team}'`);
  return [given.agent, given];
};

/**
 * Checks that an object has no option beside these.
 *
 * @throws {TroupeError} `team.invalid` with the nearest name.
 */
export const checkKeys = (given: object, options: readonly string[], owner: string): void => {
  checkOptions(schemaOf(options), given, { code: 'team.invalid', owner });
};

const schemaOf = (options: readonly string[]): OptionSchema =>
  optionsSchema<Record<string, unknown>>(
    Object.fromEntries(options.map((option) => [option, anything()] as const)),
  );

const isMore = <More extends object>(
  given: Member | (More & { readonly agent: Member }),
): given is More & { readonly agent: Member } =>
  isRecord(given) && definitionOf(given) === undefined && 'agent' in given;
