import { assign, setup } from 'xstate';
import type { RuntimeEvent, EventBody } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { TeamContext, TeamEvent, TeamInput } from './team-context.ts';
import { extendable } from './extendable.ts';
import { roundMove } from './settle-reply.ts';
import { engagements, waitsOf } from './team-context.ts';
import { checkEventBody } from './check-event-body.ts';
import { put } from '../../machines/in-force.ts';

/** The longest inbox that a team keeps: older messages go first. */
const INBOX = 1000;

/**
 * The vocabulary that all team machines share: engaging members, collecting replies, ending.
 *
 * A pattern extends it with its own guards and actions, and is one file that reads options → team → asks → rules →
 * machine. A member that fails replies with its error: the pattern decides what follows. One that the team's own
 * budget stopped ends the team (`spentEnd`), whatever the pattern.
 *
 * @example
 * const team = setupTeam<{ votes: number }, { quorum: number }>();
 * const machine = team.extend({ guards: { hasQuorum }, actions: { count } }).createMachine({ … });
 */
export const setupTeam = <Own extends Json, Options extends Json>() => {
  const team = setup({
    types: {
      context: {} as TeamContext<Own, Options>,
      input: {} as TeamInput<Options>,
      events: {} as TeamEvent,
      output: {} as Outcome,
      emitted: {} as RuntimeEvent,
    },
    actions: {
      entered: ({ context }, { phase }: { phase: string }) => {
        put({ type: 'enter', phase, step: context.engaged });
      },
      /** Carries out what the round wants: members stopped, waits asked for, members started. */
      engageMembers: ({ context }) => {
        engageMembers(context);
      },
      dismissMembers: () => {
        put({ type: 'dismiss' });
      },
      collectReply: assign(({ context, event }) => roundMove(context, event)),
      received: assign(({ context, event }) =>
        event.type === 'message' ? { inbox: [...context.inbox, event.message].slice(-INBOX) } : {},
      ),
      abandoned: assign(({ event }) =>
        event.type === 'abort'
          ? {
              end: {
                status: 'aborted' as const,
                stopReason: { kind: 'aborted' as const, reason: event.reason },
              },
            }
          : {},
      ),
      expired: assign(({ event }) =>
        event.type === 'expired' || event.type === 'expired.final'
          ? { end: { status: 'stopped' as const, stopReason: event.reason } }
          : {},
      ),
      broken: assign(({ event }) =>
        'error' in event
          ? {
              end: {
                status: 'failed' as const,
                stopReason: { kind: 'failed' as const },
                error: event.error,
              },
            }
          : {},
      ),
    },
    guards: {
      isRoundOver: ({ context }) => context.round.standing === 'over',
      isEscalated: ({ context }) => context.round.standing === 'escalated',
      isCompleted: ({ context }) => context.end?.status === 'completed',
      isStopped: ({ context }) => context.end?.status === 'stopped',
      isAborted: ({ context }) => context.end?.status === 'aborted',
      hasFailed: ({ context }) => context.end?.status === 'failed',
    },
  });
  return extendable(team);
};

/** Carries out what the round of a team wants. */
export const engageMembers = (context: TeamContext): void => {
  const { stopping, overdue, waits, starting, telling } = context.round;
  if (stopping.length > 0)
    put({ type: 'dismiss', paths: stopping, ...(overdue === null ? {} : { errors: overdue }) });
  for (const body of telling) put({ type: 'emit', body, step: context.engaged, phase: undefined });
  if (waits.length > 0) put({ type: 'ask', asks: waitsOf(context) });
  if (starting.length > 0) put({ type: 'engage', engagements: engagements(context) });
};

/** Publishes an event about a team. */
export const tell = (body: EventBody, { engaged }: TeamContext, phase: string): void => {
  put({ type: 'emit', body: checkEventBody(body), step: engaged, phase });
};

/**
 * Publishes an event of the app's own (`custom.emitted`), from within an action of a team's machine.
 *
 * @example
 * actions: { tellVotes: ({ context }) => emitEvent(context, 'votes.counted', { votes: context.own.votes }) }
 */
export const emitEvent = (context: TeamContext, name: string, data: Json): void => {
  put({
    type: 'emit',
    body: { type: 'custom.emitted', name, data },
    step: context.engaged,
    phase: undefined,
  });
};

/** The arrows that every team has: messages, aborts, time that is up, and effects that broke. */
export const teamArrows = {
  message: { actions: 'received' },
  abort: { target: '.aborted', actions: 'abandoned' },
  'expired.*': { target: '.stopped', actions: 'expired' },
  'failed.*': { target: '.failed', actions: 'broken' },
} as const;

/**
 * The arrows of a state that waits for its round, to be spread into it: on to `target` with the last reply, whichever members were restarted, handed on
 * to or cancelled meanwhile, or the team's time is up; on to `escalated` (default: `failed`) where it is more trouble than the policy
 * allows. `before` is an action of the pattern's own that runs after each answer, before the next tasks start.
 *
 * @example
 * working: { description: 'All are at work.', entry: ['askAll', 'engageMembers'], ...awaiting('counting') }
 */
export const awaiting = <
  const Target extends string,
  const Escalated extends string = 'failed',
  const Before extends string = never,
>(
  target: Target,
  escalated?: Escalated,
  before?: Before,
) => {
  const goOn: readonly ('collectReply' | 'engageMembers' | Before)[] =
    before === undefined ? ['collectReply', 'engageMembers'] : ['collectReply', before, 'engageMembers'];
  return {
    on: {
      'answered.*': { actions: goOn },
      expired: { target, actions: ['collectReply', 'engageMembers'] },
    },
    always: [
      { guard: 'isEscalated', target: escalated ?? 'failed' },
      { guard: 'isRoundOver', target },
    ],
  } as const;
};

/** The four ends that every team has. */
export const teamEnds = {
  completed: {
    description: 'The team has its result.',
    type: 'final',
    entry: { type: 'entered', params: { phase: 'completed' } },
  },
  stopped: {
    description: 'A bound or a member ended the work before there was a result.',
    type: 'final',
    entry: { type: 'entered', params: { phase: 'stopped' } },
  },
  aborted: {
    description: 'Somebody called the work off.',
    type: 'final',
    entry: { type: 'entered', params: { phase: 'aborted' } },
  },
  failed: {
    description: 'Without this member the work cannot go on.',
    type: 'final',
    entry: { type: 'entered', params: { phase: 'failed' } },
  },
} as const;
