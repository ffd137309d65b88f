import * as z from 'zod';
import type { Json } from '../base/json/json.ts';
import { isJsonObject } from '../base/json/json.ts';
import { onDemand } from '../base/on-demand.ts';
import { anything, byName, oneOf, optional, wholeNumber } from '../base/schemas/option-schemas.ts';
import { answeredWith, stoppedBy } from '../coordination/round/ends.ts';
import { confidenceOf, messageLines, troubleOf, wordsOf } from '../coordination/round/reply-text.ts';
import { saidJson, textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext } from '../coordination/round/team-context.ts';
import { repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { TeamSetup } from '../runtime/define/team.ts';
import { pattern } from './setup/pattern.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';

/** The debaters, the number of turns, and the judge. */
export interface DebateSetup<Judge extends Role | undefined = Role | undefined> extends TeamSetup {
  /** By name, in the order in which they speak; two at least, none of them called `judge`. They take a text. */
  readonly debaters: Readonly<Record<string, Role>>;
  /** For what each of them speaks. Default: the first for the motion, the second against it, and so on in turn. */
  readonly sides?: Readonly<Record<string, Side>> | undefined;
  /** Turns of each debater, and all of them are held: an opening, rebuttals, a closing. With one there is an opening only. Default 3. */
  readonly rounds?: number | undefined;
  /** Reads the whole of it and decides. Default: nobody, and the transcript is the result. */
  readonly judge?: Judge;
}

const judgementSchema = onDemand(() =>
  z.object({
    decision: z.enum(['for', 'against', 'tie']).catch('tie'),
    confidence: z.number().catch(0.5).describe('From 0 to 1: how clear the case is.'),
    reason: z.string().catch('').describe('Why, by what was said.'),
  }),
);

/** The member that decides a debate, which no debater may be called. */
const JUDGE = 'judge';

/** For the motion, or against it. */
export type Side = 'for' | 'against';

/** The debaters with their sides, and the number of turns. */
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
  /** The reason for which nothing was said; null if something was. */
  readonly error: string | null;
};

/** The result of a debate. */
export type DebateResult = {
  readonly decision: Side | 'tie';
  /** From 0 to 1. */
  readonly confidence: number;
  readonly reason: string | null;
  readonly turns: readonly DebateTurn[];
};

/** The turns so far, in order. */
export type DebateState = { readonly turns: readonly DebateTurn[] };
type Context = TeamContext<DebateState, DebateOptions>;

/** The next turn, and its speaker; undefined once all have spoken. */
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
  return isOver && !context.options.isJudged ? { own, end: answeredWith(turns) } : { own };
};

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
    return { end: stoppedBy(JUDGE, detail, turns) };
  }
  const result: DebateResult = { ...judgementIn(reply.output), turns };
  return { end: answeredWith(result) };
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

/** A decision as it was said; anything else is a tie. */
const decisionIn = (said: Json | undefined): DebateResult['decision'] => {
  const word = typeof said === 'string' ? said.trim().toLowerCase() : '';
  return word === 'for' || word === 'against' ? word : 'tie';
};

const DEFAULTS: DebateOptions = { debaters: [], rounds: 1, isJudged: false };

/**
 * Debaters speak for and against a motion, one after the other; a judge reads the whole turns, in order, and decides.
 *
 * In its opening nobody knows what the others say; from then on each reads the opponents' last turns. A turn whose speaker
 * fails stands in the transcript as such, and the debate goes on. A judge whose decision cannot be read has decided `tie`;
 * one that fails leaves the turns, as the candidate of a run that ends `stopped { rule: 'judge' }`.
 *
 * Not for finding an answer that nobody has yet (`ensemble`), nor where one critic would do: it costs a call for each turn of
 * each debater, one after the other.
 *
 * @example
 * const court = debate({ name: 'court', debaters: { ann, bob }, judge: { instructions: 'Be strict.' } });
 * const { output } = await court.run('Tabs are better than spaces.');
 * output?.decision; // 'for' | 'against' | 'tie'
 *
 * @throws {TroupeError} `team.invalid` for fewer than two debaters, one called `judge`, a side for nobody, all on one side, or
 * a number of rounds that bounds nothing.
 */
