import { assign } from 'xstate';
import { errorData } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';
import { atOnce, rulesInForce } from '../machines/rules.ts';
import { onDemand } from './on-demand.ts';
import { messageLines, troubleOf, wordsOf } from './reply-text.ts';
import { saidJson, textOf } from './said-json.ts';
import { beginRound } from './settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './setup-team.ts';
import type { TeamContext, TeamEnd, TeamInput } from './team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from './team-context.ts';

/** The member that says who speaks next, whose name no speaker may have. */
export const MODERATOR = 'moderator';

/** The name of the function that says who speaks next. */
export const NEXT_SPEAKER = 'nextSpeaker';

/** Who speaks, and who says who does. */
export type GroupChatOptions = {
  readonly members: Readonly<Record<string, string>>;
  /** `agent`: the member `moderator`. `turns`: one after the other. `function`: a pure function of the conversation. */
  readonly moderation: 'agent' | 'turns' | 'function';
  readonly maxRounds: number;
};

/** One turn of the conversation. Who passed said nothing, and who failed has an error. */
export type ChatTurn = {
  readonly member: string;
  readonly text: string | null;
  readonly error: string | null;
};

/** What was said, and what it came to. */
export type GroupChatState = {
  /** In order; also of those who passed or failed. */
  readonly turns: readonly ChatTurn[];
  /** What the moderator closed the chat with; null where nobody did. */
  readonly conclusion: string | null;
};

type Own = GroupChatState & {
  /** Who speaks next; null: nobody, the chat is over. */
  readonly next: string | null;
  /** Said to the moderator with its next question. */
  readonly note: string | null;
  readonly corrections: number;
};
type Context = TeamContext<Own, GroupChatOptions>;

/** A moderator that names nobody who is there is told so this often in a row. */
const MAX_CORRECTIONS = 1;

/** Said by who has nothing to add. */
const PASSES = /^\W*pass\W*$/i;

const conversation = ({ input, own, inbox }: Context): string =>
  [
    `Topic: ${textOf(input)}`,
    ...messageLines(inbox),
    ...(own.turns.length === 0 ? ['Nobody has spoken yet.'] : [own.turns.map(lineOf).join('\n')]),
  ].join('\n\n');

const lineOf = ({ member, text, error }: ChatTurn): string =>
  `${member}: ${text ?? (error === null ? '(passes)' : `(is not there: ${error})`)}`;

const askModerator = (context: Context): Partial<Context> => {
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
  return { inbox: [], ...beginRound(context, [{ member: MODERATOR, input: question }]) };
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

const speak = (context: Context): Partial<Context> => {
  const { own } = context;
  if (own.next === null) return {};
  const input = [
    conversation(context),
    `You are ${own.next}. Speak to the others, in your own name; answer PASS if you have nothing to add.`,
  ].join('\n\n');
  return { inbox: [], ...beginRound(context, [{ member: own.next, input }]) };
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

/** Whether everybody who was to speak has failed, and nobody has said anything. */
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

const START: Own = { turns: [], next: null, conclusion: null, note: null, corrections: 0 };

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
          on: awaiting('heeding'),
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
          on: awaiting('hearing'),
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
