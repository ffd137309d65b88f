import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agent } from '../../src/index.ts';
import { modelAnswer, type Model } from '../../src/models/index.ts';
import { append, emptyHistory, HistoryView } from '../../src/base/collections/history.ts';

test('[FIND-59] a model of an app reads what it is asked like an array', async () => {
  const parrot: Model = {
    provider: 'app',
    id: 'parrot',
    answer: ({ messages }) => {
      const said = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
      return modelAnswer({
        text: `${said.length}: ${said.join(', ')} of ${JSON.stringify(messages).length > 2}`,
      });
    },
  };
  const history = [
    { role: 'user', text: 'One' },
    { role: 'assistant', text: 'Ah.' },
  ] as const;
  const { output } = await agent({ name: 'a', model: parrot }).run('Two', { history });
  expect(output).toBe('2: One, Two of true');
});

test('[FIND-59] a view of a history gives what the array of its items gives', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(9), { maxLength: 200 }),
      fc.nat(9),
      fc.integer({ min: -210, max: 210 }),
      (items, wanted, at) => {
        const view = new HistoryView(append(emptyHistory<number>(), ...items));
        const isWanted = (item: number, index: number): boolean => item === wanted && index % 2 === 0;
        expect(view.filter(isWanted)).toEqual(items.filter(isWanted));
        expect(view.find(isWanted)).toBe(items.find(isWanted));
        expect(view.findLast(isWanted)).toBe(items.findLast(isWanted));
        expect(view.some(isWanted)).toBe(items.some(isWanted));
        expect(view.every(isWanted)).toBe(items.every(isWanted));
        expect(view.map((item, index) => item + index)).toEqual(items.map((item, index) => item + index));
        expect(view.flatMap((item) => [item, item])).toEqual(items.flatMap((item) => [item, item]));
        expect(view.slice(at)).toEqual(items.slice(at));
        expect(view.slice(0, at)).toEqual(items.slice(0, at));
        expect(JSON.stringify(view)).toBe(JSON.stringify(items));
      },
    ),
  );
});
