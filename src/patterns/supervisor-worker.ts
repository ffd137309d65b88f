import { anything, oneOf, wholeNumber } from '../base/schemas/option-schemas.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import { isRecord } from '../base/json/is-record.ts';
import type { Member, TeamSetup } from '../runtime/define/team.ts';
import { pattern } from './setup/pattern.ts';
import type { Role } from './setup/role-of.ts';
import { isMember, roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';
import type { Skilled } from './skilled.ts';
import { skilledMembers } from './skilled.ts';
import {
  askReviewer,
  assignWork,
  reviewSchema,
  settleWork,
  toDo,
  toldOfOthers,
  toldOfRefusals,
  toldOfReviews,
} from './state/delegated-work.ts';
import type {
  SupervisorContext,
  SupervisorOwn,
  SupervisorWorkerOptions,
  SupervisorWorkerState,
  WorkerReply,
} from './state/supervisor-context.ts';
import { REVIEWER, SUPERVISOR } from './state/supervisor-context.ts';
import { planSchema, question, readPlan, supervisionSchema } from './state/supervisor-plan.ts';

/** The supervisor, its workers, and the bounds of their work. */
export interface SupervisorWorkerSetup<
  Result extends 'answer' | 'replies' = 'answer' | 'replies',
> extends TeamSetup {
  /** Instructions and model of the supervisor, whose plan is checked against its schema; or an agent, whose text is read leniently. */
  readonly supervisor: Role;
  /**
   * By name; their descriptions and skills tell the supervisor what each is good for. They take a string. A task for which its plan
   * names nobody goes to the worker whose skills and description share most words with it; of equals to the one with the least to do.
   */
  readonly workers: Readonly<Record<string, Skilled<string, unknown>>>;
  /**
   * The reviewer of each piece of work: an agent, options for one, or `supervisor`: one with the supervisor's own options. What is sent
   * back is done again by the same worker, who reads why. Default: nobody but the supervisor, when it reads the replies.
   */
  readonly reviewer?: Role | 'supervisor' | undefined;
  /** The number of times that one task is sent back; then it is kept, and marked as not accepted. Default 2. */
  readonly maxRejections?: number | undefined;
  /** Workers that are tried for a task, the first included. Default 1: its failure is its reply. */
  readonly maxAttempts?: number | undefined;
  /** `answer`: the supervisor sees the replies and answers (default). `replies`: they are the result, after one round. */
  readonly result?: Result | undefined;
  /** Rounds of work. Default 3. */
  readonly maxRounds?: number | undefined;
  /** Assignments that are carried out of one plan. Default 16. */
  readonly maxAssignments?: number | undefined;
  /**
   * Tasks that are given to workers in a run, each time that one is done again counted; one more is refused, and stands as refused among
   * the replies. Default 20, or `maxAssignments` where that is more.
   */
  readonly maxDelegations?: number | undefined;
  /** Workers at work at the same time. Default 4. */
  readonly concurrency?: number | undefined;
}

type Context = SupervisorContext;

const askSupervisor = (context: Context): Partial<Context> => ({
  ...beginRound(context, [{ member: SUPERVISOR, input: question(context) }]),
  own: { ...context.own, refused: [] },
  inbox: [],
});

const countRound = ({ own }: Context): Partial<Context> => ({ own: { ...own, rounds: own.rounds + 1 } });

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

const leadersOf = (
  { name, supervisor, reviewer }: SupervisorWorkerSetup,
  result: 'answer' | 'replies',
): Readonly<Record<string, Member>> => {
  const plans = result === 'answer' ? supervisionSchema() : planSchema();
  const supervises = { [SUPERVISOR]: roleOf(supervisor, { team: name, role: SUPERVISOR, output: plans }) };
  if (reviewer === undefined) return supervises;
  const alike =
    !isRecord(supervisor) || isMember(supervisor)
      ? supervisor
      : { ...supervisor, name: `${name}-${REVIEWER}` };
  const reviewing = { team: name, role: REVIEWER, output: reviewSchema() };
  const reviews = roleOf(reviewer === 'supervisor' ? alike : reviewer, reviewing);
  return { ...supervises, [REVIEWER]: reviews };
};

/**
 * A supervisor takes a request apart and hands the parts to workers, who do them at the same time.
 *
 * Who does what is data that the supervisor's model decides. A worker that is not there is pointed out to it once; a
 * worker that fails replies with its error and leaves the others alone. With a `reviewer` work that is not good enough is done again,
 * with `maxAttempts` work that failed is done by another. Every task stands among the replies, also one that failed. Rounds are
 * bounded: past them the run ends `stopped { kind: 'maxRounds' }` with the replies as the candidate.
 *
 * Not for work whose parts depend on each other (a pipeline, a plan that is carried out in order), nor where it is known beforehand who
 * does what: a supervisor costs a model call for each round.
 *
 * @example
 * const desk = supervisorWorker({
 *   name: 'desk',
 *   supervisor: { instructions: 'Split the question into parts.' },
 *   workers: { researcher, lawyer: { agent: lawyer, skills: ['contracts', 'law'] } },
 *   reviewer: 'supervisor',
 * });
 *
 * @throws {TroupeError} `team.invalid` without workers, for a worker called `supervisor` or `reviewer`, one that is no agent,
 * or a number that bounds nothing.
 */
export const supervisorWorker = pattern({
  name: 'supervisorWorker',
  description: 'A supervisor plans, workers do the parts, the supervisor goes on from their replies.',
  setup: () =>
    setupShape<SupervisorWorkerSetup>({
      supervisor: anything(),
      workers: anything(),
      reviewer: anything(),
      maxRejections: wholeNumber(0),
      maxAttempts: wholeNumber(1),
      result: oneOf(['answer', 'replies']),
      maxRounds: wholeNumber(0),
      maxAssignments: wholeNumber(1),
      maxDelegations: wholeNumber(1),
      concurrency: wholeNumber(1),
    }),
  defaults: DEFAULTS,
  own: NOTHING,
  // Work is handed on among workers; the supervisor hears of it from their replies.
  handsOnTo: ({ workers }) => workers.map(({ name }) => name),
  actions: { askSupervisor, readPlan, assignWork, countRound, askReviewer, settleWork, outOfRounds },
  tells: {
    tellPlan: ({ own }) => [
      { type: 'team.planned', assignments: toDo(own).map(({ member, task }) => ({ member, task })) },
    ],
    tellReviews: toldOfReviews,
    tellOthers: toldOfOthers,
    tellRefusals: toldOfRefusals,
  },
  guards: {
    hasPlan: ({ own }) => own.work.length > 0,
    mayWork: ({ own, options }) => own.work.length > 0 && own.rounds < options.maxRounds,
    isToReview: ({ own }) => own.reviewing !== null,
    isToRedo: ({ own }) => toDo(own).length > 0,
  },
  initial: 'planning',
  states: {
    planning: {
      description: 'The supervisor decides who does what, or answers.',
      entry: 'askSupervisor',
      awaits: 'judging',
    },
    judging: {
      description: 'Is it an answer, work for workers that there are, or neither?',
      entry: ['readPlan', 'tellRefusals'],
      always: [
        'completed',
        'failed',
        'aborted',
        'stopped',
        { guard: 'mayWork', target: 'working', actions: 'countRound' },
        { guard: 'hasPlan', target: 'stopped', actions: 'outOfRounds' },
        'planning',
      ],
    },
    working: {
      description: 'The workers do their parts, up to the cap at the same time.',
      entry: ['assignWork', 'tellPlan'],
      awaits: 'collecting',
    },
    collecting: {
      description:
        'What is in is looked at, done again, or kept: is it the result, or does the supervisor go on?',
      entry: ['tellReviews', 'settleWork', 'entered', 'tellRefusals'],
      always: [
        'completed',
        'stopped',
        { guard: 'isToReview', target: 'reviewing' },
        { guard: 'isToRedo', target: 'reassigning' },
        'planning',
      ],
    },
    reviewing: {
      description: 'The reviewer looks at each piece of work that is new.',
      entry: 'askReviewer',
      awaits: 'collecting',
    },
    reassigning: {
      description: 'What failed goes to another worker, and what was sent back goes back.',
      entry: 'tellOthers',
      always: 'working',
    },
  },
  team:
    (open) =>
    <const Result extends 'answer' | 'replies' = 'answer'>(
      setup: SupervisorWorkerSetup<Result>,
    ): EmbeddableAgent<
      string,
      Result extends 'replies' ? readonly WorkerReply[] : string,
      SupervisorWorkerState
    > => {
      const { check, make } = open(setup);
      const {
        maxAssignments = 16,
        maxRounds = 3,
        maxDelegations = Math.max(20, maxAssignments),
        maxRejections = 2,
        maxAttempts = 1,
        concurrency = 4,
        result = 'answer',
      } = setup;
      const workers = check.asked('workers', setup.workers, { reserved: [SUPERVISOR, REVIEWER] });
      const { cards, members } = skilledMembers(setup.name, setup.workers, check);
      return make({
        flow: [
          [OUTSIDE, SUPERVISOR],
          [SUPERVISOR, workers, 'assigns'],
          [workers, SUPERVISOR, 'replies'],
          ...(setup.reviewer === undefined
            ? []
            : [[workers, REVIEWER, 'work'] as const, [REVIEWER, workers, 'sends back'] as const]),
          [result === 'answer' ? SUPERVISOR : workers, OUTSIDE],
        ],
        members: { ...members, ...leadersOf(setup, result) },
        options: {
          workers: cards,
          result,
          isReviewed: setup.reviewer !== undefined,
          maxRounds,
          maxAssignments,
          maxDelegations,
          maxRejections,
          maxAttempts,
          concurrency,
        },
      });
    },
});
