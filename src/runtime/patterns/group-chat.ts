import type { Agent } from '../../contracts/agent.ts';
import type { Json } from '../../contracts/json.ts';
import { groupChatMachine } from '../../coordination/group-chat.ts';
import type { ChatTurn, GroupChatState } from '../../coordination/state/group-chat-talk.ts';
import { MODERATOR, NEXT_SPEAKER } from '../../coordination/state/group-chat-talk.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { TeamSetup } from '../define/team.ts';
import { descriptionsOf, setupOf, team } from '../define/team.ts';
import { checkSetup } from './setup/check-setup.ts';
import { listenersOf } from './setup/listeners-of.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';

export type { ChatTurn, GroupChatState };

/** Pure: who speaks next, given all turns so far; null when all is said. */
export type NextSpeaker = (turns: readonly ChatTurn[], topic: Json) => string | null;

/** Who talks to whom. */
export interface GroupChatSetup extends TeamSetup {
  /** By name; at least two, none of them called `moderator`. Their descriptions tell the moderator who they are. */
  readonly members: Readonly<Record<string, Agent<string, unknown>>>;
  /**
   * Who says who speaks next: `turns`, one after the other (default); a pure function; or somebody who is asked each time, and
   * answers `{ next }`, or `{ next: null, conclusion }`.
   */
  readonly moderator?: 'turns' | NextSpeaker | Role | undefined;
  /** Rounds, in each of which one speaks. Default 20. */
  readonly maxRounds?: number | undefined;
}

/**
 * A group chat: one conversation that all read, in which one at a time speaks.
 *
 * Each speaker has the conversation as its own: what it said is the assistant's, what was said since it spoke last stands in one block, and its
 * input is what it answers. A team or a person reads all of it as one text.
 *
 * A speaker that answers `PASS` said nothing; one that fails is not there this time, and the others go on. It ends with the moderator's
 * conclusion; where speakers take turns, with all that was said, after `maxRounds` or when a whole round has passed. A moderator that never comes to
 * an end is stopped by `maxRounds`, with the conversation as the candidate.
 *
 * Not where one has to be right: in a long conversation all come to agree with who speaks first; let them answer alone (`ensemble`, `consensus`).
 * Each turn sends the whole conversation again: it costs the square of its length.
 *
 * @example
 * const meeting = groupChat({ name: 'meeting', members: { engineer, designer }, moderator: { instructions: 'Keep it short.' } });
 * const { output, state } = await meeting.run('What shall we build next?');
 *
 * @throws {TroupeError} `team.invalid` for less than two members, one called `moderator` or that is no agent, or a number that
 * bounds nothing.
 */
export const groupChat = (setup: GroupChatSetup): EmbeddableAgent<string, string, GroupChatState> => {
  const check = checkSetup(setup);
  const { name, members, moderator = 'turns' } = setup;
  check.asked('members', members, { least: 2, reserved: [MODERATOR] });
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
    members: isAgent ? { ...members, [MODERATOR]: roleOf(moderator, role) } : members,
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
      members: descriptionsOf(name, members),
      listeners: listenersOf(name, members),
      moderation: isAgent ? 'agent' : isFunction ? 'function' : 'turns',
      maxRounds: check.count('maxRounds', setup.maxRounds, 20),
    },
  });
};
