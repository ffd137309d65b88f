import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/contracts/transcript.ts';
import { conversation } from '../../src/models/conversation.ts';
import { transcript } from '../support/ask-model.ts';

/** Any transcript at all: also those that no run should leave behind. */
const anyTurn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text: fc.constantFrom('', ' ', 'Hello.') }),
  fc.record({
    role: fc.constant('assistant' as const),
    text: fc.constantFrom('', 'So.'),
    calls: fc.uniqueArray(
      fc.record({ id: fc.constantFrom('c1', 'c2', 'c3'), name: fc.constant('tool'), input: fc.constant({}) }),
      { selector: ({ id }) => id, maxLength: 3 },
    ),
  }),
  fc.record({
    role: fc.constant('tool' as const),
    callId: fc.constantFrom('c1', 'c2', 'c3'),
    tool: fc.constant('tool'),
    text: fc.constantFrom('', 'ok'),
  }),
);

describe('[P18] whatever the transcript, the conversation is valid', () => {
  it('it alternates from user to user, empties nothing, and pairs every call with exactly one result, right behind it', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 12 }), (turns) => {
        const messages = conversation(transcript(...turns));
        expect(messages.length % 2).toBe(1);
        for (const [index, message] of messages.entries()) {
          expect(message.role).toBe(index % 2 === 0 ? 'user' : 'assistant');
          if (message.role === 'user') {
            expect(message.results.length > 0 || message.text.trim() !== '').toBe(true);
            const before = messages[index - 1];
            const calls = before?.role === 'assistant' ? (before.turns.at(-1)?.calls ?? []) : [];
            expect(message.results.map(({ callId }) => callId)).toEqual(calls.map(({ id }) => id));
          } else {
            // Only the last of several turns in a row can have calls: results follow directly.
            for (const turn of message.turns.slice(0, -1)) expect(turn.calls ?? []).toEqual([]);
            expect(message.turns.some(({ text, calls }) => text !== '' || (calls ?? []).length > 0)).toBe(
              true,
            );
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('nothing that was said is lost', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 12 }), (turns) => {
        const numbered = turns.map((turn, index) =>
          turn.text.trim() === '' ? turn : { ...turn, text: `#${index}#` },
        );
        const said = JSON.stringify(conversation(transcript(...numbered)));
        for (const { text } of numbered) if (text.trim() !== '') expect(said).toContain(text);
      }),
    );
  });
});

it('who speaks is named where it is not the user', () => {
  expect(conversation(transcript({ role: 'user', text: 'Again.', from: 'critic' }))).toEqual([
    { role: 'user', results: [], text: '[critic] Again.' },
  ]);
});
