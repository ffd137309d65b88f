import type { Agent } from '../contracts/agents/agent.ts';
import { errorData } from '../contracts/errors/error.ts';
import type { Json } from '../base/json/json.ts';
import { isJsonObject } from '../base/json/json.ts';
import { anything, wholeNumber } from '../base/schemas/option-schemas.ts';
import { endedAs, failedWith, stoppedBy } from '../coordination/round/ends.ts';
import { troubleOf, wordsOf } from '../coordination/round/reply-text.ts';
import { saidJson, textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import { callOn } from '../coordination/round/talk.ts';
import type { TeamEnd } from '../coordination/round/team-context.ts';
import { repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import { atOnce } from '../machines/rules.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { TeamSetup } from '../runtime/define/team.ts';
import { descriptionsOf } from '../runtime/define/team.ts';
import { listenersOf } from './setup/listeners-of.ts';
import { pattern } from './setup/pattern.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';
import type {
  ChatTurn,
  GroupChatContext as Context,
  GroupChatOwn as Own,
  GroupChatState,
} from './state/group-chat-talk.ts';
import {
  MODERATOR,
  NEXT_SPEAKER,
  conversation,
  lineOf,
  listening,
  utterances,
} from './state/group-chat-talk.ts';
import { rulesInForce } from '../machines/in-force.ts';

/** Pure: who speaks next, given all turns so far; null when all is said. */
export type NextSpeaker = (turns: readonly ChatTurn[], topic: Json) => string | null;

/** The members of the chat, and its moderator. */
export interface GroupChatSetup extends TeamSetup {
  /** By name; at least two, none of them called `moderator`. Their descriptions tell the moderator who they are. */
  readonly members: Readonly<Record<string, Agent<string, unknown>>>;
  /**
   * The choice of the next speaker: `turns`, one after the other (default); a pure function; or somebody who is asked each time, and
   * answers `{ next }`, or `{ next: null, conclusion }`.
   */
  readonly moderator?: 'turns' | NextSpeaker | Role | undefined;
  /** Rounds, in each of which one speaks. Default 20. */
  readonly maxRounds?: number | undefined;
}

/** The number of times in a row that a moderator hears that it names nobody who is there. */
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

/** Calls the next speaker without a moderator: the next in the row, or the one that the function names. */
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
    return { end: failureEnd(new Error(`nextSpeaker named nobody who is there: ${found}`)) };
  } catch (thrown) {
    return { end: failureEnd(thrown) };
  }
};

const failureEnd = (thrown: unknown): TeamEnd => {
  const message = 'Cannot go on with the chat as nobody knows who speaks next';
  return failedWith(errorData(thrown, 'agent.threw', { message }));
};

/** Reads what the moderator said: a name, or that it is over. Anything else is pointed out to it once. */
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

const withoutModerator = (own: Own, detail: string): TeamEnd => stoppedBy(MODERATOR, detail, [...own.turns]);

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
    return { own: next, end: { ...endedAs(reply), candidate: turns } };
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

/** Ends with the conclusion; without one the conversation is the result. */
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

/**
 * A group chat: one conversation that all read, in which one at a time speaks.
 *
 * Each speaker has the conversation as its own: what it said is the assistant's, what was said since it spoke last stands in one block, and its
 * input is what it answers. A team or a person reads all of it as one text.
 *
 * A speaker that answers `PASS` said nothing; one that fails is not there this time, and the others go on. It ends with the moderator's
 * conclusion; where speakers take turns, with all that was said, after `maxRounds` or when a whole round has passed. A moderator that never comes to
 * an end is stopped by `maxRounds`, with the conversation as the candidate.
 *
 * Not where one has to be right: in a long conversation all come to agree with who speaks first; let them answer alone (`ensemble`, `consensus`).
 * Each turn sends the whole conversation again: it costs the square of its length.
 *
 * @example
 * const meeting = groupChat({ name: 'meeting', members: { engineer, designer }, moderator: { instructions: 'Keep it short.' } });
 * const { output, state } = await meeting.run('What shall we build next?');
 *
 * @throws {TroupeError} `team.invalid` for less than two members, one called `moderator` or that is no agent, or a number that
 * bounds nothing.
 */
