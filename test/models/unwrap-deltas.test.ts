import fc from 'fast-check';
import { expect, test } from 'vitest';
import { valueUnwrapper } from '../../src/models/schemas/unwrap-deltas.ts';
import { ask, question, streamed } from '../support/ask-model.ts';
import { mockProvider } from '../support/mock-provider.ts';
import { modelFor } from '../support/provider-streams.ts';
import { says } from '../support/wire-answers.ts';

/** Unwraps a text in pieces of these sizes. */
const unwrapped = (text: string, sizes: readonly number[]): string => {
  const unwrap = valueUnwrapper();
  let found = '';
  let at = 0;
  for (let index = 0; at < text.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    found += unwrap(text.slice(at, at + size));
    at += size;
  }
  return found;
};

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

test('a wrapped value is unwrapped, whatever it is and wherever it is cut', () => {
  fc.assert(
    fc.property(fc.jsonValue(), sizes, fc.constantFrom(undefined, 1, '\t'), (value, cuts, indent) => {
      const found = unwrapped(JSON.stringify({ value, more: 1 }, null, indent), cuts);
      expect(JSON.parse(found)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test.each([
  'Here it is: {"value":1}',
  '{"values":[1]}',
  '["value"]',
  '{"v":1}',
  '',
  `{${' '.repeat(500)}"a":1}`,
])('a text that is not wrapped is passed on: %s', (text) => {
  for (const size of [1, 3, 1_000]) expect(unwrapped(text, [size])).toBe(text);
});

test.each(['openai-chat', 'openai-responses', 'anthropic'] as const)(
  'a list is streamed by %s as a list, as it is answered',
  async (kind) => {
    const text = ['{"val', 'ue":[{"na', 'me":"A}"},', '{"name":"B"}', ']', '}'];
    await using provider = await mockProvider(says(kind, { text }));
    const item = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const output = { name: 'list', schema: { type: 'array', items: item } };
    const { answer, deltas } = ask(modelFor(kind, provider), question({ tools: [], output }));
    expect((await answer).text).toBe('[{"name":"A}"},{"name":"B"}]');
    expect(streamed(deltas, 'text')).toBe('[{"name":"A}"},{"name":"B"}]');
  },
);
