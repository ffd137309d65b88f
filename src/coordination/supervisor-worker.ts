import { assign } from 'xstate';
import {
  askReviewer,
  assignWork,
  settleWork,
  toDo,
  toldOfOthers,
  toldOfRefusals,
  toldOfReviews,
} from './state/delegated-work.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds, tell } from './round/setup-team.ts';
import type {
  SupervisorContext,
  SupervisorOwn,
  SupervisorWorkerOptions,
} from './state/supervisor-context.ts';
import { SUPERVISOR } from './state/supervisor-context.ts';
import { question, readPlan } from './state/supervisor-plan.ts';
import type { TeamInput } from './round/team-context.ts';
import { teamContext, teamOutcome } from './round/team-context.ts';

type Context = SupervisorContext;

const askSupervisor = (context: Context): Partial<Context> => ({
  ...beginRound(context, [{ member: SUPERVISOR, input: question(context) }]),
  own: { ...context.own, refused: [] },
  inbox: [],
});

const outOfRounds = ({ own, options }: Context): Partial<Context> => ({
  end: {
    status: 'stopped',
    stopReason: { kind: 'maxRounds', limit: options.maxRounds },
    candidate: own.replies,
  },
});

const NOTHING: SupervisorOwn = {
  rounds: 0,
  delegations: 0,
  replies: [],
  notes: [],
  corrections: 0,
  work: [],
  refused: [],
  reviewing: null,
};

const DEFAULTS: SupervisorWorkerOptions = {
  workers: [],
  result: 'answer',
  isReviewed: false,
  maxRounds: 0,
  maxAssignments: 0,
  maxDelegations: 0,
  maxRejections: 0,
  maxAttempts: 1,
  concurrency: 1,
};

/**
 * A supervisor takes the request apart, workers do the parts at the same time, the supervisor goes on from their replies.
 *
 * Who does what is data that the supervisor decides: nobody, one, many, or somebody who is not there are all handled.
 */
export const supervisorWorkerMachine = onDemand(() =>
  setupTeam<SupervisorOwn, SupervisorWorkerOptions>()
    .extend({
      actions: {
        askSupervisor: assign(({ context }) => askSupervisor(context)),
        readPlan: assign(({ context }) => readPlan(context)),
        assignWork: assign(({ context }) => assignWork(context)),
        countRound: assign(({ context: { own } }) => ({ own: { ...own, rounds: own.rounds + 1 } })),
        askReviewer: assign(({ context }) => askReviewer(context)),
        settleWork: assign(({ context }) => settleWork(context)),
        outOfRounds: assign(({ context }) => outOfRounds(context)),
        tellPlan: ({ self, context }) => {
          const assignments = toDo(context.own).map(({ member, task }) => ({ member, task }));
          tell(self, { type: 'team.planned', assignments }, context, 'working');
        },
        tellReviews: ({ self, context }) => {
          for (const body of toldOfReviews(context)) tell(self, body, context, 'collecting');
        },
        tellOthers: ({ self, context }) => {
          for (const body of toldOfOthers(context)) tell(self, body, context, 'reassigning');
        },
        tellRefusals: ({ self, context }) => {
          for (const body of toldOfRefusals(context)) tell(self, body, context, 'judging');
        },
      },
      guards: {
        hasPlan: ({ context }) => context.own.work.length > 0,
        mayWork: ({ context: { own, options } }) => own.work.length > 0 && own.rounds < options.maxRounds,
        isToReview: ({ context }) => context.own.reviewing !== null,
        isToRedo: ({ context }) => toDo(context.own).length > 0,
      },
    })
    .createMachine({
      id: 'supervisorWorker',
      description: 'A supervisor plans, workers do the parts, the supervisor goes on from their replies.',
      context: ({ input }: { input: TeamInput<SupervisorWorkerOptions> | undefined }) =>
        teamContext(
          // Work is handed on among workers; the supervisor hears of it from their replies.
          input && { ...input, members: input.options.workers.map(({ name }) => name) },
          NOTHING,
          DEFAULTS,
        ),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'planning',
      on: teamArrows,
      states: {
        planning: {
          description: 'The supervisor decides who does what, or answers.',
          entry: [{ type: 'entered', params: { phase: 'planning' } }, 'askSupervisor', 'engageMembers'],
          ...awaiting('judging'),
        },
        judging: {
          description: 'Is it an answer, work for workers that there are, or neither?',
          entry: ['readPlan', { type: 'entered', params: { phase: 'judging' } }, 'tellRefusals'],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'mayWork', target: 'working', actions: 'countRound' },
            { guard: 'hasPlan', target: 'stopped', actions: 'outOfRounds' },
            { target: 'planning' },
          ],
        },
        working: {
          description: 'The workers do their parts, up to the cap at the same time.',
          entry: [
            'assignWork',
            { type: 'entered', params: { phase: 'working' } },
            'tellPlan',
            'engageMembers',
          ],
          ...awaiting('collecting'),
        },
        collecting: {
          description:
            'What is in is looked at, done again, or kept: is it the result, or does the supervisor go on?',
          entry: [
            'tellReviews',
            'settleWork',
            { type: 'entered', params: { phase: 'collecting' } },
            'tellRefusals',
          ],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'isToReview', target: 'reviewing' },
            { guard: 'isToRedo', target: 'reassigning' },
            { target: 'planning' },
          ],
        },
        reviewing: {
          description: 'The reviewer looks at each piece of work that is new.',
          entry: [{ type: 'entered', params: { phase: 'reviewing' } }, 'askReviewer', 'engageMembers'],
          ...awaiting('collecting'),
        },
        reassigning: {
          description: 'What failed goes to another worker, and what was sent back goes back.',
          entry: [{ type: 'entered', params: { phase: 'reassigning' } }, 'tellOthers'],
          always: { target: 'working' },
        },
        ...teamEnds,
      },
    }),
);
