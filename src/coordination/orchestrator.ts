import { assign } from 'xstate';
import { onDemand } from '../contracts/on-demand.ts';
import type {
  Completion,
  OrchestratorContext as Context,
  OrchestratorOptions,
  OrchestratorOwn as Own,
  OrchestratorTurn,
  Route,
} from './state/orchestrator-route.ts';
import { END, ORCHESTRATOR, readRoute, startOf } from './state/orchestrator-route.ts';
import { callFor, inOneText, listening, routedTurn, utterances } from './state/orchestrator-talk.ts';
import { routingContext } from '../memory/routing-context.ts';
import { troubleOf } from './round/reply-text.ts';
import type { Task } from './round/round.ts';
import { placeAt } from './round/round.ts';
import { textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './round/setup-team.ts';
import { callOn, RUNTIME } from './round/talk.ts';
import type { TeamEnd, TeamInput } from './round/team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';
import { reworkIn } from './state/work-phases.ts';

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
  if (reply.status !== 'completed') {
    const { status, stopReason, error } = reply;
    return { end: { status, stopReason, ...(error === null ? {} : { error }), ...candidate } };
  }
  const read = readRoute(context, reply.output);
  if (typeof read !== 'string') return follow(context, read);
  if (own.corrections < MAX_CORRECTIONS)
    return { own: { ...own, route: null, note: read, corrections: own.corrections + 1 } };
  const message = `Cannot go on with '${context.team.name}' as its orchestrator decides what cannot be followed, though it was told: ${read}`;
  return {
    end: {
      status: 'failed',
      stopReason: { kind: 'failed' },
      error: { code: 'routing.refused', message, retryable: 'no' },
      ...candidate,
    },
  };
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

/** What the last who did anything left. The orchestrator itself says nothing: its words are never the answer. */
const conversationEnd = ({ turns }: Own): TeamEnd => {
  const last = turns
    .flatMap(({ completions }) => completions)
    .findLast(({ status }) => status === 'completed');
  if (last !== undefined)
    return { status: 'completed', stopReason: { kind: 'answered' }, output: last.output };
  const detail = 'the conversation was ended before anybody had answered';
  return {
    status: 'stopped',
    stopReason: { kind: 'rule', rule: ORCHESTRATOR, detail },
    ...(turns.length === 0 ? {} : { candidate: [...turns] }),
  };
};

/** Each member that is named gets a part of the turn; what it is shown of the conversation is computed when its part begins. */
const openTurn = (before: Context): Partial<Context> => {
  const context = listening(before);
  const { own, options } = context;
  const { route } = own;
  if (route === null) return {};
  const tasks = route.members.map((member): Task => ({ member, input: '', phase: route.phase }));
  const begun = beginRound(context, tasks, { cap: options.isParallel ? tasks.length : 1 });
  return { inbox: [], own, ...briefed({ ...context, ...begun }) };
};

/** A part of the turn may be complete, and the next begin, which is shown what was done meanwhile. */
const goOn = (before: Context): Partial<Context> => {
  if (before.round.standing !== 'open' || before.round.starting.length === 0) return {};
  const context = listening({ ...before, own: withCompletions(before) });
  return { inbox: [], own: context.own, ...briefed(context) };
};

/** Shows the conversation to the members that start now, each from its own point of view. A restarted one has seen it already. */
const briefed = (context: Context): Partial<Context> => {
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

/** What the pattern knows, with the replies that are in as completions of the open turn. */
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

/** How it ends where every agent that there is was asked, and none has ever answered. */
const nobodyLeft = (context: Context, turns: readonly OrchestratorTurn[]): TeamEnd | undefined => {
  const all = turns.flatMap(({ completions }) => completions);
  const isNobody =
    all.every(({ status }) => status !== 'completed') &&
    Object.keys(context.options.members).every((name) => all.some(({ member }) => member === name));
  const failed = isNobody ? repliesOf(context).findLast(({ error }) => error !== null) : undefined;
  return failed === undefined || failed.error === null
    ? undefined
    : { status: 'failed', stopReason: { kind: 'failed' }, error: failed.error };
};

/**
 * A silent orchestrator decides after each turn who goes on, and in which phase the work is; what may follow what is enforced, and only it
 * ends the conversation.
 */
export const orchestratorMachine = onDemand(() =>
  setupTeam<Own, OrchestratorOptions>()
    .extend({
      actions: {
        askForRoute: assign(({ context }) => askForRoute(context)),
        checkRoute: assign(({ context }) => checkRoute(context)),
        goOn: assign(({ context }) => goOn(context)),
        openTurn: assign(({ context }) => openTurn(context)),
        closeTurn: assign(({ context }) => closeTurn(context)),
      },
      guards: { mustDecideAgain: ({ context }) => context.own.note !== null },
    })
    .createMachine({
      id: 'orchestrator',
      description:
        'A silent orchestrator decides who goes on, in which phase; its decisions are checked and followed.',
      context: ({ input }: { input: TeamInput<OrchestratorOptions> | undefined }) =>
        teamContext(
          input && { ...input, members: Object.keys(input.options.members) },
          startOf(input?.options.start ?? '', input?.at ?? 0),
          { members: {}, listeners: [], phases: {}, start: '', maxRounds: 0, isParallel: false },
        ),
      output: teamOutcome,
      options: { maxIterations: 10_000 },
      initial: 'orchestrating',
      on: teamArrows,
      states: {
        orchestrating: {
          description: 'The orchestrator decides who goes on, and in which phase.',
          entry: [{ type: 'entered', params: { phase: 'orchestrating' } }, 'askForRoute', 'engageMembers'],
          ...awaiting('checkingRoute'),
        },
        checkingRoute: {
          description: 'Is everybody there who is named, and may that phase follow?',
          entry: ['checkRoute', { type: 'entered', params: { phase: 'checkingRoute' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'mustDecideAgain', target: 'orchestrating' },
            { target: 'takingTurns' },
          ],
        },
        takingTurns: {
          description: 'Those who are named do their part, one after the other or together.',
          entry: ['openTurn', { type: 'entered', params: { phase: 'takingTurns' } }, 'engageMembers'],
          ...awaiting('closingTurn', 'failed', 'goOn'),
        },
        closingTurn: {
          description: 'All have completed the turn. Is that the end?',
          entry: ['closeTurn', { type: 'entered', params: { phase: 'closingTurn' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isStopped', target: 'stopped' },
            { target: 'orchestrating' },
          ],
        },
        ...teamEnds,
      },
    }),
);
