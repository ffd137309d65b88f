import { assign } from 'xstate';
import type { Json } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { confidenceOf, messageLines, troubleOf, wordsOf } from './round/reply-text.ts';
import { saidJson, textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './round/setup-team.ts';
import type { TeamContext, TeamEnd, TeamInput } from './round/team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

/** The member that decides a debate, which no debater may be called. */
export const JUDGE = 'judge';

/** For the motion, or against it. */
export type Side = 'for' | 'against';

/** Who speaks for what, and for how long. */
export type DebateOptions = {
  /** In the order in which they speak. */
  readonly debaters: readonly { readonly name: string; readonly side: Side }[];
  /** Turns of each: an opening, rebuttals, a closing. */
  readonly rounds: number;
  readonly isJudged: boolean;
};

/** One turn of one member, in the order in which they were spoken. */
export type DebateTurn = {
  readonly stage: 'opening' | 'rebuttal' | 'closing';
  readonly round: number;
  readonly member: string;
  readonly side: Side;
  /** Null where the speaker failed. */
  readonly text: string | null;
  /** Why nothing was said; null if something was. */
  readonly error: string | null;
};

/** What a debate came to. */
export type DebateResult = {
  readonly decision: Side | 'tie';
  /** From 0 to 1. */
  readonly confidence: number;
  readonly reason: string | null;
  readonly turns: readonly DebateTurn[];
};

/** What was said so far, in order. */
export type DebateState = { readonly turns: readonly DebateTurn[] };
type Context = TeamContext<DebateState, DebateOptions>;

/** Whose turn it is, and which; undefined once all have spoken. */
const turnOf = ({ own, options }: Context): Omit<DebateTurn, 'text' | 'error'> | undefined => {
  const { debaters, rounds } = options;
  const spoken = own.turns.length;
  const debater = debaters[spoken % Math.max(1, debaters.length)];
  const round = Math.floor(spoken / Math.max(1, debaters.length)) + 1;
  if (debater === undefined || round > rounds) return undefined;
  return { stage: stageOf(round, rounds), round, member: debater.name, side: debater.side };
};

const stageOf = (round: number, rounds: number): DebateTurn['stage'] => {
  if (round === 1) return 'opening';
  return round === rounds ? 'closing' : 'rebuttal';
};

const giveFloor = (context: Context): Partial<Context> => {
  const turn = turnOf(context);
  if (turn === undefined) return {};
  const task = { member: turn.member, input: question(context, turn) };
  return { inbox: [], ...beginRound(context, [task]) };
};

const TASKS: Readonly<Record<DebateTurn['stage'], string>> = {
  opening: 'Open: make your case, with your best arguments.',
  rebuttal: 'Rebut: answer what your opponents have just said, point by point.',
  closing: 'Close: sum up why your side has the better case. Bring in nothing new.',
};

const question = (
  { input, own, options, inbox }: Context,
  { stage, round, member, side }: Omit<DebateTurn, 'text' | 'error'>,
): string => {
  const last = (name: string): DebateTurn | undefined =>
    own.turns.findLast((turn) => turn.member === name && turn.text !== null);
  const others = options.debaters.filter((debater) => debater.side !== side);
  // Openings are made without knowing what the others say.
  const heard = stage === 'opening' ? [] : others.flatMap(({ name }) => last(name) ?? []);
  const before = last(member);
  return [
    `Motion: ${textOf(input)}`,
    `You are ${member}, and speak ${side} the motion. Turn ${round} of ${options.rounds}.`,
    ...(before === undefined ? [] : [`Your last turn:\n${turnText(before)}`]),
    ...(heard.length === 0 ? [] : [`Your opponents' last turns:\n${heard.map(turnText).join('\n')}`]),
    ...messageLines(inbox),
    TASKS[stage],
  ].join('\n\n');
};

const turnText = ({ stage, member, side, text, error }: DebateTurn): string =>
  `[${member}, ${side}, ${stage}] ${text ?? `(said nothing: ${error ?? ''})`}`;

/** A turn is over: it stands in the transcript, also where nothing was said. */
const hear = (context: Context): Partial<Context> => {
  const turn = turnOf(context);
  const [reply] = repliesOf(context);
  if (turn === undefined || reply === undefined) return {};
  const error = troubleOf(reply);
  const text = error === null ? textOf(reply.output) : null;
  const turns = [...context.own.turns, { ...turn, text, error }];
  const own = { turns };
  const spent = spentEnd(context);
  if (spent !== undefined) return { own, end: { ...spent, candidate: turns } };
  const isOver = turnOf({ ...context, own }) === undefined;
  const isSilent = turns.every((each) => each.text === null);
  // Nobody has opened: there is nothing to rebut.
  if (isSilent && turns.length >= context.options.debaters.length) {
    const cause = reply.error === null ? {} : { error: reply.error };
    return {
      own,
      end: { status: 'failed', stopReason: { kind: 'failed' }, candidate: turns, ...cause },
    };
  }
  return isOver && !context.options.isJudged ? { own, end: answered(turns) } : { own };
};

const answered = (output: Json): TeamEnd => ({
  status: 'completed',
  stopReason: { kind: 'answered' },
  output,
});

const askJudge = (context: Context): Partial<Context> => {
  const { input, own, inbox } = context;
  const text = [
    `Motion: ${textOf(input)}`,
    `The whole debate, in order:\n${own.turns.map(turnText).join('\n')}`,
    ...messageLines(inbox),
    'Judge which side has made the better case, by what was said here and nothing else. Answer by JSON: {"decision": "for" | "against" | "tie", "confidence": 0 to 1, "reason": "why"}; or by the word alone.',
  ].join('\n\n');
  return { inbox: [], ...beginRound(context, [{ member: JUDGE, input: text }]) };
};

/** The judgement; without it the transcript is all that there is. */
const decide = (context: Context): Partial<Context> => {
  const [reply] = repliesOf(context);
  const { turns } = context.own;
  if (reply === undefined) return {};
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: { ...spent, candidate: turns } };
  const trouble = troubleOf(reply);
  if (trouble !== null) {
    const detail = `nobody has judged it, as the judge failed: ${trouble}`;
    const stopReason = { kind: 'rule', rule: JUDGE, detail } as const;
    return { end: { status: 'stopped', stopReason, candidate: turns } };
  }
  const result: DebateResult = { ...judgementIn(reply.output), turns };
  return { end: answered(result) };
};

