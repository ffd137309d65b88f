import { assign } from 'xstate';
import * as z from 'zod';
import type { Insight, InsightBounds, InsightQuery } from '../memory/insights.ts';
import { insightStatistics, queryInsights, withInsight, withoutOld } from '../memory/insights.ts';
import { decisionOf, insightLines, insightsIn } from './state/board-reading.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { messageLines, troubleOf } from './round/reply-text.ts';
import { textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds, tell } from './round/setup-team.ts';
import type { TeamContext, TeamEnd, TeamInput } from './round/team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

/** The controller's member name, which no specialist may have. */
export const CONTROLLER = 'controller';

/** Which insights of the board somebody reads. */
export type BoardReads = Omit<InsightQuery, 'now'>;

/** Who may be consulted, who reads what, and how much there may be. */
export type BlackboardOptions = {
  readonly specialists: readonly {
    readonly name: string;
    readonly description: string;
    readonly reads: BoardReads;
  }[];
  /** What the controller reads. */
  readonly reads: BoardReads;
  readonly maxRounds: number;
  readonly bounds: InsightBounds;
};

/** What a controller decides; what it leaves out is null. */
export const boardDecisionSchema = onDemand(() =>
  z.object({
    complete: z.boolean().describe('Whether the board has all that the request needs.'),
    next: z.string().nullable().catch(null).describe('Whom to consult next; null once it is complete.'),
    task: z
      .string()
      .nullable()
      .catch(null)
      .describe('What to find out in particular; null for the request as it is.'),
    answer: z
      .string()
      .nullable()
      .catch(null)
      .describe('The answer, once it is complete; null for the board as it is.'),
  }),
);

/** What is known of a blackboard's run beside its output. */
export type BlackboardState = {
  /** In the order in which they came. */
  readonly insights: readonly Insight[];
  /** Insights that there was no room for, or whose time was over. */
  readonly gone: number;
  /** Specialists consulted, however often. */
  readonly rounds: number;
  /** True if the controller said that the board has all that is needed. */
  readonly converged: boolean;
  /** Who was consulted for nothing, and why. */
  readonly missing: readonly { readonly member: string; readonly reason: string }[];
};

type Own = BlackboardState & {
  readonly next: { readonly specialist: string; readonly task: string | null } | null;
  /** What was noted last, for observers. */
  readonly fresh: readonly Insight[];
  /** Times in a row that the controller decided nothing. */
  readonly unread: number;
};
type Context = TeamContext<Own, BlackboardOptions>;

/** What is on the board at the end of a run, the most important first. */
export type Board = {
  /** True if the controller said that it is complete, before all iterations were used up. */
  readonly converged: boolean;
  readonly rounds: number;
  /** What the controller made of it; null where it said nothing, or was not complete. */
  readonly answer: string | null;
  readonly insights: readonly Insight[];
};

/** A controller that decides nothing is asked again this often. */
const MAX_UNREAD = 1;

/** The board as somebody reads it; what is too old by now is on it no more. */
const onBoard = ({ own, options, tally }: Context, reads: BoardReads = {}): readonly Insight[] =>
  queryInsights(withoutOld(own.insights, options.bounds, tally.now), { ...reads, now: tally.now });

const boardLines = (context: Context, reads: BoardReads): string => {
  const read = onBoard(context, reads);
  const { insights, agents } = insightStatistics(onBoard(context));
  if (insights === 0) return 'There is nothing on the board yet.';
  const shown = read.length === insights ? `${insights}` : `${read.length} of ${insights}`;
  const lines = [`Board (${shown} insights by ${agents.join(', ')}; the most important first):`];
  return [...lines, ...(read.length === 0 ? [] : [insightLines(read)])].join('\n');
};

const askController = (context: Context): Partial<Context> => {
  const { input, inbox, options, own } = context;
  const left = options.maxRounds - own.rounds;
  const text = [
    `Request: ${textOf(input)}`,
    `Specialists:\n${options.specialists
      .map(({ name, description }) => `- ${name}${description === '' ? '' : `: ${description}`}`)
      .join('\n')}`,
    boardLines(context, options.reads),
    ...own.missing.map(({ member, reason }) => `${member} was consulted for nothing: ${reason}`),
    ...messageLines(inbox),
    ...(own.unread === 0
      ? []
      : ['What you said before was no decision, or named a specialist that there is not.']),
    left === 0
      ? 'Nobody may be consulted any more: say whether the board has all that the request needs.'
      : `Decide whether the board has all that the request needs, and if not, who is to be consulted next (${left} more at most).`,
    'Answer with JSON: {"complete": boolean, "next": name or null, "task": what to find out or null, "answer": the answer or null}.',
  ].join('\n\n');
  return { inbox: [], ...beginRound(context, [{ member: CONTROLLER, input: text }]) };
};

const choose = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: withBoard(spent, context) };
  const trouble = troubleOf(reply);
  if (trouble !== null) return { end: ruled(CONTROLLER, `the ${CONTROLLER} failed: ${trouble}`, context) };
  const decision = decisionOf(
    reply.output,
    options.specialists.map(({ name }) => name),
  );
  if (decision?.complete === true) return complete(decision.answer, context);
  if (own.rounds >= options.maxRounds)
    return { end: withBoard({ status: 'stopped', stopReason: outOfRounds(options) }, context) };
  if (decision !== undefined)
    return { own: { ...own, unread: 0, next: { specialist: decision.next, task: decision.task } } };
  if (own.unread < MAX_UNREAD) return { own: { ...own, unread: own.unread + 1, next: null } };
  const detail = `the ${CONTROLLER} decided nothing: ${textOf(reply.output).slice(0, 100)}`;
  return { end: ruled(CONTROLLER, detail, context) };
};

