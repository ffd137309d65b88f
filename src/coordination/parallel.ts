import { assign } from 'xstate';
import { errorData, TroupeError } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import type { RunStatus } from '../contracts/run.ts';
import { atOnce, plain, rulesInForce } from '../machines/rules.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { messageLines, troubleOf } from './round/reply-text.ts';
import type { Reply, Task } from './round/round.ts';
import { textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './round/setup-team.ts';
import type { TeamContext, TeamEnd, TeamInput } from './round/team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

/** The name of the member that makes one of all replies, which no other may have. */
export const AGGREGATOR = 'aggregator';

/** The name of the function that makes one of all replies. */
export const AGGREGATE = 'aggregate';

/** Who works, on what, and what is made of it. */
export type ParallelOptions = {
  /** All of them get the input; with `each`, that one gets every item of it. */
  readonly members: readonly string[];
  readonly each: string | null;
  /** Those that take a text and nothing else. */
  readonly readers: readonly string[];
  readonly cap: number;
  readonly quorum: number | null;
  readonly failsFast: boolean;
  readonly aggregator: 'none' | 'function' | 'agent';
};

/** One member's part of the work: what came of it, or why nothing did. */
export type ParallelReply = {
  readonly member: string;
  readonly status: RunStatus;
  /** What it gave; of one that did not finish what it had, or null. */
  readonly output: Json;
  /** Why it did not answer; null if it did. */
  readonly error: string | null;
};

/** What the members said, also where something else was made of it. */
export type ParallelState = { readonly replies: readonly ParallelReply[] };
type Context = TeamContext<ParallelState, ParallelOptions>;

/** The work of everybody, or its refusal. */
const deal = (context: Context): Partial<Context> => {
  const { options, input } = context;
  const { members, each, cap, quorum, failsFast } = options;
  if (each !== null && !Array.isArray(input))
    return {
      end: failedWith(
        new TroupeError(
          'input.invalid',
          `Cannot hand out the input of '${context.team.name}' as it is no list: ${textOf(input).slice(0, 100)}`,
        ),
      ),
    };
  const items: readonly Json[] = each !== null && Array.isArray(input) ? input : [];
  const tasks =
    each === null
      ? members.map((member) => taskFor(options, member, input))
      : items.map((item) => taskFor(options, each, item));
  return beginRound(context, tasks, { cap, failsFast, ...(quorum === null ? {} : { enough: quorum }) });
};

const taskFor = ({ readers }: ParallelOptions, member: string, input: Json): Task => ({
  member,
  input: readers.includes(member) ? textOf(input) : input,
});

/** All replies are in: are they enough, and what is made of them? */
const join = (context: Context): Partial<Context> => {
  const { options } = context;
  const found = repliesOf(context);
  const replies = found.map(partOf);
  const own = { replies };
  const spent = spentEnd(context);
  if (spent !== undefined) return { own, end: { ...spent, candidate: replies } };
  const end = tooFew(found, options);
  if (end !== undefined) return { own, end: { ...end, candidate: replies } };
  switch (options.aggregator) {
    case 'none':
      return { own, end: answered(replies) };
    case 'function':
      return { own, end: aggregated(context, replies) };
    default:
      return { own };
  }
};

const partOf = (reply: Reply): ParallelReply => {
  const { member, status, output } = reply;
  return { member, status, output, error: troubleOf(reply) };
};

/** The end of a round that too few have answered; one without tasks has nothing that could be too little. */
const tooFew = (replies: readonly Reply[], { quorum, failsFast }: ParallelOptions): TeamEnd | undefined => {
  const isAnswer = ({ status }: Reply): boolean => status === 'completed';
  const answers = replies.filter(isAnswer).length;
  const first = replies.find(({ status }) => status === 'failed' || status === 'stopped');
  if (first !== undefined && (answers === 0 || failsFast)) {
    const { status, stopReason, error } = first;
    return { status, stopReason, ...(error === null ? {} : { error }) };
  }
  if (quorum === null || answers >= Math.min(quorum, replies.length)) return undefined;
  const detail = `${answers} of ${replies.length} answered, and ${quorum} have to`;
  return { status: 'stopped', stopReason: { kind: 'rule', rule: 'quorum', detail } };
};

const answered = (output: Json): TeamEnd => ({
  status: 'completed',
  stopReason: { kind: 'answered' },
  output,
});

const failedWith = (thrown: unknown): TeamEnd => ({
  status: 'failed',
  stopReason: { kind: 'failed' },
  error: errorData(thrown, 'agent.threw'),
});

/** Without what was to be made of them, the replies are still there. */
const notAggregated = (why: string, replies: readonly ParallelReply[]): TeamEnd => ({
  status: 'stopped',
  stopReason: { kind: 'rule', rule: AGGREGATOR, detail: `the replies are as they came, as ${why}` },
  candidate: replies,
});

const aggregated = ({ input }: Context, replies: readonly ParallelReply[]): TeamEnd => {
  const aggregate = rulesInForce().functions?.[AGGREGATE];
  if (aggregate === undefined) return notAggregated('there is no function that aggregates them', replies);
  try {
    return answered(plain(atOnce(aggregate(replies, input)), undefined, AGGREGATE));
  } catch (thrown) {
    const { message } = errorData(thrown, 'agent.threw');
    return notAggregated(`the function that aggregates them failed: ${message}`, replies);
  }
};

const askAggregator = (context: Context): Partial<Context> => ({
  ...beginRound(context, [{ member: AGGREGATOR, input: question(context) }]),
  inbox: [],
});

const question = ({ input, options, own, inbox }: Context): string =>
  [
    options.each === null ? `Request: ${textOf(input)}` : `Items of the request: ${own.replies.length}`,
    `Replies, in order:\n${own.replies.map((reply, index) => replyLine(reply, index, options.each === null ? null : input)).join('\n')}`,
    ...messageLines(inbox),
    'Make one answer of these replies.',
  ].join('\n\n');

const replyLine = ({ member, output, error }: ParallelReply, index: number, items: Json): string => {
  const item: Json | undefined = Array.isArray(items) ? items[index] : undefined;
  const head = item === undefined ? `[${member}]` : `[${member}] ${textOf(item)}:`;
  return error === null ? `${head} ${textOf(output)}` : `${head} (no answer: ${error})`;
};

/** The aggregator has said what it makes of the replies. */
const takeAnswer = (context: Context): Partial<Context> => {
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const { replies } = context.own;
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: { ...spent, candidate: replies } };
  const trouble = troubleOf(reply);
  return {
    end:
      trouble === null
        ? answered(reply.output)
        : notAggregated(`the ${AGGREGATOR} failed: ${trouble}`, replies),
  };
};

