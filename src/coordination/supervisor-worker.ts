import { assign } from 'xstate';
import { z } from 'zod';
import type { Json } from '../contracts/json.ts';
import { beginRound } from './settle-reply.ts';
import { onDemand } from './on-demand.ts';
import { textOf } from './said-json.ts';
import { awaiting, setupTeam, teamArrows, teamEnds, tell } from './setup-team.ts';
import type { Reply } from './round.ts';
import type { TeamContext, TeamEnd, TeamInput } from './team-context.ts';
import { endOf, repliesOf, spentEnd, teamContext, teamOutcome } from './team-context.ts';

/** The supervisor's member name, which no worker may have. */
export const SUPERVISOR = 'supervisor';

/** What a supervisor decides where the workers' replies are the result. */
export const planSchema = z.object({
  assignments: z
    .array(
      z.object({
        worker: z.string().describe('The name of a worker.'),
        task: z.string().describe('What to do.'),
      }),
    )
    .describe('Who does what; independent of each other, as they are done at the same time.'),
});

/** What a supervisor decides where it gives the answer itself: more work, or the answer. */
export const supervisionSchema = planSchema.extend({
  answer: z
    .string()
    .nullable()
    .describe('The final answer, once the replies suffice for it; null while there is work to assign.'),
});

/** How the work is bounded. */
export type SupervisorWorkerOptions = {
  readonly workers: Readonly<Record<string, string>>;
  readonly result: 'answer' | 'replies';
  readonly maxRounds: number;
  readonly maxAssignments: number;
  readonly concurrency: number;
};

/** A worker's part: what it was given, and what came of it. */
export type WorkerReply = {
  readonly worker: string;
  readonly task: string;
  readonly status: Reply['status'];
  readonly output: Json;
  /** It never said that it was done. */
  readonly autoCompleted?: true;
  readonly error: string | null;
};

type Own = {
  /** Rounds of work begun. */
  readonly rounds: number;
  readonly replies: readonly WorkerReply[];
  /** Said to the supervisor with its next question. */
  readonly notes: readonly string[];
  readonly corrections: number;
  readonly plan: z.infer<typeof planSchema> | null;
};
type Context = TeamContext<Own, SupervisorWorkerOptions>;

/** A supervisor that names workers that there are not is told so this often. */
const MAX_CORRECTIONS = 1;

/** The question to the supervisor: the request, who is there, and what has come back. */
const question = ({ input, options, own, inbox }: Context): string =>
  [
    `Request: ${typeof input === 'string' ? input : JSON.stringify(input)}`,
    `Workers:\n${Object.entries(options.workers)
      .map(([name, description]) => `- ${name}${description === '' ? '' : `: ${description}`}`)
      .join('\n')}`,
    ...(own.replies.length === 0 ? [] : [`Replies so far:\n${own.replies.map(replyText).join('\n')}`]),
    ...inbox.map(({ from, text }) => `Message from ${from}: ${text}`),
    ...own.notes,
  ].join('\n\n');

const replyText = ({ worker, task, status, output, autoCompleted, error }: WorkerReply): string => {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  const said = autoCompleted === true ? `(never said to be done) ${text}` : text;
  return `[${worker}] ${task}\n${error === null ? said : `(${status}: ${error}) ${output === null ? '' : said}`}`;
};

const askSupervisor = (context: Context): Partial<Context> => ({
  ...beginRound(context, [{ member: SUPERVISOR, input: question(context) }]),
  inbox: [],
});

/** What the supervisor decided: the end, a correction to ask for, or work. */
const readPlan = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  if (reply.status !== 'completed') return { end: endOf(reply) };
  const parsed = supervisionSchema.partial({ answer: true }).safeParse(reply.output);
  const said = parsed.success ? parsed.data : { assignments: [], answer: null };
  if (options.result === 'answer' && typeof said.answer === 'string' && said.assignments.length === 0)
    return { end: { status: 'completed', stopReason: { kind: 'answered' }, output: said.answer } };
  const assignments = said.assignments.slice(0, options.maxAssignments);
  if (assignments.length === 0) return { end: nothingAssigned(context) };
  const unknown = assignments.filter(({ worker }) => !Object.hasOwn(options.workers, worker));
  const note = notesOn(unknown, said.assignments.length, options);
  if (unknown.length > 0 && own.corrections < MAX_CORRECTIONS)
    return { own: { ...own, plan: null, notes: note, corrections: own.corrections + 1 } };
  const lost = unknown.map(({ worker, task }): WorkerReply => {
    const error = `there is no worker '${worker}'`;
    return { worker, task, status: 'failed', output: null, error };
  });
  const known = assignments.filter(({ worker }) => Object.hasOwn(options.workers, worker));
  const replies = [...own.replies, ...lost];
  if (known.length === 0)
    return { own: { ...own, replies }, end: nothingAssigned({ ...context, own: { ...own, replies } }) };
  return { own: { ...own, replies, notes: note, plan: { assignments: known } } };
};

