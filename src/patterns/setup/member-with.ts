import type { Member } from '../../runtime/define/team.ts';
import { definitionOf } from '../../runtime/define/definition.ts';
import { memberOf } from '../../runtime/define/team.ts';
import { isRecord } from '../../base/json/is-record.ts';

/**
 * A member that was given as it is, or as the `agent` of an object that says more of it; and what more there is.
 *
 * @throws {TroupeError} `team.invalid` for what is neither.
 */
export const memberWith = <More extends object>(
  team: string,
  role: string,
  given: Member | (More & { readonly agent: Member }),
): readonly [agent: Member, more: Partial<More>] => {
  const saysMore = isMore(given);
  memberOf(team, role, saysMore ? given.agent : given);
  return saysMore ? [given.agent, given] : [given, {}];
};

const isMore = <More extends object>(
  given: Member | (More & { readonly agent: Member }),
): given is More & { readonly agent: Member } =>
  isRecord(given) && definitionOf(given) === undefined && 'agent' in given;
