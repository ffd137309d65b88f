import { isJsonObject } from '../../base/json/json.ts';
import type { LinkPart, MediaPart, Part, TextPart } from '../../contracts/content/part.ts';
import { partText } from '../../contracts/content/part.ts';
import { fenceText, spoken } from '../../contracts/conversations/speaker.ts';
import type {
  AssistantTurn,
  ToolTurn,
  Transcript,
  UserTurn,
} from '../../contracts/conversations/transcript.ts';

/** A message of the user side: first the results of earlier calls, then text, or parts. */
export interface UserMessage {
  readonly role: 'user';
  readonly results: readonly ToolTurn[];
  readonly text: string;
  /** All that follows the results, in order, if it is more than text. */
  readonly parts?: readonly SentPart[] | undefined;
}

/** A part as providers are sent it: data is text. */
export type SentPart = TextPart | MediaPart | LinkPart;

/** A message of the model, or several consecutive ones. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly turns: readonly AssistantTurn[];
}

/** One side's contribution. */
export type Message = UserMessage | AssistantMessage;

/**
 * Turns a transcript into strictly alternating messages that both providers accept, whatever happened before: the user
 * starts, neighbours of one role are merged, no message is empty, every call has exactly one result, and every result
 * directly follows its call. A call without a result (its run was aborted) gets one that says so; a result without a
 * call (which was compacted away) becomes text. The user comes last too (newer models refuse to complete a partial
 * answer), unless the model paused and needs its own text back.
 *
 * @example
 * conversation(messages).map(({ role }) => role) // => ['user', 'assistant', 'user']
 */
export const conversation = (messages: Transcript): readonly Message[] => {
  const found: Message[] = [];
  let open: Map<string, ToolTurn | undefined> = new Map();
  let texts: string[] = [];
  let parts: SentPart[] = [];

  const closeUser = (): void => {
    const results = [...open].map(([callId, result]) => result ?? missingResult(callId));
    const text = texts.join('\n\n');
    const hasMedia = parts.some(({ type }) => type !== 'text');
    if (results.length > 0 || text !== '')
      found.push({ role: 'user', results, text, ...(hasMedia ? { parts } : {}) });
    open = new Map();
    texts = [];
    parts = [];
  };

  for (const turn of messages) {
    if (turn.role === 'user') {
      if (turn.text.trim() === '' && turn.parts === undefined) continue;
      texts.push(spokenOnce(turn));
      parts.push(...spokenParts(turn));
    } else if (turn.role === 'tool') {
      if (open.has(turn.callId) && open.get(turn.callId) === undefined) open.set(turn.callId, turn);
      else {
        const text = `[result of ${turn.tool}] ${fenceText(turn.text)}`;
        texts.push(text);
        parts.push({ type: 'text', text });
      }
    } else if (!isEmpty(turn)) {
      closeUser();
      const last = found.at(-1);
      if (last?.role === 'assistant')
        found.splice(-1, 1, { role: 'assistant', turns: [...last.turns, turn] });
      else found.push(...(last === undefined ? [OPENING] : []), { role: 'assistant', turns: [turn] });
      open = new Map((turn.calls ?? []).map(({ id }) => [id, undefined]));
    }
  }
  closeUser();
  const last = found.at(-1);
  return last === undefined || (last.role === 'assistant' && !isPaused(last)) ? [...found, OPENING] : found;
};

/** Turns are immutable and occur in every later step: each is converted once. */
const known = new WeakMap<UserTurn, string>();

const spokenOnce = (turn: UserTurn): string => {
  const before = known.get(turn);
  if (before !== undefined) return before;
  const text = spoken(turn.from, turn.text);
  known.set(turn, text);
  return text;
};

/** The parts of a turn, after the mark of its speaker; a turn without parts is one text. */
const spokenParts = (turn: UserTurn): readonly SentPart[] => {
  if (turn.parts === undefined) return [{ type: 'text', text: spokenOnce(turn) }];
  const sent = sentParts(turn.parts);
  return turn.from === undefined ? sent : [{ type: 'text', text: `[${turn.from}]` }, ...sent];
};

/** Parts as providers are sent them: foreign texts escaped, data as text, and none of them blank. */
export const sentParts = (parts: readonly Part[]): readonly SentPart[] =>
  parts.flatMap((part): readonly SentPart[] => {
    if (part.type !== 'text' && part.type !== 'data') return [part];
    const text = fenceText(partText(part));
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  });

/** The media of a tool's result, after a line that says whose they are; empty without any. */
export const mediaOfResult = ({ parts = [], tool, callId }: ToolTurn): readonly SentPart[] => {
  const media = sentParts(parts).filter(({ type }) => type !== 'text');
  return media.length === 0 ? [] : [{ type: 'text', text: `[result of ${tool}, call ${callId}]` }, ...media];
};

/** Stands in where the user side is empty and providers require text. */
const OPENING: UserMessage = { role: 'user', results: [], text: 'Go on.' };

/** An adapter marks the replay of a turn with which the model paused by `paused: true`. */
const isPaused = ({ turns }: AssistantMessage): boolean => {
  const content = turns.at(-1)?.replay?.content;
  return isJsonObject(content) && content['paused'] === true;
};

const isEmpty = ({ text, calls, replay }: AssistantTurn): boolean =>
  text.trim() === '' && (calls ?? []).length === 0 && replay === undefined;

const missingResult = (callId: string): ToolTurn => ({
  role: 'tool',
  callId,
  tool: '',
  text: '{"error":"aborted"}',
  failed: true,
});

/** Returns the text of a result; providers refuse an empty one. */
export const resultText = ({ text }: ToolTurn): string => (text === '' ? '(no output)' : text);
