import type { Agent } from '../../contracts/agent.ts';
import type { Tool, Toolset } from '../../contracts/tool.ts';
import { orchestratorMachine } from '../../coordination/orchestrator.ts';
import type {
  Completion,
  OrchestratorState,
  OrchestratorTurn,
  PhaseTransition,
} from '../../coordination/state/orchestrator-route.ts';
import { END, ORCHESTRATOR, routeSchema } from '../../coordination/state/orchestrator-route.ts';
import type { PhaseMap } from '../../coordination/state/work-phases.ts';
import { phaseProblems, workPhases } from '../../coordination/state/work-phases.ts';
import type { Definition } from '../define/definition.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { Member, TeamSetup } from '../define/team.ts';
import { descriptionsOf, memberOf, setupOf, team } from '../define/team.ts';
import { isRecord } from '../define/is-record.ts';
import { checkSetup } from './setup/check-setup.ts';
import { listenersOf } from './setup/listeners-of.ts';
import type { RoleOptions } from './setup/role-of.ts';
import { isMember, roleOf } from './setup/role-of.ts';

export type { Completion, OrchestratorState, OrchestratorTurn, PhaseMap, PhaseTransition };
export { workPhases };

/** Who is orchestrated, and by whom. */
export interface OrchestratorSetup extends TeamSetup {
  /** By name, none of them called `orchestrator` or `END`; their descriptions say what they are good for. */
  readonly members: Readonly<Record<string, Agent<string, unknown>>>;
  /** Decides and does nothing: somebody as they are, or the options of an agent, which has no tools. */
  readonly orchestrator: Member | Omit<RoleOptions, 'tools'>;
  /** Which phases may follow which; work begins in the first, or in `start`. Default: {@link workPhases}. */
  readonly phases?: PhaseMap | undefined;
  readonly start?: string | undefined;
  /** Those who may have tools that change things. Default: everybody. */
  readonly mayChange?: readonly string[] | undefined;
  /** `in-order`: the next begins when the one before is through (default). `together`: all at once. */
  readonly targets?: 'in-order' | 'together' | undefined;
  /** Rounds: decisions that are followed. Default 30. */
  readonly maxRounds?: number | undefined;
}

/**
 * A silent orchestrator: after each turn it decides who goes on and in which phase the work is, and it alone ends the conversation, by
 * naming `END`.
 *
 * Its decisions are `{ agents, phase, reason, message }`. One that names nobody who is there, or a phase that may not follow, is pointed out
 * once, then the run fails with `routing.refused`. An agent that fails has completed its turn with its error: the others of the turn go on, and what
 * to make of it is the orchestrator's. The output is what the last agent left that answered, never the orchestrator's own words.
 *
 * Not for work whose order is known: a `pipeline` or a workflow costs no decisions. Not for one task among several specialists: that is a `router`.
 *
 * @example
 * const house = orchestrator({
 *   name: 'house',
 *   members: { planner, executor, verifier },
 *   orchestrator: { instructions: 'Have everything verified before you end.' },
 *   mayChange: ['executor'],
 * });
 * const { output, state } = await house.run('Mend the login page');
 * state.transitions.map(({ from, to }) => `${from} → ${to}`);
 *
 * @throws {TroupeError} `team.invalid` without members, for one that has a name of the pattern's own, that is no agent, or that has tools which
 * change things and may not; for phases that lead nowhere, or a number that bounds nothing.
 */
export const orchestrator = <Output = string>(
  setup: OrchestratorSetup,
): EmbeddableAgent<string, Output, OrchestratorState> => {
  const check = checkSetup(setup);
  const { name, members, phases = workPhases } = setup;
  const names = check.asked('members', members, { reserved: [ORCHESTRATOR, END] });
  const [first = ''] = check.names('phases', phases);
  for (const [phase, next] of Object.entries<unknown>(phases))
    if (!Array.isArray(next)) check.refuse(`the phases after '${phase}' are no list`, next);
  const problems = phaseProblems(phases);
  if (problems.length > 0) check.refuse(`its phases are none to go through: ${problems.join('; ')}`, phases);
  const mayChange = setup.mayChange === undefined ? names : check.texts('mayChange', setup.mayChange);
  for (const [role, member] of Object.entries(members)) {
    const changing = mayChange.includes(role) ? [] : changesOf(memberOf(name, role, member));
    if (changing.length > 0)
      check.refuse(`'${role}' may change nothing (mayChange), and has tools that do`, changing.join(', '));
  }
  const { orchestrator: given } = setup;
  // Cool, as a decision is no place for fancy.
  const decides =
    !isRecord(given) || isMember(given)
      ? given
      : { ...given, settings: { temperature: 0.3, ...given.settings }, tools: [] };
  const role = {
    team: name,
    role: ORCHESTRATOR,
    instructions:
      'You do none of the work and say nothing to anybody: you decide who goes on. After work was executed have it verified, tidied up after and reflected on before you end, unless the request says otherwise.',
    output: routeSchema(),
  };
  const all = { ...members, [ORCHESTRATOR]: roleOf(decides, role) };
  return team({
    ...setupOf(setup),
    machine: orchestratorMachine,
    members: all,
    options: {
      members: descriptionsOf(name, members),
      listeners: listenersOf(name, all),
      phases,
      start: check.word('start', setup.start, first, Object.keys(phases)),
      maxRounds: check.count('maxRounds', setup.maxRounds, 30),
      isParallel: check.word('targets', setup.targets, 'in-order', ['in-order', 'together']) === 'together',
    },
  });
};

/** The tools of a member, and of its members, that do more than read, as far as they are known before it runs. */
const changesOf = ({ agent, members }: Definition): readonly string[] => [
  ...(agent?.tools ?? []).flatMap((item: Tool | Toolset) =>
    ('tools' in item && Array.isArray(item.tools) ? item.tools : [item]).flatMap((each: unknown) =>
      isChanging(each) ? [each.name] : [],
    ),
  ),
  ...[...members.values()].flatMap(changesOf),
];

const isChanging = (item: unknown): item is Tool =>
  typeof item === 'object' && item !== null && 'safety' in item && item.safety !== 'read';
