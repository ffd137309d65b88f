import type { Cursors, Utterance } from '../../memory/processors/perspective.ts';
import { textOf } from '../../coordination/round/said-json.ts';
import type { Heard } from '../../coordination/round/talk.ts';
import { absence, inOrder, USER, withInbox } from '../../coordination/round/talk.ts';
import type { TeamContext } from '../../coordination/round/team-context.ts';

/** The member that says who speaks next, whose name no speaker may have. */
export const MODERATOR = 'moderator';

/** The name of the function that says who speaks next. */
export const NEXT_SPEAKER = 'nextSpeaker';

/** The options of a group chat: its members, and its moderator. */
export type GroupChatOptions = {
  readonly members: Readonly<Record<string, string>>;
  /** Members with their own conversation; the others are sent everything in one text. */
  readonly listeners: readonly string[];
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

/** The turns of a group chat, and its conclusion. */
export type GroupChatState = {
  /** In order; also of those who passed or failed. */
  readonly turns: readonly ChatTurn[];
  /** The moderator's conclusion; null where there is none. */
  readonly conclusion: string | null;
  /** The part of the conversation that each member was shown when it spoke last. */
  readonly cursors: Cursors;
};

/** The state of a group chat's team. */
export type GroupChatOwn = GroupChatState & {
  /** The next speaker; null: nobody, the chat is over. */
  readonly next: string | null;
  /** Said to the moderator with its next question. */
  readonly note: string | null;
  readonly corrections: number;
  readonly heard: readonly Heard[];
};
export type GroupChatContext = TeamContext<GroupChatOwn, GroupChatOptions>;
type Context = GroupChatContext;

/** The conversation as one text. */
export const conversation = ({ input, own }: Context): string =>
  [
    `Topic: ${textOf(input)}`,
    ...(own.turns.length === 0 ? ['Nobody has spoken yet.'] : []),
    ...(own.turns.length + own.heard.length === 0
      ? []
      : [
          inOrder(own.turns.map(lineOf), own.heard, ({ from, text }) => `Message from ${from}: ${text}`).join(
            '\n',
          ),
        ]),
  ].join('\n\n');

/** The conversation as what was said by whom. */
export const utterances = ({ input, own }: Context): readonly Utterance[] => [
  { from: USER, text: textOf(input) },
  ...inOrder(own.turns.map(utteranceOf), own.heard, ({ from, text }): Utterance => ({ from, text })),
];

const utteranceOf = ({ member, text, error }: ChatTurn): Utterance | null =>
  text === null ? (error === null ? null : absence(member, error)) : { from: member, text };

/** The context with what came into the inbox as part of the conversation. */
export const listening = (context: Context): Context => {
  const { own, inbox } = context;
  const heard = withInbox(own.heard, inbox, own.turns.length);
  return { ...context, inbox: [], own: { ...own, heard } };
};

/** A turn in one line. */
export const lineOf = ({ member, text, error }: ChatTurn): string =>
  `${member}: ${text ?? (error === null ? '(passes)' : `(is not there: ${error})`)}`;
