import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';

/** The longest excerpt of a turn in a summary, in characters. */
const MAX_TURN = 1_000;

/**
 * The last rounds of a conversation, a line for each turn; a round begins with a message to the agent.
 *
 * It is made without a model, so it is the same each time.
 */
export const lastRounds = (conversation: readonly Turn[], speaker: string, rounds: number): string => {
  const begins = conversation.flatMap(({ role }, index) => {
    const isFirst = role !== 'assistant' && conversation[index - 1]?.role !== role;
    return isFirst && role === 'user' ? [index] : [];
  });
  const from = begins.at(-rounds) ?? 0;
  return conversation
    .slice(from)
    .map((turn) => lineOf(turn, speaker))
    .join('\n');
};

const lineOf = (turn: Turn, speaker: string): string => {
  const text = turn.text.length > MAX_TURN ? `${turn.text.slice(0, MAX_TURN)} …` : turn.text;
  if (turn.role === 'user') return `${turn.from ?? 'user'}: ${text}`;
  if (turn.role === 'tool') return `[${turn.tool}] ${text}`;
  const used = (turn.calls ?? []).map(({ name }) => name).join(', ');
  return `${speaker}: ${text}${used === '' ? '' : `${text === '' ? '' : ' '}(uses ${used})`}`;
};

/** The named fields of a state, those that it has; nothing else is handed on. */
export const fieldsOf = (state: Json, fields: readonly string[]): Json =>
  isJsonObject(state)
    ? Object.fromEntries(
        fields.flatMap((field) => {
          const value = Object.hasOwn(state, field) ? state[field] : undefined;
          return value === undefined ? [] : [[field, value]];
        }),
      )
    : {};
