import { spoken } from '../../contracts/conversations/speaker.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';

/** A message in a conversation of several participants: by the user or by an agent. */
export interface Utterance {
  /** The name of an agent, or `'user'`. */
  readonly from: string;
  readonly text: string;
}

/** The place to which each agent has read: the number of utterances it has been shown, by name. */
export type Cursors = Readonly<Record<string, number>>;

/** The viewer of a conversation, and the moment. */
export interface PerspectiveOptions {
  /** The next speaker. */
  readonly agent: string;
  /** The place to which it has read. Default 0: a newcomer is shown everything. */
  readonly cursor?: number | undefined;
  /** The utterance to answer: not in the conversation yet. */
  readonly trigger?: Utterance | undefined;
  /** A note for the agent, from the one that handed over to it. */
  readonly handoff?:
    | { readonly summary?: string | undefined; readonly message?: string | undefined }
    | undefined;
}

/** The conversation as shown to an agent, and how far it has read then. */
export interface Perspective {
  readonly turns: readonly Turn[];
  readonly cursor: number;
}

/**
 * Renders a conversation of several participants from the view of one: its own messages are the assistant's, the user's
 * the user's, and others' are reported with their names.
 *
 * I1  Each utterance appears exactly once: messages of others since the cursor are in one block ("while you were away")
 *     and nowhere else, after the agent's own since then.
 * I2  The utterance to answer comes last. It counts as read: add it to the conversation afterwards.
 *
 * @example
 * perspective([{ from: 'ada', text: 'Hello' }], { agent: 'ada', trigger: { from: 'user', text: 'Hi' } }).turns
 * // => [{ role: 'assistant', text: 'Hello' }, { role: 'user', text: 'Hi' }]
 */
export const perspective = (
  conversation: readonly Utterance[],
  { agent, cursor = 0, trigger, handoff }: PerspectiveOptions,
): Perspective => {
  const known = conversation.slice(0, cursor).map((said) => turnOf(said, agent));
  const since = conversation.slice(cursor);
  const away = since.filter(({ from }) => from !== agent);
  const own = since.filter(({ from }) => from === agent).map((said) => turnOf(said, agent));
  const block = awayBlock(away, handoff?.summary);
  const last = triggerOf(trigger, handoff?.message, agent);
  const marker = block.length > 0 && last.length > 0 ? [MARKER] : [];
  const turns = [...known, ...own, ...block, ...marker, ...last];
  return {
    turns: turns.filter(({ text }) => text.trim() !== ''),
    cursor: conversation.length + (trigger === undefined ? 0 : 1),
  };
};

/** The cursors after `agent` has been shown `length` utterances; they never go back. */
export const advanceCursor = (cursors: Cursors, agent: string, length: number): Cursors => {
  const before = cursorOf(cursors, agent);
  return length <= before ? cursors : { ...cursors, [agent]: length };
};

/** Returns the position up to which an agent has read; 0 for a new one. */
export const cursorOf = (cursors: Cursors, agent: string): number =>
  Object.hasOwn(cursors, agent) ? (cursors[agent] ?? 0) : 0;

const turnOf = ({ from, text }: Utterance, agent: string): Turn => {
  if (from === agent) return { role: 'assistant', text };
  return from === USER ? { role: 'user', text } : { role: 'user', from, text };
};

const USER = 'user';

const awayBlock = (away: readonly Utterance[], summary: string | undefined): readonly Turn[] => {
  const said = away.filter(({ text }) => text.trim() !== '').map(({ from, text }) => spoken(from, text));
  if (said.length === 0 && !summary?.trim()) return [];
  const lines = [AWAY, ...(summary?.trim() ? [`In short: ${summary}`] : []), ...said, AWAY_END];
  return [{ role: 'user', from: 'runtime', text: lines.join('\n') }];
};

const AWAY = '<while-you-were-away>';
const AWAY_END = '</while-you-were-away>';

const MARKER: Turn = { role: 'user', from: 'runtime', text: 'Now:' };

const triggerOf = (
  trigger: Utterance | undefined,
  message: string | undefined,
  agent: string,
): readonly Turn[] => {
  if (trigger !== undefined && trigger.text.trim() !== '') return [turnOf(trigger, agent)];
  return message === undefined ? [] : [{ role: 'user', text: message }];
};
