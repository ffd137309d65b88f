import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { conversation, type Message } from '../../src/models/wire/conversation.ts';
import { transcript } from '../support/ask-model.ts';
import { sized } from '../support/thorough.ts';

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

/** What either provider would refuse. */
const faults = (messages: readonly Message[]): string[] =>
  messages.flatMap((message, index) => {
    const found: string[] = [];
    const before = messages[index - 1];
    if (message.role !== (index % 2 === 0 ? 'user' : 'assistant')) found.push(`${index}: a role out of turn`);
    if (index === messages.length - 1 && message.role !== 'user') found.push('the model has the last word');
    if (message.role === 'user') {
      if (message.results.length === 0 && message.text.trim() === '') found.push(`${index}: nothing is said`);
      const calls = before?.role === 'assistant' ? before.turns.flatMap((turn) => turn.calls ?? []) : [];
      const asked = calls.map(({ id }) => id).join();
      const answered = message.results.map(({ callId }) => callId).join();
      if (asked !== answered) found.push(`${index}: asked ${asked}, answered ${answered}`);
    } else if (message.turns.every(({ text, calls }) => text === '' && (calls ?? []).length === 0)) {
      found.push(`${index}: the model says nothing`);
    }
    return found;
  });

describe('[P18] whatever the transcript, the conversation is valid', () => {
  it('it alternates from user to user, empties nothing, and pairs every call with exactly one result, right behind it', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 12 }), (turns) => {
        expect(faults(conversation(transcript(...turns)))).toEqual([]);
      }),
      { numRuns: sized(150, 500) },
    );
  });

  it('nothing that was said is lost', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 12 }), (turns) => {
        const numbered = turns.map((turn, index) =>
          turn.text.trim() === '' ? turn : { ...turn, text: `#${index}#` },
        );
        const said = JSON.stringify(conversation(transcript(...numbered)));
        const lost = numbered.filter(({ text }) => text.trim() !== '' && !said.includes(text));
        expect(lost).toEqual([]);
      }),
    );
  });
});

it('who speaks is named where it is not the user', () => {
  expect(conversation(transcript({ role: 'user', text: 'Again.', from: 'critic' }))).toEqual([
    { role: 'user', results: [], text: '[critic] Again.' },
  ]);
});
