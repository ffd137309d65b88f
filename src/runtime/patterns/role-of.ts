import type { z } from 'zod';
import type { AgentOptions } from '../../contracts/agent.ts';
import { agent } from '../agent.ts';
import { definitionOf } from '../definition.ts';
import type { Member } from '../team.ts';

/** An agent that a pattern needs for a role of its own: its options, but for what the pattern decides. */
export type RoleOptions = Omit<AgentOptions, 'name' | 'input' | 'output' | 'prompt'> & {
  /** Default: the name of the team and the role. */
  readonly name?: string | undefined;
};

/** What a role is unless it is said otherwise. */
export interface RoleDefaults {
  readonly team: string;
  readonly role: string;
  /** Stand before the instructions that are given. */
  readonly instructions?: string | undefined;
  readonly output?: z.ZodType | undefined;
}

/** Who plays a role: an agent or a team of the caller's as it is, or an agent made of options, whose answers have to fit the role. */
export const roleOf = (
  given: Member | RoleOptions,
  { team, role, instructions = '', output }: RoleDefaults,
): Member => {
  if (isMember(given)) return given;
  const said = [instructions, given.instructions ?? ''].join('\n\n').trim();
  return agent({ ...given, name: given.name ?? `${team}-${role}`, instructions: said, output });
};

/** Whether it is an agent or a team already; what only looks like one is the team's to refuse. */
export const isMember = (given: Member | RoleOptions): given is Member =>
  definitionOf(given) !== undefined || 'diagram' in given;
