import type { Agent } from '../contracts/agents/agent.ts';
import { aText, anything, byName, listOf, oneOf, wholeNumber } from '../base/schemas/option-schemas.ts';
import type { Tool, Toolset } from '../contracts/tools/tool.ts';
import { answeredWith, endedAs, failedWith, stoppedBy } from '../coordination/round/ends.ts';
import { troubleOf } from '../coordination/round/reply-text.ts';
import type { Task } from '../coordination/round/round.ts';
import { placeAt } from '../coordination/round/round.ts';
import { textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import { RUNTIME, callOn } from '../coordination/round/talk.ts';
import type { TeamEnd } from '../coordination/round/team-context.ts';
import { repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import { routingContext } from '../memory/processors/routing-context.ts';
import type { Definition } from '../runtime/define/definition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import { isRecord } from '../base/json/is-record.ts';
import type { Member, TeamSetup } from '../runtime/define/team.ts';
import { descriptionsOf, memberOf } from '../runtime/define/team.ts';
import { listenersOf } from './setup/listeners-of.ts';
import { pattern } from './setup/pattern.ts';
import type { RoleOptions } from './setup/role-of.ts';
import { isMember, roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';
import type {
  Completion,
  OrchestratorContext as Context,
  OrchestratorOwn as Own,
  OrchestratorState,
  OrchestratorTurn,
  Route,
} from './state/orchestrator-route.ts';
import { END, ORCHESTRATOR, readRoute, routeSchema, startOf } from './state/orchestrator-route.ts';
import { callFor, inOneText, listening, routedTurn, utterances } from './state/orchestrator-talk.ts';
import type { PhaseMap } from './state/work-phases.ts';
import { phaseProblems, reworkIn, workPhases } from './state/work-phases.ts';

export { workPhases };

/** The members, and the orchestrator that decides who goes on. */
export interface OrchestratorSetup extends TeamSetup {
  /** By name, none of them called `orchestrator` or `END`; their descriptions say what they are good for. */
  readonly members: Readonly<Record<string, Agent<string, unknown>>>;
  /** Decides and does nothing: an agent, or the options of one, which has no tools. */
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

/** A decision that cannot be followed is pointed out once in a row. */
const MAX_CORRECTIONS = 1;

const HOW_TO_DECIDE = `You are shown the conversation as JSON: decide who goes on, by JSON: {"agents": ["NAME"], "phase": "only if it changes", "reason": "why", "message": "what they have to know"}. {"agents": ["${END}"], …} ends the conversation.`;

/** The orchestrator is shown what was asked and done, as JSON, and nothing of it as its own words. */
const askForRoute = (before: Context): Partial<Context> => {
  const context = listening(before);
  const { options, own, input } = context;
  const shown = JSON.stringify(
    {
      ...routingContext(textOf(input), own.turns.map(routedTurn)),
      ...(own.heard.length === 0 ? {} : { messages: own.heard.map(({ from, text }) => ({ from, text })) }),
      phase: own.phase,
      next_phases: options.phases[own.phase] ?? [],
      agents: options.members,
      ...(own.note === null ? {} : { correction: own.note }),
    },
    null,
    2,
  );
  const task = options.listeners.includes(ORCHESTRATOR)
    ? { input: shown, sees: [{ role: 'user', from: 'runtime', text: HOW_TO_DECIDE } as const] }
    : { input: `${shown}\n\n${HOW_TO_DECIDE}` };
  return { inbox: [], own, ...beginRound(context, [{ member: ORCHESTRATOR, ...task }]) };
};

/** The decision, if it is one and may be followed. */
const checkRoute = (context: Context): Partial<Context> => {
  const { own } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const candidate = own.turns.length === 0 ? {} : { candidate: [...own.turns] };
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: { ...spent, ...candidate } };
  if (reply.status !== 'completed') return { end: { ...endedAs(reply), ...candidate } };
  const read = readRoute(context, reply.output);
  if (typeof read !== 'string') return follow(context, read);
  if (own.corrections < MAX_CORRECTIONS)
    return { own: { ...own, route: null, note: read, corrections: own.corrections + 1 } };
  const message = `Cannot continue '${context.team.name}' as its orchestrator decides again what cannot be followed: ${read}`;
  return { end: { ...failedWith({ code: 'routing.refused', message, retryable: 'no' }), ...candidate } };
};

const follow = (context: Context, route: Route): Partial<Context> => {
  const { own, tally } = context;
  if (route.members.length === 0) return { own: { ...own, route }, end: conversationEnd(own) };
  const { phase: to, members, reason, message } = route;
  const transitions = [...own.transitions, { from: own.phase, to, members, reason, message, at: tally.now }];
  return {
    own: {
      ...own,
      route,
      note: null,
      corrections: 0,
      phase: to,
      phaseStartedAt: to === own.phase ? own.phaseStartedAt : tally.now,
      transitions,
      rework: reworkIn(transitions),
      turns: [...own.turns, { phase: to, members, reason, completions: [] }],
    },
  };
};

/** The end of the conversation: the output of the last that answered, never the orchestrator's own words. */
const conversationEnd = ({ turns }: Own): TeamEnd => {
  const last = turns
    .flatMap(({ completions }) => completions)
    .findLast(({ status }) => status === 'completed');
  if (last !== undefined) return answeredWith(last.output);
  const detail = 'the conversation was ended before anybody had answered';
  return stoppedBy(ORCHESTRATOR, detail, turns.length === 0 ? undefined : [...turns]);
};

/** Each member that is named gets a part of the turn; what it is shown of the conversation is computed when its part begins. */
const openTurn = (before: Context): Partial<Context> => {
  const context = listening(before);
  const { own, options } = context;
  const { route } = own;
  if (route === null) return {};
  const tasks = route.members.map((member): Task => ({ member, input: '', phase: route.phase }));
  const begun = beginRound(context, tasks, { cap: options.isParallel ? tasks.length : 1 });
  return { inbox: [], own, ...briefMembers({ ...context, ...begun }) };
};

/** A part of the turn may be complete, and the next begin, which is shown what was done meanwhile. */
const goOn = (before: Context): Partial<Context> => {
  if (before.round.standing !== 'open' || before.round.starting.length === 0) return {};
  const context = listening({ ...before, own: withCompletions(before) });
  return { inbox: [], own: context.own, ...briefMembers(context) };
};

/** Shows the conversation to the members that start now, each from its own point of view. A restarted one has seen it already. */
const briefMembers = (context: Context): Partial<Context> => {
  const { own, options, round } = context;
  if (own.route === null) return {};
  const said = utterances(context);
  let { cursors } = own;
  let { tasks } = round;
  for (const index of round.starting) {
    const task = tasks[index];
    if (task === undefined || placeAt(round, index)?.restart !== null) continue;
    const { member, note } = task;
    const message = [callFor(own.route), ...(note === undefined ? [] : [note])].join('\n\n');
    if (options.listeners.includes(member)) {
      const answers = (from: string): boolean => !Object.hasOwn(options.members, from) && from !== RUNTIME;
      const called = callOn(said, cursors, { member, message, summary: message, answers });
      tasks = tasks.with(index, { ...task, ...called.briefing });
      ({ cursors } = called);
    } else tasks = tasks.with(index, { ...task, input: inOneText(context, message) });
  }
  return { own: { ...own, cursors }, round: { ...round, tasks } };
};

/** The pattern's own context, with the replies that are in as completions of the open turn. */
const withCompletions = (context: Context): Own => {
  const { own } = context;
  const open = own.turns.at(-1);
  if (open === undefined) return own;
  const completions = repliesOf(context).map((reply): Completion => ({
    member: reply.member,
    status: reply.status,
    output: reply.output,
    error: troubleOf(reply),
  }));
  return { ...own, turns: [...own.turns.slice(0, -1), { ...open, completions }] };
};

/** The turn is closed: everybody who was named has completed it, one way or the other. */
const closeTurn = (context: Context): Partial<Context> => {
  const { options } = context;
  const closed = withCompletions(context);
  const { turns, route } = closed;
  const spent = spentEnd(context);
  if (spent !== undefined) return { own: closed, end: { ...spent, candidate: turns } };
  const gone = nobodyLeft(context, turns);
  if (gone !== undefined) return { own: closed, end: { ...gone, candidate: turns } };
  if (route?.ends === true) return { own: closed, end: conversationEnd(closed) };
  if (turns.length < options.maxRounds) return { own: closed };
  const stopReason = { kind: 'maxRounds', limit: options.maxRounds } as const;
  return { own: closed, end: { status: 'stopped', stopReason, candidate: turns } };
};

/** The end where every agent that there is was asked, and none has ever answered. */
const nobodyLeft = (context: Context, turns: readonly OrchestratorTurn[]): TeamEnd | undefined => {
  const all = turns.flatMap(({ completions }) => completions);
  const isNobody =
    all.every(({ status }) => status !== 'completed') &&
    Object.keys(context.options.members).every((name) => all.some(({ member }) => member === name));
  const failed = isNobody ? repliesOf(context).findLast(({ error }) => error !== null) : undefined;
  return failed === undefined || failed.error === null ? undefined : failedWith(failed.error);
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
export const orchestrator = pattern({
  name: 'orchestrator',
  description:
    'A silent orchestrator decides who goes on, in which phase; its decisions are checked and followed.',
  setup: () =>
    setupShape<OrchestratorSetup>({
      members: anything(),
      orchestrator: anything(),
      phases: byName(listOf(aText())),
      start: anything(),
      mayChange: listOf(aText()),
      targets: oneOf(['in-order', 'together']),
      maxRounds: wholeNumber(1),
    }),
  defaults: { members: {}, listeners: [], phases: {}, start: '', maxRounds: 0, isParallel: false },
  own: ({ start }, at) => startOf(start, at),
  handsOnTo: ({ members }) => Object.keys(members),
  actions: { askForRoute, checkRoute, goOn, openTurn, closeTurn },
  guards: { mustDecideAgain: ({ own }) => own.note !== null },
  maxIterations: 10_000,
  maxRounds: 100_000,
  initial: 'orchestrating',
  states: {
    orchestrating: {
      description: 'The orchestrator decides who goes on, and in which phase.',
      entry: 'askForRoute',
      awaits: 'checkingRoute',
    },
    checkingRoute: {
      description: 'Is everybody there who is named, and may that phase follow?',
      entry: 'checkRoute',
      always: [
        'completed',
        'failed',
        'aborted',
        'stopped',
        { guard: 'mustDecideAgain', target: 'orchestrating' },
        'takingTurns',
      ],
    },
    takingTurns: {
      description: 'Those who are named do their part, one after the other or together.',
      entry: 'openTurn',
      awaits: 'closingTurn',
      afterEach: 'goOn',
    },
    closingTurn: {
      description: 'All have completed the turn. Is that the end?',
      entry: 'closeTurn',
      always: ['completed', 'failed', 'stopped', 'orchestrating'],
    },
  },
  team:
    (open) =>
    <Output = string>(setup: OrchestratorSetup): EmbeddableAgent<string, Output, OrchestratorState> => {
      const { check, make } = open(setup);
      const { name, members, phases = workPhases, maxRounds = 30, targets = 'in-order' } = setup;
      const names = check.asked('members', members, { reserved: [ORCHESTRATOR, END] });
      const [first = ''] = Object.keys(phases);
      const problems = phaseProblems(phases);
      if (problems.length > 0)
        check.refuse(`its phases are none to go through: ${problems.join('; ')}`, phases);
      const { mayChange = names } = setup;
      for (const [role, member] of Object.entries(members)) {
        const changing = mayChange.includes(role) ? [] : changesOf(memberOf(name, role, member));
        if (changing.length > 0)
          check.refuse(
            `'${role}' may change nothing (mayChange), and has tools that do`,
            changing.join(', '),
          );
      }
      const { orchestrator: given } = setup;
      // Cool, as a decision is no place for fancy.
      const decides =
        !isRecord(given) || isMember(given)
          ? given
          : { ...given, settings: { temperature: 0.3, ...given.settings, toolChoice: undefined }, tools: [] };
      const role = {
        team: name,
        role: ORCHESTRATOR,
        instructions:
          'You do none of the work and say nothing to anybody: you decide who goes on. After work was executed have it verified, tidied up after and reflected on before you end, unless the request says otherwise.',
        output: routeSchema(),
      };
      const all = { ...members, [ORCHESTRATOR]: roleOf(decides, role) };
      return make({
        flow: [
          [OUTSIDE, ORCHESTRATOR],
          [ORCHESTRATOR, names, 'who goes on'],
          [names, ORCHESTRATOR, 'their turns'],
          [ORCHESTRATOR, OUTSIDE],
        ],
        members: all,
        options: {
          members: descriptionsOf(name, members),
          listeners: listenersOf(name, all),
          phases,
          start: check.word('start', setup.start, first, Object.keys(phases)),
          maxRounds,
          isParallel: targets === 'together',
        },
      });
    },
});
