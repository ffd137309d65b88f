import { isPartList } from '../contracts/content/part.ts';
import type { Agent } from '../contracts/agents/agent.ts';
import { TroupeError, errorData } from '../contracts/errors/error.ts';
import type { Json } from '../base/json/json.ts';
import { aBoolean, anything, wholeNumber } from '../base/schemas/option-schemas.ts';
import type { RunStatus } from '../contracts/runs/run-status.ts';
import { answeredWith, endedAs, failedWith, stoppedBy } from '../coordination/round/ends.ts';
import { messageLines, troubleOf } from '../coordination/round/reply-text.ts';
import type { Reply, Task } from '../coordination/round/round.ts';
import { textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext, TeamEnd } from '../coordination/round/team-context.ts';
import { repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import { atOnce, plain } from '../machines/rules.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { Member, TeamSetup } from '../runtime/define/team.ts';
import { memberOf } from '../runtime/define/team.ts';
import { pattern } from './setup/pattern.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';
import { rulesInForce } from '../machines/in-force.ts';

/** The aggregator, which makes one of all replies: a pure function, or an agent that reads them. */
export type Aggregator<Output> =
  | ((replies: readonly ParallelReply[], input: Json) => Output)
  | Agent<string, Output>
  | Role;

/** The options of work side by side, of several members or of one. */
export interface ParallelBounds<Output> extends TeamSetup {
  /** Members at work at the same time. Default 10. */
  readonly concurrency?: number | undefined;
  /** The number of answers that are enough, and have to be there: the others are cancelled. Default: all are waited for, one is enough. */
  readonly quorum?: number | undefined;
  /** The first that does not answer ends the work, and the others are cancelled. Default false. */
  readonly failsFast?: boolean | undefined;
  /** Default: the replies are the result. */
  readonly aggregator?: Aggregator<Output> | undefined;
}

/** Several members, each of whom gets the whole input. */
export interface ParallelSetup<Input, Output, Outputs> extends ParallelBounds<Output> {
  /** By name; at least one, none of them called `aggregator`. */
  readonly members: { readonly [Name in keyof Outputs]: Agent<Input, Outputs[Name], unknown> };
  readonly each?: undefined;
}

/** One member, which gets each item of a list. */
export interface ParallelMapSetup<Item, Output, Made> extends ParallelBounds<Output> {
  readonly each: Agent<Item, Made, unknown>;
  readonly members?: undefined;
}

/** The name of the member that makes one of all replies, which no other may have. */
export const AGGREGATOR = 'aggregator';

/** The name of the function that makes one of all replies. */
const AGGREGATE = 'aggregate';

/** The members, the work of each, and what is made of the replies. */
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

/** One member's part of the work: its output, or its error. */
export type ParallelReply = {
  readonly member: string;
  readonly status: RunStatus;
  /** Its output; of one that did not finish its candidate, or null. */
  readonly output: Json;
  /** The reason for which it did not answer; null if it did. */
  readonly error: string | null;
};

/** The reply of a member whose name and output are known: its output is that if it completed. */
export type ReplyFrom<Name extends string, Output> =
  | (Pick<ParallelReply, 'error'> & {
      readonly member: Name;
      readonly status: 'completed';
      readonly output: unknown extends Output ? Json : Output;
    })
  | (Pick<ParallelReply, 'error' | 'output'> & {
      readonly member: Name;
      readonly status: Exclude<RunStatus, 'completed'>;
    });

/** The reply of one of the members. */
export type ReplyOf<Outputs> = {
  [Name in keyof Outputs & string]: ReplyFrom<Name, Outputs[Name]>;
}[keyof Outputs & string];

/** The replies of the members, also where they were aggregated. */
export type ParallelState = { readonly replies: readonly ParallelReply[] };
type Context = TeamContext<ParallelState, ParallelOptions>;

/** The work of everybody, or its refusal. */
const deal = (context: Context): Partial<Context> => {
  const { options, input } = context;
  const { members, each, cap, quorum, failsFast } = options;
  if (each !== null && !Array.isArray(input))
    return {
      end: failedWith(
        errorData(
          new TroupeError(
            'input.invalid',
            `Cannot hand out the input of '${context.team.name}' as it is no list: ${textOf(input).slice(0, 100)}`,
          ),
          'agent.threw',
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
  // Who reads a text is shown parts as they are.
  input: readers.includes(member) && !isPartList(input) ? textOf(input) : input,
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
      return { own, end: answeredWith(replies) };
    case 'function':
      return { own, end: aggregateReplies(context, replies) };
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
  if (first !== undefined && (answers === 0 || failsFast)) return endedAs(first);
  if (quorum === null || answers >= Math.min(quorum, replies.length)) return undefined;
  const detail = `${answers} of ${replies.length} answered, and ${quorum} have to`;
  return stoppedBy('quorum', detail);
};

/** Without what was to be made of them, the replies are still there. */
const notAggregated = (why: string, replies: readonly ParallelReply[]): TeamEnd =>
  stoppedBy(AGGREGATOR, `the replies are as they came, as ${why}`, replies);

const aggregateReplies = ({ input }: Context, replies: readonly ParallelReply[]): TeamEnd => {
  const aggregate = rulesInForce().functions?.[AGGREGATE];
  if (aggregate === undefined) return notAggregated('there is no function that aggregates them', replies);
  try {
    return answeredWith(plain(atOnce(aggregate(replies, input)), undefined, AGGREGATE));
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
        ? answeredWith(reply.output)
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

/** The machine hands it what it made itself, and checks what it gives. */
const functionOf =
  (aggregate: (replies: readonly ParallelReply[], input: Json) => unknown) =>
  (replies: Json = [], input: Json = null): Json =>
    aggregate(replies as readonly ParallelReply[], input) as Json;

/**
 * All at the same time: every member on the whole input, or (`each`) one member on every item of a list.
 *
 * The replies come in order, also where a later one was done first. One that fails is a reply with its error, and the others go on: the
 * team completes unless nobody has answered, the `quorum` is not met, or it `failsFast`. An `aggregator` that fails takes
 * nothing away: the run ends `stopped { rule: 'aggregator' }`, and the replies are its candidate.
 *
 * Not for parts of one task that somebody has to cut first (`supervisorWorker`), nor for several tries at one answer
 * (`ensemble`): here nobody reads what the others wrote.
 *
 * @example
 * const checks = parallel({ name: 'checks', members: { spelling, facts, tone } });
 * const { output } = await checks.run('The moon is made of cheese.'); // [{ member: 'spelling', output: … }, …]
 *
 * @example
 * const summaries = parallel({ name: 'summaries', each: summariser, aggregator: (replies) => replies.length });
 * await summaries.run(['page one', 'page two']);
 *
 * @throws {TroupeError} `team.invalid` without members, for one called `aggregator` or that is no agent, for a number that
 * bounds nothing, or a quorum of more than there are.
 */
export const parallel = pattern({
  name: 'parallel',
  description: 'All work at the same time, up to a cap; their replies are joined in order.',
  setup: () =>
    setupShape<ParallelBounds<unknown> & Record<'members' | 'each', unknown>>({
      members: anything(),
      each: anything(),
      concurrency: wholeNumber(1),
      quorum: wholeNumber(1),
      failsFast: aBoolean(),
      aggregator: anything(),
    }),
  defaults: DEFAULTS,
  own: { replies: [] },
  // Work is handed on among those who have the same to do.
  handsOnTo: ({ members }) => members,
  actions: { deal, join, askAggregator, takeAnswer },
  guards: { hasTasks: ({ round }) => round.open > 0 },
  initial: 'dealing',
  states: {
    dealing: {
      description: 'The input is dealt out: to everybody, or item by item.',
      entry: 'deal',
      always: ['failed', { guard: 'hasTasks', target: 'gathering' }, 'joining'],
    },
    gathering: {
      description: 'All are at work; who is done first does not come first.',
      awaits: 'joining',
    },
    joining: {
      description: 'Have enough answered, and is there more to be made of the replies?',
      entry: 'join',
      always: ['completed', 'failed', 'stopped', 'reducing'],
    },
    reducing: {
      description: 'The aggregator makes one answer of all replies.',
      entry: 'askAggregator',
      awaits: 'reduced',
    },
    reduced: {
      description: 'Is there an answer, or are the replies all that there is?',
      entry: 'takeAnswer',
      always: ['completed', 'stopped'],
    },
  },
  team:
    (open) =>
    <
      Input,
      Outputs,
      Item = never,
      Made = unknown,
      Output = [Item] extends [never] ? readonly ReplyOf<Outputs>[] : readonly ReplyFrom<string, Made>[],
    >(
      setup: ParallelSetup<Input, Output, Outputs> | ParallelMapSetup<Item, Output, Made>,
    ): EmbeddableAgent<[Item] extends [never] ? Input : readonly Item[], Output, ParallelState> => {
      const { check, make } = open(setup);
      const { name, each, aggregator, quorum = null, concurrency = 10, failsFast = false } = setup;
      const workers: Readonly<Record<string, Member>> =
        each === undefined ? setup.members : { [memberOf(name, 'each', each).name]: each };
      const roles = check.asked('members', workers, { reserved: [AGGREGATOR] });
      if (quorum !== null && each === undefined && quorum > roles.length)
        check.refuse(`its quorum is more than its members, of whom there are ${roles.length}`, quorum);
      const readers = Object.entries(workers).flatMap(([role, member]) =>
        memberOf(name, role, member).agent?.takesText === true ? [role] : [],
      );
      const reads = aggregator === undefined || typeof aggregator === 'function' ? undefined : aggregator;
      const joins = reads === undefined ? aggregator && 'the aggregate' : AGGREGATOR;
      const first = quorum === null ? '' : `the first ${quorum}`;
      return make({
        flow: [
          [OUTSIDE, roles, each === undefined ? '' : 'each item'],
          ...(joins === undefined
            ? [[roles, OUTSIDE, first] as const]
            : [[roles, joins, first] as const, [joins, OUTSIDE] as const]),
        ],
        members:
          reads === undefined
            ? workers
            : { ...workers, [AGGREGATOR]: roleOf(reads, { team: name, role: AGGREGATOR }) },
        ...(typeof aggregator === 'function' ? { functions: { [AGGREGATE]: functionOf(aggregator) } } : {}),
        options: {
          members: each === undefined ? roles : [],
          each: each === undefined ? null : (roles[0] ?? null),
          readers,
          cap: concurrency,
          quorum,
          failsFast,
          aggregator: reads === undefined ? (aggregator === undefined ? 'none' : 'function') : 'agent',
        },
      });
    },
});
