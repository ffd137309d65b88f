import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Json } from '../../contracts/json.ts';
import type { ChatTurn } from '../../coordination/group-chat.ts';
import { groupChatMachine, MODERATOR, NEXT_SPEAKER } from '../../coordination/group-chat.ts';
import { checkCount } from '../check-count.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { setupOf, team } from '../team.ts';
import type { RoleOptions } from './role-of.ts';
import { roleOf } from './role-of.ts';

export type { ChatTurn };

/** Pure: who speaks next, given all turns so far; null when all is said. */
export type NextSpeaker = (turns: readonly ChatTurn[], topic: Json) => string | null;

/** Who talks to whom. */
export interface GroupChatSetup extends TeamSetup {
  /** By name; at least two, none of them called `moderator`. Their descriptions tell the moderator who they are. */
  readonly speakers: Readonly<Record<string, Agent<string, unknown>>>;
  /**
   * Who says who speaks next: `turns`, one after the other (default); a pure function; an agent or a team as it is, or the options of an
   * agent that is made for it. It answers `{ next }`, or `{ next: null, conclusion }`.
   */
  readonly moderator?: 'turns' | NextSpeaker | Member | RoleOptions | undefined;
  /** Default 20. */
  readonly maxTurns?: number | undefined;
}

/**
 * A group chat: one conversation that all read, in which one at a time speaks.
 *
 * A speaker that answers `PASS` said nothing; one that fails is not there this time, and the others go on. It ends with the moderator's
 * conclusion; where speakers take turns, with all that was said, after `maxTurns` or when a whole round has passed. A moderator that never comes to
 * an end is stopped by `maxTurns`, with the conversation as the candidate.
 *
 * Not where one has to be right: in a long conversation all come to agree with who speaks first; let them answer alone (`ensemble`, `consensus`).
 * Each turn sends the whole conversation again: it costs the square of its length.
 *
 * @example
 * const meeting = groupChat({ name: 'meeting', speakers: { engineer, designer }, moderator: { instructions: 'Keep it short.' } });
 * const { output, state } = await meeting.run('What shall we build next?');
 *
 * @throws {TroupeError} `team.invalid` for less than two speakers, one called `moderator` or that is no agent, or a number that
 * bounds nothing.
 */
export const groupChat = (
  setup: GroupChatSetup,
): EmbeddableAgent<string, string, { readonly turns: readonly ChatTurn[] }> => {
  const { name, speakers, moderator = 'turns', maxTurns = 20 } = setup;
  const names = Object.keys(speakers);
  if (names.length < 2 || names.includes(MODERATOR))
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${name}' as it needs two speakers at least, none of them called '${MODERATOR}': found ${names.join(', ') || 'none'}`,
    );
  const isFunction = typeof moderator === 'function';
  const isAgent = !isFunction && moderator !== 'turns';
  const role = {
    team: name,
    role: MODERATOR,
    instructions:
      'You moderate a conversation. You do not take part in it: you say who speaks next, and when all is said.',
  };
  return team({
    ...setupOf(setup),
    machine: groupChatMachine,
    members: isAgent ? { ...speakers, [MODERATOR]: roleOf(moderator, role) } : speakers,
    // The machine hands it the turns that it made itself.
    ...(isFunction
      ? {
          functions: {
            [NEXT_SPEAKER]: (turns: Json = [], topic: Json = null) =>
              moderator(turns as readonly ChatTurn[], topic),
          },
        }
      : {}),
    options: {
      speakers: Object.fromEntries(
        Object.entries(speakers).map(([who, { description }]) => [who, description]),
      ),
      moderation: isAgent ? 'agent' : isFunction ? 'function' : 'turns',
      maxTurns: checkCount(maxTurns, 1, 'maxTurns', { code: 'team.invalid', owner: `the team '${name}'` }),
    },
  });
};