const judgementIn = (output: Json): Omit<DebateResult, 'turns'> => {
  const said = saidJson(output);
  if (isJsonObject(said))
    return {
      decision: decisionIn(said['decision']),
      confidence: confidenceOf(said['confidence']),
      reason: wordsOf(said['reason']),
    };
  const text = textOf(said).replaceAll(/[*_`"']/g, '');
  const [, word] = /^\s*(for|against|tie)\b(?!-)/i.exec(text) ?? [];
  return { decision: decisionIn(word), confidence: 0.5, reason: wordsOf(text) };
};

/** What is no decision is a tie. */
const decisionIn = (said: Json | undefined): DebateResult['decision'] => {
  const word = typeof said === 'string' ? said.trim().toLowerCase() : '';
  return word === 'for' || word === 'against' ? word : 'tie';
};

const DEFAULTS: DebateOptions = { debaters: [], rounds: 1, isJudged: false };

/**
 * Debaters speak in turn, each answering what the opponents said last; a judge who has heard all of it decides.
 *
 * The transcript lives in this team's own context: a judge cannot come upon the arguments of another debate.
 */
export const debateMachine = onDemand(() =>
  setupTeam<DebateState, DebateOptions>()
    .extend({
      actions: {
        giveFloor: assign(({ context }) => giveFloor(context)),
        hear: assign(({ context }) => hear(context)),
        askJudge: assign(({ context }) => askJudge(context)),
        decide: assign(({ context }) => decide(context)),
      },
      guards: {
        isOpening: ({ context }) => turnOf(context)?.stage === 'opening',
        isRebuttal: ({ context }) => turnOf(context)?.stage === 'rebuttal',
        isClosing: ({ context }) => turnOf(context)?.stage === 'closing',
      },
    })
    .createMachine({
      id: 'debate',
      description: 'Debaters speak in turn for and against a motion, and a judge decides.',
      context: ({ input }: { input: TeamInput<DebateOptions> | undefined }) =>
        // Nobody speaks for another.
        teamContext(input && { ...input, members: [] }, { turns: [] }, DEFAULTS),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'opening',
      on: teamArrows,
      states: {
        opening: {
          description: 'A debater makes the case, without knowing what the others say.',
          entry: ['giveFloor', { type: 'entered', params: { phase: 'opening' } }, 'engageMembers'],
          ...awaiting('hearing'),
        },
        rebutting: {
          description: 'A debater answers what the opponents said last.',
          entry: ['giveFloor', { type: 'entered', params: { phase: 'rebutting' } }, 'engageMembers'],
          ...awaiting('hearing'),
        },
        closing: {
          description: 'A debater sums up.',
          entry: ['giveFloor', { type: 'entered', params: { phase: 'closing' } }, 'engageMembers'],
          ...awaiting('hearing'),
        },
        hearing: {
          description: 'The turn is taken down: who speaks next, or have all been heard?',
          entry: ['hear', { type: 'entered', params: { phase: 'hearing' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'isOpening', target: 'opening' },
            { guard: 'isRebuttal', target: 'rebutting' },
            { guard: 'isClosing', target: 'closing' },
            { target: 'judgement' },
          ],
        },
        judgement: {
          description: 'The judge reads the whole debate, and decides.',
          entry: ['askJudge', { type: 'entered', params: { phase: 'judgement' } }, 'engageMembers'],
          ...awaiting('judged'),
        },
        judged: {
          description: 'Is there a decision, or is the transcript all that there is?',
          entry: ['decide', { type: 'entered', params: { phase: 'judged' } }],
          always: [{ guard: 'isCompleted', target: 'completed' }, { target: 'stopped' }],
        },
        ...teamEnds,
      },
    }),
);