const DEFAULTS: ParallelOptions = {
  members: [],
  each: null,
  readers: [],
  cap: 1,
  quorum: null,
  failsFast: false,
  aggregator: 'none',
};

/**
 * All at the same time on one input, or one on each item of a list; the replies in order, and what is made of them.
 *
 * Not by the number of workers but by what they are given it differs from a supervisor's: nobody decides who does what.
 */
export const parallelMachine = onDemand(() =>
  setupTeam<ParallelState, ParallelOptions>()
    .extend({
      actions: {
        deal: assign(({ context }) => deal(context)),
        join: assign(({ context }) => join(context)),
        askAggregator: assign(({ context }) => askAggregator(context)),
        takeAnswer: assign(({ context }) => takeAnswer(context)),
      },
      guards: { hasTasks: ({ context }) => context.round.open > 0 },
    })
    .createMachine({
      id: 'parallel',
      description: 'All work at the same time, up to a cap; their replies are joined in order.',
      context: ({ input }: { input: TeamInput<ParallelOptions> | undefined }) =>
        teamContext(
          // Work is handed on among those who have the same to do.
          input && { ...input, members: input.options.members },
          { replies: [] },
          DEFAULTS,
        ),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'dealing',
      on: teamArrows,
      states: {
        dealing: {
          description: 'The input is dealt out: to everybody, or item by item.',
          entry: ['deal', { type: 'entered', params: { phase: 'dealing' } }],
          always: [
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'hasTasks', target: 'gathering' },
            { target: 'joining' },
          ],
        },
        gathering: {
          description: 'All are at work; who is done first does not come first.',
          entry: [{ type: 'entered', params: { phase: 'gathering' } }, 'engageMembers'],
          ...awaiting('joining'),
        },
        joining: {
          description: 'Have enough answered, and is there more to be made of the replies?',
          entry: ['join', { type: 'entered', params: { phase: 'joining' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isStopped', target: 'stopped' },
            { target: 'reducing' },
          ],
        },
        reducing: {
          description: 'The aggregator makes one answer of all replies.',
          entry: [{ type: 'entered', params: { phase: 'reducing' } }, 'askAggregator', 'engageMembers'],
          ...awaiting('reduced'),
        },
        reduced: {
          description: 'Is there an answer, or are the replies all that there is?',
          entry: ['takeAnswer', { type: 'entered', params: { phase: 'reduced' } }],
          always: [{ guard: 'isCompleted', target: 'completed' }, { target: 'stopped' }],
        },
        ...teamEnds,
      },
    }),
);