export const debate = pattern({
  name: 'debate',
  description: 'Debaters speak in turn for and against a motion, and a judge decides.',
  setup: () =>
    setupShape<DebateSetup>({
      debaters: anything(),
      sides: byName(optional(oneOf(['for', 'against']))),
      rounds: wholeNumber(1),
      judge: anything(),
    }),
  defaults: DEFAULTS,
  own: { turns: [] },
  // Nobody speaks for another.
  handsOnTo: () => [],
  actions: { giveFloor, hear, askJudge, decide },
  guards: {
    isOpening: (context) => turnOf(context)?.stage === 'opening',
    isRebuttal: (context) => turnOf(context)?.stage === 'rebuttal',
    isClosing: (context) => turnOf(context)?.stage === 'closing',
  },
  initial: 'opening',
  states: {
    opening: {
      description: 'A debater makes the case, without knowing what the others say.',
      entry: 'giveFloor',
      awaits: 'hearing',
    },
    rebutting: {
      description: 'A debater answers what the opponents said last.',
      entry: 'giveFloor',
      awaits: 'hearing',
    },
    closing: {
      description: 'A debater sums up.',
      entry: 'giveFloor',
      awaits: 'hearing',
    },
    hearing: {
      description: 'The turn is taken down: who speaks next, or have all been heard?',
      entry: 'hear',
      always: [
        'completed',
        'failed',
        'stopped',
        { guard: 'isOpening', target: 'opening' },
        { guard: 'isRebuttal', target: 'rebutting' },
        { guard: 'isClosing', target: 'closing' },
        'judgement',
      ],
    },
    judgement: {
      description: 'The judge reads the whole debate, and decides.',
      entry: 'askJudge',
      awaits: 'judged',
    },
    judged: {
      description: 'Is there a decision, or is the transcript all that there is?',
      entry: 'decide',
      always: ['completed', 'stopped'],
    },
  },
  team:
    (open) =>
    <Judge extends Role | undefined = undefined>(
      setup: DebateSetup<Judge>,
    ): EmbeddableAgent<
      string,
      [Judge] extends [undefined] ? readonly DebateTurn[] : DebateResult,
      DebateState
    > => {
      const { check, make } = open(setup);
      const { name, judge, sides = {}, rounds = 3 } = setup;
      const names = check.asked('debaters', setup.debaters, { least: 2, reserved: [JUDGE] });
      for (const each of Object.keys(sides))
        if (!names.includes(each)) check.refuse('there is no such debater to take a side', each);
      const debaters = names.map((each, index) => {
        const side: Side = sides[each] ?? (index % 2 === 0 ? 'for' : 'against');
        return { name: each, side };
      });
      if (new Set(debaters.map(({ side }) => side)).size < 2)
        check.refuse('all of its debaters are on one side', names.join(', '));
      const members = Object.entries(setup.debaters).map(
        ([role, given]) => [role, roleOf(given, { team: name, role })] as const,
      );
      const on = (wanted: Side) => debaters.filter(({ side }) => side === wanted).map((each) => each.name);
      return make({
        flow: [
          [OUTSIDE, on('for')],
          [on('for'), on('against'), `${rounds} rounds`],
          [on('against'), on('for')],
          ...(judge === undefined
            ? [[names, OUTSIDE] as const]
            : [[names, JUDGE, 'all that was said'] as const, [JUDGE, OUTSIDE] as const]),
        ],
        members: {
          ...Object.fromEntries(members),
          ...(judge === undefined
            ? {}
            : { [JUDGE]: roleOf(judge, { team: name, role: JUDGE, output: judgementSchema() }) }),
        },
        options: {
          debaters,
          rounds,
          isJudged: judge !== undefined,
        },
      });
    },
});
