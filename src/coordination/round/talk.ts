import type { Message } from '../../contracts/messages/message.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { Cursors, Utterance } from '../../memory/processors/perspective.ts';
import { advanceCursor, cursorOf, perspective } from '../../memory/processors/perspective.ts';
import type { Task } from './round.ts';

/** The author of the run's own input, and of what the runtime has to say, in a conversation. */
export const USER = 'user';
export const RUNTIME = 'runtime';

/** A message to the team, and the number of contributions of members that came before it. */
export type Heard = { readonly from: string; readonly text: string; readonly after: number };

/** The messages so far with those of the inbox behind them. */
export const withInbox = (
  heard: readonly Heard[],
  inbox: readonly Message[],
  after: number,
): readonly Heard[] =>
  inbox.length === 0 ? heard : [...heard, ...inbox.map(({ from, text }) => ({ from, text, after }))];

/** The contributions of members with the messages between them, in the order in which they came. A contribution of null is left out. */
export const inOrder = <T>(
  contributions: readonly (T | null)[],
  heard: readonly Heard[],
  asHeard: (message: Heard) => T,
): readonly T[] => {
  const all: T[] = [];
  let next = 0;
  const tellUntil = (index: number): void => {
    for (let message = heard[next]; message !== undefined && message.after <= index; message = heard[next]) {
      all.push(asHeard(message));
      next += 1;
    }
  };
  for (const [index, contribution] of contributions.entries()) {
    tellUntil(index);
    if (contribution !== null) all.push(contribution);
  }
  tellUntil(Infinity);
  return all;
};

/** The utterance in place of a member that did not answer. */
export const absence = (member: string, error: string): Utterance => ({
  from: RUNTIME,
  text: `${member} did not answer: ${error}`,
});

/** A call on a member to speak. */
export interface Call {
  readonly member: string;
  /** Stands before everything else, the same each time. */
  readonly introduction?: string | undefined;
  /** The reason for the call: the last word, where there is nothing to answer. */
  readonly message: string;
  /** Said before what it has to answer, where there is something. */
  readonly summary?: string | undefined;
  /** Checks whether an author's words are to be answered. Default: every author's. */
  readonly answers?: ((from: string) => boolean) | undefined;
}

/** The task of a member that is to speak: the conversation from its point of view, and what it is to answer. */
export type Briefing = Required<Pick<Task, 'member' | 'input' | 'sees'>> & Pick<Task, 'inputFrom'>;

/**
 * Calls a member into a conversation: its own words are the assistant's, the words of others since its last call stand in one
 * block, and what it is to answer comes last, as its input. Gives the cursors with the member's advanced.
 */
export const callOn = (
  said: readonly Utterance[],
  cursors: Cursors,
  { member, introduction, message, summary, answers = () => true }: Call,
): { readonly briefing: Briefing; readonly cursors: Cursors } => {
  const cursor = cursorOf(cursors, member);
  const last = said.length > cursor ? said.at(-1) : undefined;
  const isToAnswer =
    last !== undefined && last.from !== member && last.text.trim() !== '' && answers(last.from);
  const trigger = isToAnswer ? last : undefined;
  const shown = perspective(trigger === undefined ? said : said.slice(0, -1), {
    agent: member,
    cursor,
    trigger,
    handoff: { message, summary: trigger === undefined ? undefined : summary },
  });
  const first: readonly Turn[] =
    introduction === undefined ? [] : [{ role: 'user', from: RUNTIME, text: introduction }];
  return {
    briefing: {
      member,
      input: shown.turns.at(-1)?.text ?? message,
      sees: [...first, ...shown.turns.slice(0, -1)],
      ...(trigger === undefined || trigger.from === USER ? {} : { inputFrom: trigger.from }),
    },
    cursors: advanceCursor(cursors, member, shown.cursor),
  };
};
