import type { AnyStateMachine } from 'xstate';
import {
  aFunction,
  anything,
  byName,
  fulfilling,
  isObject,
  listOf,
  objectLike,
  optional,
} from '../../base/schemas/option-schemas.ts';
import type { Agent } from '../../contracts/agents/agent.ts';
import type { FlowArrow } from '../../machines/diagrams/composition.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { boundedMachine } from '../../coordination/round/bounded-machine.ts';
import type { TeamInput } from '../../coordination/round/team-context.ts';
import { assertMachine } from '../../machines/check-machine.ts';
import type { Rules } from '../../machines/rules.ts';
import { teamRules } from '../../machines/supervision.ts';
import { checkAgentName, checkName } from './define-agent.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { teamShape } from './team-schema.ts';
import type { Definition } from './definition.ts';
import { definitionOf } from './definition.ts';
import type { EmbeddableAgent } from './embeddable-agent.ts';
import { faceOf } from './face.ts';
import type { TeamLimits, TeamSetup } from './team-setup.ts';
import { foundText } from '../../contracts/errors/found-text.ts';

export type { TeamFailures, TeamLimits, TeamSetup } from './team-setup.ts';

/** An agent or team of any input and output: members validate their input when they run. */
export type Member = Pick<Agent, 'name' | 'description' | 'diagram'>;

/** Options of {@link team}. */
export interface TeamOptions extends TeamSetup {
  /** A machine made with `setupTeam()`, or a function that creates it on demand. */
  readonly machine: AnyStateMachine | (() => AnyStateMachine);
  /** By the names under which the machine engages them. */
  readonly members: Readonly<Record<string, Member>>;
  /** The machine's `context.options`: plain JSON. */
  readonly options: Json;
  /**
   * The ways that work takes between the members, for `diagram({ of: 'composition' })`: `[['[*]', 'writer'], ['writer', 'critic', 'drafts']]`. Default:
   * the team asks each of them.
   */
  readonly flow?: readonly FlowArrow[] | undefined;
  /** Pure functions that the machine calls by name. */
  readonly functions?: Rules['functions'];
}

const check = optionsCheck<TeamOptions>({ code: 'team.invalid', owner: 'a team' }, () => ({
  ...teamShape(),
  machine: fulfilling(
    (given) => isObject(given) || typeof given === 'function',
    'not a machine: write one of setupTeam()',
  ),
  members: objectLike({}, 'not an object: write members by name'),
  options: anything(),
  flow: optional(listOf(listOf(anything()))),
  functions: optional(byName(aFunction())),
}));

/**
 * Defines a team with your own pattern: a machine from `setupTeam()`, its members, its options.
 *
 * The result is an agent: it runs, streams, embeds and nests as any other.
 *
 * @example
 * const jury = team<string, string>({ name: 'jury', machine: juryMachine, members: { a, b, c }, options: { quorum: 2 } });
 *
 * @throws {TroupeError} `agent.invalid` for a bad name, `team.invalid` for a member that is no agent, `machine.invalid`
 * for a machine that uses what team machines may not (it lists every problem).
 */
export const team = <Input, Output, State = Json>(
  given: TeamOptions,
): EmbeddableAgent<Input, Output, State> => {
  const name = checkAgentName(given.name, 'a team');
  check(given, `the team '${name}'`);
  const machine = boundedMachine(typeof given.machine === 'function' ? given.machine() : given.machine);
  assertMachine(machine);
  const { limits = {}, failures = {} } = given;
  const members = membersOf(name, given.members);
  const wishes = [...members].map(([role, { asMember }]) => [role, asMember] as const);
  const supervision = teamRules(failures.supervision, Object.fromEntries(wishes));
  return faceOf({
    name,
    description: given.description ?? '',
    machine,
    rules: { stop: [], functions: given.functions },
    agent: undefined,
    members,
    flow: given.flow === undefined ? undefined : { arrows: given.flow },
    hooks: given.hooks ?? [],
    budget: limits.budget,
    mailbox: given.mailbox,
    limits,
    allotments: allotmentsOf(name, limits.budgets, members),
    asMember: failures.asMember,
    start: (input, { runId, path, at }): TeamInput => ({
      runId,
      path,
      name,
      members: [...members.keys()],
      supervision,
      memberTimeMs: limits.memberTimeMs ?? null,
      at,
      input: toJson(input),
      options: given.options,
    }),
  });
};

/** The shared team options among a pattern's options. */
export const setupOf = ({ name, description, hooks, mailbox, limits, failures }: TeamSetup): TeamSetup => ({
  name,
  description,
  hooks,
  mailbox,
  limits,
  failures,
});

/** Definitions of a team's members, by the names under which they are engaged. */
const membersOf = (team: string, members: TeamOptions['members']): ReadonlyMap<string, Definition> =>
  new Map(
    Object.entries(members).map(([role, member]) => {
      checkName(role, `the team '${team}'`);
      return [role, memberOf(team, role, member)];
    }),
  );

const allotmentsOf = (
  team: string,
  budgets: TeamLimits['budgets'],
  members: ReadonlyMap<string, Definition>,
): Definition['allotments'] => {
  if (budgets === undefined) return undefined;
  for (const role of Object.keys(budgets)) {
    if (!members.has(role))
      throw new TroupeError(
        'team.invalid',
        `Cannot define the team '${team}' as it gives a budget to '${role}', who is no member: ${[...members.keys()].join(', ')}`,
      );
  }
  return new Map(Object.entries(budgets));
};

/** Descriptions of the members, by role. */
export const descriptionsOf = (
  team: string,
  members: TeamOptions['members'],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(members).map(([role, member]) => [role, memberOf(team, role, member).description]),
  );

/** The definition of a member. */
export const memberOf = (team: string, role: string, member: Member): Definition => {
  const definition = definitionOf(member);
  if (definition !== undefined) return definition;
  throw new TroupeError(
    'team.invalid',
    `Cannot define the team '${team}' as its member '${role}' was not made by agent() or a pattern: found ${foundText(member)}`,
  );
};
