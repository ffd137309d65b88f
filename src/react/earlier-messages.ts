import type { Turn } from '../contracts/conversations/transcript.ts';
import type { ProgressCall, ProgressMessage } from '../events/progress/progress-message.ts';

/** The turns of a history as messages of the agent `name`; invalid ones are left out, as the run that is given them reports them. */
export const earlierMessages = (history: unknown, name: string): readonly ProgressMessage[] => {
  const turns = Array.isArray(history) ? history.filter(isTurn) : [];
  return turns.flatMap((turn, index) => {
    if (turn.role === 'tool' || (turn.role === 'user' && turn.from !== undefined)) return [];
    const { role, text } = turn;
    const calls = role === 'assistant' ? callsOf(turn.calls ?? [], turns.slice(index + 1)) : [];
    return text === '' && calls.length === 0
      ? []
      : [{ id: `history#${index}`, role, at: 0, path: name, agent: name, text, calls }];
  });
};

const isTurn = (value: unknown): value is Turn =>
  typeof value === 'object' &&
  value !== null &&
  'role' in value &&
  'text' in value &&
  typeof value.text === 'string';

const callsOf = (
  calls: Extract<Turn, { readonly role: 'assistant' }>['calls'] & object,
  after: readonly Turn[],
): readonly ProgressCall[] =>
  calls.map(({ id: callId, name: tool, input }) => {
    const result = after.find((turn) => turn.role === 'tool' && turn.callId === callId);
    if (result?.role !== 'tool') return { callId, tool, input, state: 'requested' };
    return { callId, tool, input, state: result.failed === true ? 'failed' : 'succeeded', text: result.text };
  });