export const groupChat = pattern({
  name: 'groupChat',
  description: 'One conversation that all read, in which one at a time speaks.',
  setup: () =>
    setupShape<GroupChatSetup>({
      members: anything(),
      moderator: anything(),
      maxRounds: wholeNumber(1),
    }),
  defaults: { members: {}, listeners: [], moderation: 'turns', maxRounds: 0 },
  own: START,
  handsOnTo: () => [],
  actions: { askModerator, heedModerator, call, speak, hear, conclude },
  guards: {
    isModerated: ({ options }) => options.moderation === 'agent',
    mustAskAgain: ({ own }) => own.note !== null,
    hasSpeaker: ({ own }) => own.next !== null,
  },
  maxIterations: 10_000,
  maxRounds: 100_000,
  initial: 'choosing',
  states: {
    choosing: {
      description: 'Does somebody moderate, or is it clear who comes next?',
      always: [{ guard: 'isModerated', target: 'moderating' }, 'calling'],
    },
    moderating: {
      description: 'The moderator says who speaks next, or that all is said.',
      entry: 'askModerator',
      awaits: 'heeding',
    },
    heeding: {
      description: 'Did the moderator name somebody who is there?',
      entry: 'heedModerator',
      always: [
        'stopped',
        { guard: 'mustAskAgain', target: 'moderating' },
        { guard: 'hasSpeaker', target: 'speaking' },
        'concluding',
      ],
    },
    calling: {
      description: 'Whose turn is it?',
      entry: 'call',
      always: ['failed', { guard: 'hasSpeaker', target: 'speaking' }, 'concluding'],
    },
    speaking: {
      description: 'One speaks, having read all that was said.',
      entry: 'speak',
      awaits: 'hearing',
    },
    hearing: {
      description: 'All hear it. Are there turns left, and is anybody still there?',
      entry: 'hear',
      always: ['stopped', 'failed', 'aborted', { guard: 'hasSpeaker', target: 'choosing' }, 'concluding'],
    },
    concluding: {
      description: 'What was concluded, or all that was said.',
      entry: 'conclude',
      always: 'completed',
    },
  },
  team:
    (open) =>
    (setup: GroupChatSetup): EmbeddableAgent<string, string, GroupChatState> => {
      const { check, make } = open(setup);
      const { name, members, moderator = 'turns', maxRounds = 20 } = setup;
      check.asked('members', members, { least: 2, reserved: [MODERATOR] });
      const isFunction = typeof moderator === 'function';
      const isAgent = !isFunction && moderator !== 'turns';
      const role = {
        team: name,
        role: MODERATOR,
        instructions:
          'You moderate a conversation. You do not take part in it: you say who speaks next, and when all is said.',
      };
      const speaks = isAgent ? MODERATOR : isFunction ? 'who speaks next' : 'in turns';
      return make({
        flow: [
          [OUTSIDE, speaks],
          [speaks, Object.keys(members), 'the word'],
          [Object.keys(members), speaks, 'what is said'],
          [speaks, OUTSIDE],
        ],
        members: isAgent ? { ...members, [MODERATOR]: roleOf(moderator, role) } : members,
        // The machine hands it the turns that it made itself.
        ...(isFunction
          ? {
              functions: {
                [NEXT_SPEAKER]: (turns: Json = [], topic: Json = null) =>
                  moderator(turns as readonly ChatTurn[], topic),
              },
            }
          : {}),
        options: {
          members: descriptionsOf(name, members),
          listeners: listenersOf(name, members),
          moderation: isAgent ? 'agent' : isFunction ? 'function' : 'turns',
          maxRounds,
        },
      });
    },
});
