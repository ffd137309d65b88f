import type { Agent } from '../contracts/agents/agent.ts';
import { checkOptions } from '../contracts/errors/check-options.ts';
import { anything, wholeNumber } from '../base/schemas/option-schemas.ts';
import { answeredWith, stoppedBy } from '../coordination/round/ends.ts';
import { messageLines, troubleOf } from '../coordination/round/reply-text.ts';
import { textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext, TeamEnd } from '../coordination/round/team-context.ts';
import { repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { Insight, InsightBounds } from '../memory/memories/insights.ts';
import {
  insightBounds,
  insightStatistics,
  queryInsights,
  withInsight,
  withoutOld,
} from '../memory/memories/insights.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { TeamSetup } from '../runtime/define/team.ts';
import { memberOf } from '../runtime/define/team.ts';
import { memberWith } from './setup/member-with.ts';
import { pattern } from './setup/pattern.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';
import type { BoardReads } from './state/board-reading.ts';
import {
  boardDecisionSchema,
  decisionOf,
  insightLines,
  insightsIn,
  readsSchema,
  withoutGaps,
} from './state/board-reading.ts';

/** Somebody who knows something; `reads` is what it reads of the board: default what the controller reads. */
export type Specialist =
  | Agent<string, unknown>
  | { readonly agent: Agent<string, unknown>; readonly reads: BoardReads };

/** The specialists, the controller that chooses among them, and the bounds. */
export interface BlackboardSetup extends TeamSetup {
  /**
   * By capability, which is the name on the board. They take a text; what they answer is one insight, or several as JSON:
   * `{ insights: [{ content, importance, tags, segment, metadata }] }`.
   */
  readonly specialists: Readonly<Record<string, Specialist>>;
  /** Says who is next, or that the board is complete. */
  readonly controller: Role;
  /** The part of the board that the controller reads. Default: the 50 insights that matter most. */
  readonly reads?: BoardReads | undefined;
  /** Rounds: specialists consulted, however often; the controller is asked once more after the last. Default 5. */
  readonly maxRounds?: number | undefined;
  /** Insights on the board; one more, and the least important goes, of equals the oldest. Default 300. */
  readonly size?: number | undefined;
  /** The time that an insight is on the board, in ms. Default 3,600,000: an hour. */
  readonly maxAgeMs?: number | undefined;
}

/** The controller's member name, which no specialist may have. */
const CONTROLLER = 'controller';

/** The specialists, the part of the board that each reads, and the bounds. */
export type BlackboardOptions = {
  readonly specialists: readonly {
    readonly name: string;
    readonly description: string;
    readonly reads: BoardReads;
  }[];
  /** The part that the controller reads. */
  readonly reads: BoardReads;
  readonly maxRounds: number;
  readonly bounds: InsightBounds;
};

/** The state of a blackboard's run. */
export type BlackboardState = {
  /** In the order in which they came. */
  readonly insights: readonly Insight[];
  /** Insights that there was no room for, or whose time was over. */
  readonly gone: number;
  /** Specialists consulted, however often. */
  readonly rounds: number;
  /** True if the controller said that the board has all that is needed. */
  readonly converged: boolean;
  /** Consultations that brought nothing, and why. */
  readonly missing: readonly { readonly member: string; readonly reason: string }[];
};

type Own = BlackboardState & {
  readonly next: { readonly specialist: string; readonly task: string | null } | null;
  /** The insights noted last, for observers. */
  readonly fresh: readonly Insight[];
  /** Times in a row that the controller decided nothing. */
  readonly unread: number;
};
type Context = TeamContext<Own, BlackboardOptions>;

/** The board at the end of a run, the most important insights first. */
export type Board = {
  /** True if the controller said that it is complete, before all iterations were used up. */
  readonly converged: boolean;
  readonly rounds: number;
  /** The controller's answer; null where it gave none, or was not complete. */
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
  if (trouble !== null)
    return { end: endByRule(CONTROLLER, `the ${CONTROLLER} failed: ${trouble}`, context) };
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
  return { end: endByRule(CONTROLLER, detail, context) };
};

const outOfRounds = ({ maxRounds }: BlackboardOptions) => ({ kind: 'maxRounds', limit: maxRounds }) as const;

/** The controller's word ends it; but of nothing at all nothing is made. */
const complete = (answer: string | null, context: Context): Partial<Context> => {
  if (answer === null && onBoard(context).length === 0)
    return { end: endByRule('insights', 'it is said to be complete, and nothing is on the board', context) };
  const own = { ...context.own, converged: true, next: null };
  const output = boardOf({ ...context, own }, answer);
  return { own, end: answeredWith(output) };
};

const boardOf = (context: Context, answer: string | null): Board => {
  const { converged, rounds } = context.own;
  return { converged, rounds, answer, insights: onBoard(context) };
};

const withBoard = (end: TeamEnd, context: Context): TeamEnd => ({
  ...end,
  candidate: boardOf(context, null),
});

const endByRule = (rule: string, detail: string, context: Context): TeamEnd =>
  withBoard(stoppedBy(rule, detail), context);

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

/** Puts on the board what a specialist said; one that failed is missing, and the controller reads that. */
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
 * Specialists write what they find on a board that all of them read; a controller says who is next, until the board has all that is needed.
 *
 * The output is the board, with the controller's answer if it gave one. Past `maxRounds` the run ends `stopped { kind: 'maxRounds' }`,
 * and where the controller fails, or decides nothing twice in a row, `stopped { rule: 'controller' }`: the board is the candidate then, and
 * says `converged: false`. A specialist that fails adds nothing, and the controller reads that. Each run has a board of its own.
 *
 * Not where it is known who has to do what: a pipeline needs nobody who decides. Nor for work that can be done at the same time: here one
 * reads what the other wrote, so they take turns.
 *
 * @example
 * const desk = blackboard({ name: 'desk', specialists: { history, numbers }, controller: { model } });
 * const { output } = await desk.run('When will the bridge have to be closed?');
 * output?.insights[0]; // { agent: 'numbers', content: …, importance: 0.9, … }
 *
 * @throws {TroupeError} `team.invalid` without specialists, for one called `controller` or that is no agent, for what cannot be read of a
 * board, or a number that bounds nothing.
 */
export const blackboard = pattern({
  name: 'blackboard',
  description: 'Specialists write on a board that all read; a controller says who is next.',
  setup: () =>
    setupShape<BlackboardSetup>({
      specialists: anything(),
      controller: anything(),
      reads: readsSchema(),
      maxRounds: wholeNumber(1),
      size: wholeNumber(1),
      maxAgeMs: wholeNumber(1),
    }),
  defaults: { specialists: [], reads: {}, maxRounds: 0, bounds: { size: 1, maxAgeMs: null } },
  own: EMPTY,
  // Who is consulted is the controller's to say: nobody hands it on.
  handsOnTo: () => [],
  actions: { askController, choose, consult, note },
  tells: {
    tellInsights: ({ own }) =>
      own.fresh.map(({ agent, content, tags, importance, segment }) => ({
        type: 'insight.shared',
        member: agent,
        content,
        tags: [...tags],
        importance,
        segment,
      })),
  },
  guards: { isUndecided: ({ own }) => own.next === null },
  initial: 'reading',
  states: {
    reading: {
      description: 'The controller reads the board.',
      entry: 'askController',
      awaits: 'choosing',
    },
    choosing: {
      description: 'Is the board complete, and if not, who is to be consulted?',
      entry: 'choose',
      always: ['completed', 'stopped', { guard: 'isUndecided', target: 'reading' }, 'contributing'],
    },
    contributing: {
      description: 'The specialist who was chosen reads the board, and says what it knows beyond it.',
      entry: 'consult',
      awaits: 'noting',
    },
    noting: {
      description: 'What the specialist said is on the board.',
      entry: ['note', 'tellInsights'],
      always: ['stopped', 'reading'],
    },
  },
  team:
    (open) =>
    (setup: BlackboardSetup): EmbeddableAgent<string, Board, BlackboardState> => {
      const { check, make } = open(setup);
      const {
        name,
        specialists,
        reads = { limit: 50 },
        maxRounds = 5,
        size = insightBounds.team.size,
        maxAgeMs = insightBounds.team.maxAgeMs,
      } = setup;
      const names = check.asked('specialists', specialists, { reserved: [CONTROLLER] });
      const known = Object.entries(specialists).map(([role, given]) => {
        const [agent, { reads: own = reads }] = memberWith<{ readonly reads: BoardReads }>(
          name,
          role,
          given,
          ['reads'],
        );
        return { agent, reads: own, role, description: memberOf(name, role, agent).description };
      });
      for (const { reads: own } of known)
        checkOptions(readsSchema(), own, { code: 'team.invalid', owner: `the reads of the team '${name}'` });
      for (const { notBy } of [reads, ...known.map((specialist) => specialist.reads)])
        if (notBy !== undefined && !names.includes(notBy))
          check.refuse(`its reads.notBy is no specialist; there are ${names.join(', ')}`, notBy);
      const role = { team: name, role: CONTROLLER, output: boardDecisionSchema() };
      return make({
        flow: [
          [OUTSIDE, 'the board'],
          ['the board', CONTROLLER, 'is read'],
          [CONTROLLER, names, 'who is next'],
          ['the board', names, 'is read'],
          [names, 'the board', 'findings'],
          [CONTROLLER, OUTSIDE],
        ],
        members: {
          ...Object.fromEntries(known.map((specialist) => [specialist.role, specialist.agent])),
          [CONTROLLER]: roleOf(setup.controller, role),
        },
        options: {
          specialists: known.map((specialist) => ({
            name: specialist.role,
            description: specialist.description,
            reads: withoutGaps(specialist.reads),
          })),
          reads: withoutGaps(reads),
          maxRounds,
          bounds: { size, maxAgeMs },
        },
      });
    },
});