const notesOn = (
  unknown: readonly { readonly worker: string }[],
  wanted: number,
  { workers, maxAssignments }: SupervisorWorkerOptions,
): readonly string[] => [
  ...(unknown.length === 0
    ? []
    : [
        `There is no worker called ${unknown.map(({ worker }) => `'${worker}'`).join(', ')}. The workers are: ${Object.keys(workers).join(', ')}.`,
      ]),
  ...(wanted <= maxAssignments
    ? []
    : [`Only the first ${maxAssignments} of ${wanted} assignments were carried out.`]),
];

const nothingAssigned = ({ own, options }: Context): TeamEnd =>
  own.replies.length > 0 && options.result === 'replies'
    ? { status: 'completed', stopReason: { kind: 'answered' }, output: own.replies }
    : {
        status: 'stopped',
        stopReason: {
          kind: 'rule',
          rule: 'assignments',
          detail: 'the supervisor assigned nothing and gave no answer',
        },
        ...(own.replies.length > 0 ? { candidate: own.replies } : {}),
      };

const assignWork = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const tasks = (own.plan?.assignments ?? []).map(({ worker, task }) => ({ member: worker, input: task }));
  return {
    own: { ...own, rounds: own.rounds + 1 },
    ...beginRound(context, tasks, { cap: options.concurrency }),
  };
};

/** The round is done: its replies join the others, and may be the result. */
const keepReplies = (context: Context): Partial<Context> => {
  const { own, options, round } = context;
  const added = repliesOf(context).map((reply, index): WorkerReply => ({
    worker: reply.member,
    task: textOf(round.tasks[index]?.input ?? ''),
    status: reply.status,
    output: reply.output,
    ...(reply.autoCompleted === true ? { autoCompleted: true } : {}),
    error: reply.error?.message ?? (reply.status === 'completed' ? null : reply.stopReason.kind),
  }));
  const replies = [...own.replies, ...added];
  const kept = { ...own, replies, plan: null };
  const spent = spentEnd(context);
  if (spent !== undefined) return { own: kept, end: { ...spent, candidate: replies } };
  if (options.result === 'replies')
    return { own: kept, end: { status: 'completed', stopReason: { kind: 'answered' }, output: replies } };
  if (own.rounds < options.maxRounds) return { own: kept };
  // One more question, for the answer; work assigned in reply is not done any more.
  return { own: { ...kept, notes: [...own.notes, 'There are no more rounds: give the answer now.'] } };
};

const outOfRounds = ({ own, options }: Context): Partial<Context> => ({
  end: {
    status: 'stopped',
    stopReason: { kind: 'maxRounds', limit: options.maxRounds },
    candidate: own.replies,
  },
});

const DEFAULTS: SupervisorWorkerOptions = {
  workers: {},
  result: 'answer',
  maxRounds: 0,
  maxAssignments: 0,
  concurrency: 1,
};

/**
 * A supervisor takes the request apart, workers do the parts at the same time, the supervisor goes on from their replies.
 *
 * Who does what is data that the supervisor decides: nobody, one, many, or somebody who is not there are all handled.
 */
export const supervisorWorkerMachine = onDemand(() =>
  setupTeam<Own, SupervisorWorkerOptions>()
    .extend({
      actions: {
        askSupervisor: assign(({ context }) => askSupervisor(context)),
        readPlan: assign(({ context }) => readPlan(context)),
        assignWork: assign(({ context }) => assignWork(context)),
        keepReplies: assign(({ context }) => keepReplies(context)),
        outOfRounds: assign(({ context }) => outOfRounds(context)),
        tellPlan: ({ self, context }) => {
          tell(
            self,
            { type: 'team.planned', assignments: [...(context.own.plan?.assignments ?? [])] },
            context,
            'working',
          );
        },
      },
      guards: {
        hasPlan: ({ context }) => context.own.plan !== null,
        mayWork: ({ context }) => context.own.plan !== null && context.own.rounds < context.options.maxRounds,
      },
    })
    .createMachine({
      id: 'supervisorWorker',
      description: 'A supervisor plans, workers do the parts, the supervisor goes on from their replies.',
      context: ({ input }: { input: TeamInput<SupervisorWorkerOptions> | undefined }) =>
        teamContext(
          // Work is handed on among workers; the supervisor hears of it from their replies.
          input && { ...input, members: Object.keys(input.options.workers) },
          { rounds: 0, replies: [], notes: [], corrections: 0, plan: null },
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
          on: awaiting('judging'),
        },
        judging: {
          description: 'Is it an answer, work for workers that there are, or neither?',
          entry: ['readPlan', { type: 'entered', params: { phase: 'judging' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'mayWork', target: 'working' },
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
          on: awaiting('collecting'),
        },
        collecting: {
          description: 'The replies are in: are they the result, or does the supervisor go on from them?',
          entry: ['keepReplies', { type: 'entered', params: { phase: 'collecting' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'isStopped', target: 'stopped' },
            { target: 'planning' },
          ],
        },
        ...teamEnds,
      },
    }),
);
