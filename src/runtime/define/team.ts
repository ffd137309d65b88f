import type { AnyStateMachine } from 'xstate';
import type { Agent } from '../../contracts/agent.ts';
import type { Allotment, Budget } from '../../contracts/budget.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Hook } from '../../contracts/event.ts';
import type { Json } from '../../contracts/json.ts';
import { toJson } from '../../contracts/json.ts';
import type { MailboxOptions } from '../../contracts/message.ts';
import type { MemberPolicy, SupervisionPolicy } from '../../contracts/supervision.ts';
import type { TeamInput } from '../../coordination/round/team-context.ts';
import type { SubtreeLimits } from '../../contracts/tree-limits.ts';
import { assertMachine } from '../../machines/check-machine.ts';
import type { Rules } from '../../machines/rules.ts';
import { teamRules } from '../../machines/supervision.ts';
import { checkAllotment } from '../../policy/allotted-limits.ts';
import { budgetLimits } from '../../policy/budget-limits.ts';
import { checkAgentName, checkName } from './define-agent.ts';
import { checkCount } from './check-count.ts';
import { checkMailbox } from './check-mailbox.ts';
import { checkTeam } from './check-team.ts';
import { checkSupervision } from './check-supervision.ts';
import type { Definition } from './definition.ts';
import { definitionOf } from './definition.ts';
import type { EmbeddableAgent } from './face.ts';
import { faceOf } from './face.ts';
import { foundText } from '../../contracts/found-text.ts';
import { checkLimits } from '../limits/tree-limits.ts';

/** Any agent or team, whatever it takes and gives: members are checked by their own schemas when they run. */
export type Member = Pick<Agent, 'name' | 'description' | 'diagram'>;

/** What every team may be given, whatever its pattern. */
export interface TeamSetup {
  readonly name: string;
  readonly description?: string | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /** The most that all members together may use in a run. */
  readonly budget?: Budget | undefined;
  /** How its mailbox is kept. */
  readonly mailbox?: MailboxOptions | undefined;
  /**
   * The parts of the budget that members may use, by role, each time they are engaged: amounts, or shares of what limits the
   * team. One who has used up its part has stopped with a partial result; the team goes on.
   */
  readonly budgets?: Readonly<Record<string, Allotment>> | undefined;
  /** The limits on what is below it, within those of the run. */
  readonly limits?: SubtreeLimits | undefined;
  /** What is done about members that fail. Without it their failure is their reply, and the pattern's to judge. */
  readonly supervision?: SupervisionPolicy | undefined;
  /** The time that a member may take for a task, in ms; then it is stopped, and has failed. Default: as long as it takes. */
  readonly memberTimeMs?: number | undefined;
  /** How this team wants to be treated as a member, if it fails. */
  readonly asMember?: MemberPolicy | undefined;
}

/** What a team of one's own pattern is made of. */
export interface TeamOptions extends TeamSetup {
  /** A machine made with `setupTeam()`, or what makes it when it is needed. */
  readonly machine: AnyStateMachine | (() => AnyStateMachine);
  /** By the names under which the machine engages them. */
  readonly members: Readonly<Record<string, Member>>;
  /** The machine's `context.options`: plain JSON. */
  readonly options: Json;
  /** Pure functions that the machine calls by name. */
  readonly functions?: Rules['functions'];
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
export const team = <Input, Output, State = Json>(
  given: TeamOptions,
): EmbeddableAgent<Input, Output, State> => {
  const name = checkAgentName(given.name, 'a team');
  const machine = typeof given.machine === 'function' ? given.machine() : given.machine;
  assertMachine(machine);
  const owner = `the team '${name}'`;
  checkTeam(given, owner);
  budgetLimits(given.budget, { code: 'team.invalid', owner });
  checkMailbox(given.mailbox, { code: 'team.invalid', owner });
  checkLimits(given.limits, { code: 'team.invalid', owner });
  checkSupervision(given.supervision, 'team.invalid', owner);
  checkSupervision(given.asMember, 'team.invalid', owner);
  const memberTimeMs =
    given.memberTimeMs === undefined
      ? null
      : checkCount(given.memberTimeMs, 1, 'memberTimeMs', { code: 'team.invalid', owner });
  const members = membersOf(name, given.members);
  const wishes = [...members].map(([role, { asMember }]) => [role, asMember] as const);
  const supervision = teamRules(given.supervision, Object.fromEntries(wishes));
  return faceOf({
    name,
    description: given.description ?? '',
    machine,
    rules: { stop: [], functions: given.functions },
    agent: undefined,
    members,
    hooks: given.hooks ?? [],
    budget: given.budget,
    mailbox: given.mailbox,
    limits: given.limits,
    allotments: allotmentsOf(name, given.budgets, members),
    asMember: given.asMember,
    start: (input, { runId, path, at }): TeamInput => ({
      runId,
      path,
      name,
      members: [...members.keys()],
      supervision,
      memberTimeMs,
      at,
      input: toJson(input),
      options: given.options,
    }),
  });
};

/** What every team may be given, of what a pattern was given. */
export const setupOf = ({
  name,
  description,
  hooks,
  budget,
  mailbox,
  budgets,
  limits,
  supervision,
  memberTimeMs,
  asMember,
}: TeamSetup): TeamSetup => ({
  name,
  description,
  hooks,
  budget,
  mailbox,
  budgets,
  limits,
  supervision,
  memberTimeMs,
  asMember,
});

/** The definitions of a team's members, by the names under which they are engaged. */
const membersOf = (team: string, members: TeamOptions['members']): ReadonlyMap<string, Definition> =>
  new Map(
    Object.entries(members).map(([role, member]) => {
      checkName(role, `the team '${team}'`);
      return [role, memberOf(team, role, member)];
    }),
  );

const allotmentsOf = (
  team: string,
  budgets: TeamSetup['budgets'],
  members: ReadonlyMap<string, Definition>,
): Definition['allotments'] => {
  if (budgets === undefined) return undefined;
  for (const [role, part] of Object.entries(budgets)) {
    checkAllotment(part, { code: 'team.invalid', owner: `the team '${team}'` });
    if (!members.has(role))
      throw new TroupeError(
        'team.invalid',
        `Cannot define the team '${team}' as it gives a budget to '${role}', who is no member: ${[...members.keys()].join(', ')}`,
      );
  }
  return new Map(Object.entries(budgets));
};

/** What every member is good for, by role. */
export const descriptionsOf = (
  team: string,
  members: TeamOptions['members'],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(members).map(([role, member]) => [role, memberOf(team, role, member).description]),
  );

/** What a member stands for. */
export const memberOf = (team: string, role: string, member: Member): Definition => {
  const definition = definitionOf(member);
  if (definition !== undefined) return definition;
  throw new TroupeError(
    'team.invalid',
    `Cannot define the team '${team}' as its member '${role}' was not made by agent() or a pattern: found ${foundText(member)}`,
  );
};
