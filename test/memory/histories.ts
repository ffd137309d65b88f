import fc from 'fast-check';
import { append, emptyHistory, type History } from '../../src/base/collections/history.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';

/** A conversation in a few words: `u` a user, `a` an assistant, a number so many calls at once. */
export const conversationOf = (shape: readonly (string | number)[], size = 10): readonly Turn[] =>
  shape.flatMap((each, at): Turn[] => {
    if (each === 'u') return [{ role: 'user', text: `question ${at} ${'q'.repeat(size)}` }];
    if (each === 'a') return [{ role: 'assistant', text: `answer ${at} ${'a'.repeat(size)}` }];
    const calls = Array.from({ length: Number(each) }, (_, index) => ({
      id: `call_${at}_${index}`,
      name: 'look',
      input: { at },
    }));
    const results = calls.map(({ id }): Turn => {
      return { role: 'tool', callId: id, tool: 'look', text: `result ${id} ${'r'.repeat(size)}` };
    });
    return [{ role: 'assistant', text: '', calls }, ...results];
  });

export const historyOf = (turns: readonly Turn[]): History<Turn> => append(emptyHistory<Turn>(), ...turns);

const texts = fc.oneof(
  fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }).filter((text) => text.trim() !== ''),
  fc.integer({ min: 100, max: 6_000 }).map((size) => 'word 😀 '.repeat(Math.ceil(size / 8))),
);

const spoken = fc.oneof(
  texts.map((text): Turn[] => [{ role: 'user', text }]),
  texts.map((text): Turn[] => [{ role: 'user', from: 'critic', text }]),
  texts.map((text): Turn[] => [{ role: 'assistant', text }]),
);

const cycle = fc
  .tuple(
    fc.option(texts, { nil: '' }),
    fc.array(fc.tuple(texts, fc.boolean()), { minLength: 1, maxLength: 4 }),
  )
  .map(([text, results]): Turn[] => [
    {
      role: 'assistant',
      text,
      calls: results.map((_, index) => ({ id: String(index), name: 'look', input: {} })),
    },
    ...results.map(([found, failed], index): Turn => {
      return {
        role: 'tool',
        callId: String(index),
        tool: 'look',
        text: found,
        ...(failed ? { failed } : {}),
      };
    }),
  ]);

/** Legal conversations: they begin with the user, and results directly follow their calls. */
export const legalTurns: fc.Arbitrary<readonly Turn[]> = fc
  .tuple(texts, fc.array(fc.oneof(spoken, cycle), { maxLength: 30 }))
  .map(([first, rest]) => [
    { role: 'user', text: first },
    ...rest.flatMap((turns, at) => turns.map((turn) => numbered(turn, at))),
  ]);

const numbered = (turn: Turn, at: number): Turn => {
  if (turn.role === 'tool') return { ...turn, callId: `call_${at}_${turn.callId}` };
  if (turn.role !== 'assistant' || turn.calls === undefined) return turn;
  return { ...turn, calls: turn.calls.map((call) => ({ ...call, id: `call_${at}_${call.id}` })) };
};
