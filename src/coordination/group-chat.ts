import { assign } from 'xstate';
import { errorData } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';
import { atOnce, rulesInForce } from '../machines/rules.ts';
import type {
  ChatTurn,
  GroupChatContext as Context,
  GroupChatOptions,
  GroupChatOwn as Own,
} from './state/group-chat-talk.ts';
import {
  conversation,
  lineOf,
  listening,
  MODERATOR,
  NEXT_SPEAKER,
  utterances,
} from './state/group-chat-talk.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { troubleOf, wordsOf } from './round/reply-text.ts';
import { saidJson, textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './round/setup-team.ts';
import { callOn } from './round/talk.ts';
import type { TeamEnd, TeamInput } from './round/team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

/** A moderator that names nobody who is there is told so this often in a row. */
const MAX_CORRECTIONS = 1;

/** Said by who has nothing to add. */
const PASSES = /^\W*pass\W*$/i;

const askModerator = (before: Context): Partial<Context> => {
  const context = listening(before);
  const { options, own } = context;
  const members = Object.entries(options.members).map(([name, what]) =>
    what === '' ? name : `${name}: ${what}`,
  );
  const question = [
    conversation(context),
    `Speakers:\n${members.map((line) => `- ${line}`).join('\n')}`,
    `Turns left: ${options.maxRounds - own.turns.length}.`,
    ...(own.note === null ? [] : [own.note]),
    'Say who speaks next, as {"next": "NAME"}; or, when all is said, {"next": null, "conclusion": "…"}.',
  ].join('\n\n');
  return { inbox: [], own, ...beginRound(context, [{ member: MODERATOR, input: question }]) };
};

/** Who speaks next without a moderator: the next in the row, or whom the function names. */
const call = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const names = Object.keys(options.members);
  if (options.moderation === 'turns') {
    // A whole round in which nobody had anything to add is the end.
    const last = own.turns.slice(-names.length);
    const isDry = last.length === names.length && last.every(({ text }) => text === null);
    return { own: { ...own, next: isDry ? null : (names[own.turns.length % names.length] ?? null) } };
  }
  const next = rulesInForce().functions?.[NEXT_SPEAKER];
  try {
    const said = next === undefined ? null : atOnce(next([...own.turns], context.input));
    if (said === null || (typeof said === 'string' && names.includes(said)))
      return { own: { ...own, next: said } };
    const found = `'${textOf(said)}' is none of the members: ${names.join(', ')}`;
    return { end: failed(new Error(`nextSpeaker named nobody who is there: ${found}`)) };
  } catch (thrown) {
    return { end: failed(thrown) };
  }
};

const failed = (thrown: unknown): TeamEnd => ({
  status: 'failed',
  stopReason: { kind: 'failed' },
  error: errorData(thrown, 'agent.threw', {
    message: 'Cannot go on with the chat as nobody knows who speaks next',
  }),
});

/** What the moderator said: a name, or that it is over. Anything else is pointed out to it once. */
const heedModerator = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: { ...spent, candidate: [...own.turns] } };
  const trouble = troubleOf(reply);
  if (trouble !== null) return { end: withoutModerator(own, `the ${MODERATOR} failed: ${trouble}`) };
  const { next, conclusion } = readWord(reply.output, Object.keys(options.members));
  if (next !== undefined) return { own: { ...own, next, conclusion, note: null, corrections: 0 } };
  if (own.corrections >= MAX_CORRECTIONS)
    return { end: withoutModerator(own, `the ${MODERATOR} names nobody who is there`) };
  const names = Object.keys(options.members).join(', ');
  const note = `That names nobody who is there. The members are: ${names}.`;
  return { own: { ...own, note, corrections: own.corrections + 1 } };
};

const readWord = (
  said: Json,
  names: readonly string[],
): { readonly next: string | null | undefined; readonly conclusion: string | null } => {
  const data = saidJson(said);
  const word = isJsonObject(data) ? data['next'] : data;
  const conclusion = isJsonObject(data) ? wordsOf(data['conclusion']) : null;
  if (word === null || (isJsonObject(data) && word === undefined && conclusion !== null))
    return { next: null, conclusion };
  const name = typeof word === 'string' ? word.trim() : '';
  return { next: names.find((known) => known.toLowerCase() === name.toLowerCase()), conclusion };
};

const withoutModerator = (own: Own, detail: string): TeamEnd => ({
  status: 'stopped',
  stopReason: { kind: 'rule', rule: MODERATOR, detail },
  candidate: [...own.turns],
});

const speak = (before: Context): Partial<Context> => {
  const context = listening(before);
  const { own, options } = context;
  const { next: member } = own;
  if (member === null) return {};
  const introduction = `You are ${member}. Speak to the others, in your own name; answer PASS if you have nothing to add.`;
  if (!options.listeners.includes(member)) {
    const input = [conversation(context), introduction].join('\n\n');
    return { inbox: [], own, ...beginRound(context, [{ member, input }]) };
  }
  const message = `It is your turn, ${member}.`;
  const { briefing, cursors } = callOn(utterances(context), own.cursors, { member, introduction, message });
  return { inbox: [], own: { ...own, cursors }, ...beginRound(context, [briefing]) };
};

