import { isPerson } from '../../runtime/define/person-member.ts';
import type { Member } from '../../runtime/define/team.ts';
import { memberOf } from '../../runtime/define/team.ts';

/** The members with their own conversation: agents. A team or a person is sent everything as its input. */
export const listenersOf = (team: string, members: Readonly<Record<string, Member>>): readonly string[] =>
  Object.entries(members).flatMap(([role, member]) =>
    memberOf(team, role, member).agent === undefined || isPerson(member) ? [] : [role],
  );