const outOfRounds = ({ maxRounds }: BlackboardOptions) => ({ kind: 'maxRounds', limit: maxRounds }) as const;

/** The controller's word ends it; but of nothing at all nothing is made. */
const complete = (answer: string | null, context: Context): Partial<Context> => {
  if (answer === null && onBoard(context).length === 0)
    return { end: ruled('insights', 'it is said to be complete, and nothing is on the board', context) };
  const own = { ...context.own, converged: true, next: null };
  const output = boardOf({ ...context, own }, answer);
  return { own, end: { status: 'completed', stopReason: { kind: 'answered' }, output } };
};

const boardOf = (context: Context, answer: string | null): Board => {
  const { converged, rounds } = context.own;
  return { converged, rounds, answer, insights: onBoard(context) };
};

const withBoard = (end: TeamEnd, context: Context): TeamEnd => ({
  ...end,
  candidate: boardOf(context, null),
});

const ruled = (rule: string, detail: string, context: Context): TeamEnd =>
  withBoard({ status: 'stopped', stopReason: { kind: 'rule', rule, detail } }, context);

const consult = (context: Context): Partial<Context> => {
  const { input, options, own } = context;
  const specialist = options.specialists.find(({ name }) => name === own.next?.specialist);
  if (specialist === undefined) return {};
  const task = own.next?.task ?? null;
  const text = [
    `Request: ${textOf(input)}`,
    ...(task === null ? [] : [`Find out: ${task}`]),
    boardLines(context, specialist.reads),
    'Say what you know or find out beyond what is on the board: as text, or as JSON {"insights": [{"content": text, "importance": 0 to 1, "tags": [text], "segment": text}]}.',
  ].join('\n\n');
  return {
    own: { ...own, rounds: own.rounds + 1 },
    ...beginRound(context, [{ member: specialist.name, input: text }]),
  };
};

/** What a specialist said is on the board for all; one that failed is missing, and the controller is told. */
const note = (context: Context): Partial<Context> => {
  const { own, options, tally } = context;
  const [reply] = repliesOf(context);
  const specialist = own.next?.specialist;
  if (reply === undefined || specialist === undefined) return {};
  const fresh =
    reply.status === 'completed' ? insightsIn(reply.output, { agent: specialist, at: tally.now }) : [];
  const insights = fresh.reduce<readonly Insight[]>(
    (all, insight) => withInsight(all, insight, options.bounds),
    own.insights,
  );
  const reason = troubleOf(reply) ?? (fresh.length === 0 ? 'it said nothing' : null);
  const next: Own = {
    ...own,
    insights,
    fresh,
    gone: own.gone + own.insights.length + fresh.length - insights.length,
    missing: reason === null ? own.missing : [...own.missing, { member: specialist, reason }],
  };
  const spent = spentEnd(context);
  return {
    own: next,
    ...(spent === undefined ? {} : { end: withBoard(spent, { ...context, own: next }) }),
  };
};

const EMPTY: Own = {
  insights: [],
  gone: 0,
  rounds: 0,
  converged: false,
  next: null,
  missing: [],
  fresh: [],
  unread: 0,
};

/**
 * Specialists write what they find on a board that all of them read, one after the other; a controller reads it and says who is next, until it
 * has all that is needed.
 */
export const blackboardMachine = onDemand(() =>
  setupTeam<Own, BlackboardOptions>()
    .extend({
      actions: {
        askController: assign(({ context }) => askController(context)),
        choose: assign(({ context }) => choose(context)),
        consult: assign(({ context }) => consult(context)),
        note: assign(({ context }) => note(context)),
        tellInsights: ({ self, context }) => {
          for (const { agent, content, tags, importance, segment } of context.own.fresh) {
            const body = { member: agent, content, tags: [...tags], importance, segment };
            tell(self, { type: 'insight.shared', ...body }, context, 'noting');
          }
        },
      },
      guards: { isUndecided: ({ context: { own } }) => own.next === null },
    })
    .createMachine({
      id: 'blackboard',
      description: 'Specialists write on a board that all read; a controller says who is next.',
      context: ({ input }: { input: TeamInput<BlackboardOptions> | undefined }) =>
        // Who is consulted is the controller's to say: nobody hands it on.
        teamContext(input && { ...input, members: [] }, EMPTY, {
          specialists: [],
          reads: {},
          maxRounds: 0,
          bounds: { size: 1, maxAgeMs: null },
        }),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'reading',
      on: teamArrows,
      states: {
        reading: {
          description: 'The controller reads the board.',
          entry: ['askController', { type: 'entered', params: { phase: 'reading' } }, 'engageMembers'],
          ...awaiting('choosing'),
        },
        choosing: {
          description: 'Is the board complete, and if not, who is to be consulted?',
          entry: ['choose', { type: 'entered', params: { phase: 'choosing' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'isUndecided', target: 'reading' },
            { target: 'contributing' },
          ],
        },
        contributing: {
          description: 'The specialist who was chosen reads the board, and says what it knows beyond it.',
          entry: ['consult', { type: 'entered', params: { phase: 'contributing' } }, 'engageMembers'],
          ...awaiting('noting'),
        },
        noting: {
          description: 'What the specialist said is on the board.',
          entry: ['note', { type: 'entered', params: { phase: 'noting' } }, 'tellInsights'],
          always: [{ guard: 'isStopped', target: 'stopped' }, { target: 'reading' }],
        },
        ...teamEnds,
      },
    }),
);
