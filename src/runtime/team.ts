import type { AnyStateMachine } from 'xstate';
import type { Agent } from '../contracts/agent.ts';
import type { Budget } from '../contracts/budget.ts';
import { messageOf, TroupeError } from '../contracts/error.ts';
import type { Hook } from '../contracts/event.ts';
import type { Json } from '../contracts/json.ts';
import { toJson } from '../contracts/json.ts';
import type { TeamInput } from '../coordination/team-context.ts';
import { assertMachine } from '../machines/check-machine.ts';
import type { Rules } from '../machines/rules.ts';
import { budgetLimits } from '../policy/budget-limits.ts';
import { checkName } from './agent.ts';
import type { Definition, Placement } from './definition.ts';
import { definitionOf } from './definition.ts';
import type { EmbeddableAgent } from './face.ts';
import { faceOf } from './face.ts';

/** Any agent or team, whatever it takes and gives: members are checked by their own schemas when they run. */
export type Member = Pick<Agent, 'name' | 'description' | 'diagram'>;

/** What a team of one's own pattern is made of. */
export interface TeamOptions {
  readonly name: string;
  readonly description?: string | undefined;
  /** A machine made with `setupTeam()`. */
  readonly machine: AnyStateMachine;
  /** By the names under which the machine engages them. */
  readonly members: Readonly<Record<string, Member>>;
  /** The machine's `context.options`: plain JSON. */
  readonly options: Json;
  /** Pure functions that the machine calls by name. */
  readonly functions?: Rules['functions'];
  readonly hooks?: readonly Hook[] | undefined;
  /** The most that all members together may use in a run. */
  readonly budget?: Budget | undefined;
}

/**
 * Makes a team of a pattern of your own: a machine from `setupTeam()`, its members, its options.
 *
 * The result is an agent: it runs, streams, embeds and nests as any other.
 *
 * @example
 * const jury = team<string, string>({ name: 'jury', machine: juryMachine, members: { a, b, c }, options: { quorum: 2 } });
 *
 * @throws {TroupeError} `agent.invalid` for a bad name, `team.invalid` for a member that is no agent, `machine.invalid`
 * for a machine that uses what team machines may not (it lists every problem).
 */
export const team = <Input, Output>(given: TeamOptions): EmbeddableAgent<Input, Output> => {
  const name = checkName(given.name, 'a team');
  assertMachine(given.machine);
  budgetLimits(given.budget, { code: 'team.invalid', owner: `the team '${name}'` });
  return faceOf({
    name,
    description: given.description ?? '',
    machine: given.machine,
    rules: { stop: [], functions: given.functions },
    agent: undefined,
    members: membersOf(name, given.members),
    hooks: given.hooks ?? [],
    budget: given.budget,
    start: (input, placement) => teamInput(name, input, given, placement),
  });
};

/** The definitions of a team's members, by the names under which they are engaged. */
const membersOf = (team: string, members: TeamOptions['members']): ReadonlyMap<string, Definition> =>
  new Map(
    Object.entries(members).map(([role, member]) => {
      checkName(role, `the team '${team}'`);
      return [role, memberOf(team, role, member)];
    }),
  );

/** What a member stands for. */
export const memberOf = (team: string, role: string, member: Member): Definition => {
  const definition = definitionOf(member);
  if (definition !== undefined) return definition;
  throw new TroupeError(
    'team.invalid',
    `Cannot define the team '${team}' as its member '${role}' was not made by agent() or a pattern: ${messageOf(member)}`,
  );
};

const teamInput = (
  name: string,
  input: unknown,
  { options, members }: TeamOptions,
  { runId, path, at }: Placement,
): TeamInput => ({
  runId,
  path,
  name,
  members: Object.keys(members),
  at,
  input: toJson(input),
  options,
});