const hear = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const error = troubleOf(reply);
  const words = error === null ? textOf(reply.output) : null;
  const text = words === null || PASSES.test(words) ? null : words;
  const turns = [...own.turns, { member: own.next ?? reply.member, text, error }];
  const next = { ...own, turns };
  const spent = spentEnd(context);
  if (spent !== undefined) return { own: next, end: { ...spent, candidate: turns } };
  if (allGone(turns, Object.keys(options.members))) {
    const { status, stopReason } = reply;
    return {
      own: next,
      end: { status, stopReason, ...(reply.error === null ? {} : { error: reply.error }), candidate: turns },
    };
  }
  if (turns.length < options.maxRounds) return { own: next };
  // Who takes turns has had them; a moderator that never came to an end was stopped.
  if (options.moderation === 'turns') return { own: { ...next, next: null } };
  return {
    own: next,
    end: { status: 'stopped', stopReason: { kind: 'maxRounds', limit: options.maxRounds }, candidate: turns },
  };
};

/** Checks whether everybody who was to speak has failed, and nobody has said anything. */
const allGone = (turns: readonly ChatTurn[], names: readonly string[]): boolean =>
  turns.every(({ error }) => error !== null) &&
  names.every((name) => turns.some(({ member }) => member === name));

/** What was concluded; without a conclusion the conversation is the result. */
const conclude = ({ own }: Context): Partial<Context> => ({
  end: {
    status: 'completed',
    stopReason: { kind: 'answered' },
    output:
      own.conclusion ?? own.turns.flatMap((turn) => (turn.text === null ? [] : [lineOf(turn)])).join('\n'),
  },
});

const START: Own = {
  turns: [],
  next: null,
  conclusion: null,
  cursors: {},
  note: null,
  corrections: 0,
  heard: [],
};

/** One conversation that all read, in which one at a time speaks: who comes next, a moderator says, or the row. */
export const groupChatMachine = onDemand(() =>
  setupTeam<Own, GroupChatOptions>()
    .extend({
      actions: {
        askModerator: assign(({ context }) => askModerator(context)),
        heedModerator: assign(({ context }) => heedModerator(context)),
        call: assign(({ context }) => call(context)),
        speak: assign(({ context }) => speak(context)),
        hear: assign(({ context }) => hear(context)),
        conclude: assign(({ context }) => conclude(context)),
      },
      guards: {
        isModerated: ({ context }) => context.options.moderation === 'agent',
        mustAskAgain: ({ context }) => context.own.note !== null,
        hasSpeaker: ({ context }) => context.own.next !== null,
      },
    })
    .createMachine({
      id: 'groupChat',
      description: 'One conversation that all read, in which one at a time speaks.',
      context: ({ input }: { input: TeamInput<GroupChatOptions> | undefined }) =>
        teamContext(input && { ...input, members: [] }, START, {
          members: {},
          listeners: [],
          moderation: 'turns',
          maxRounds: 0,
        }),
      output: teamOutcome,
      options: { maxIterations: 10_000 },
      initial: 'choosing',
      on: teamArrows,
      states: {
        choosing: {
          description: 'Does somebody moderate, or is it clear who comes next?',
          entry: { type: 'entered', params: { phase: 'choosing' } },
          always: [{ guard: 'isModerated', target: 'moderating' }, { target: 'calling' }],
        },
        moderating: {
          description: 'The moderator says who speaks next, or that all is said.',
          entry: [{ type: 'entered', params: { phase: 'moderating' } }, 'askModerator', 'engageMembers'],
          ...awaiting('heeding'),
        },
        heeding: {
          description: 'Did the moderator name somebody who is there?',
          entry: ['heedModerator', { type: 'entered', params: { phase: 'heeding' } }],
          always: [
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'mustAskAgain', target: 'moderating' },
            { guard: 'hasSpeaker', target: 'speaking' },
            { target: 'concluding' },
          ],
        },
        calling: {
          description: 'Whose turn is it?',
          entry: ['call', { type: 'entered', params: { phase: 'calling' } }],
          always: [
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'hasSpeaker', target: 'speaking' },
            { target: 'concluding' },
          ],
        },
        speaking: {
          description: 'One speaks, having read all that was said.',
          entry: [{ type: 'entered', params: { phase: 'speaking' } }, 'speak', 'engageMembers'],
          ...awaiting('hearing'),
        },
        hearing: {
          description: 'All hear it. Are there turns left, and is anybody still there?',
          entry: ['hear', { type: 'entered', params: { phase: 'hearing' } }],
          always: [
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'hasSpeaker', target: 'choosing' },
            { target: 'concluding' },
          ],
        },
        concluding: {
          description: 'What was concluded, or all that was said.',
          entry: ['conclude', { type: 'entered', params: { phase: 'concluding' } }],
          always: { target: 'completed' },
        },
        ...teamEnds,
      },
    }),
);
