import type { z } from 'zod';
import type { AgentOptions } from '../../contracts/agents/agent.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { agent } from '../../runtime/define/agent.ts';
import { definitionOf } from '../../runtime/define/definition.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { Member } from '../../runtime/define/team.ts';
import { isRecord } from '../../base/json/is-record.ts';

/** An agent that a pattern needs for a role of its own: its options, but for what the pattern decides. */
export type RoleOptions = Omit<AgentOptions, 'name' | 'input' | 'output' | 'prompt'> & {
  /** Default: the name of the team and the role. */
  readonly name?: string | undefined;
};

/** The player of a role: an agent, a team or a person as they are; or the options of an agent, which is made for it. */
export type Role = Member | RoleOptions;

/** The defaults of a role. */
export interface RoleDefaults {
  readonly team: string;
  readonly role: string;
  /** Stand before the instructions that are given. */
  readonly instructions?: string | undefined;
  readonly output?: z.ZodType | undefined;
}

/**
 * Makes the player of a role: a member as it is, or an agent made of options, whose answers have to fit the role.
 *
 * @throws {TroupeError} `team.invalid` for what is neither; for options that are none what `agent` throws.
 */
export const roleOf = (given: Role, { team, role, instructions = '', output }: RoleDefaults): Member => {
  if (!isRecord(given))
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${team}' as its '${role}' is neither an agent nor the options of one: found ${foundText(given)}`,
    );
  if (isMember(given)) return given;
  const said = [instructions, given.instructions ?? ''].join('\n\n').trim();
  return agent({ ...given, name: given.name ?? `${team}-${role}`, instructions: said, output });
};

/** Checks whether it is an agent or a team already; what only looks like one is the team's to refuse. */
export const isMember = (given: Role): given is Member =>
  definitionOf(given) !== undefined || 'diagram' in given;
