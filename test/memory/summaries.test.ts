import { expect, test } from 'vitest';
import { HistoryView } from '../../src/base/collections/history.ts';
import { modelAnswer, type Model } from '../../src/contracts/models/model.ts';
import type { Summariser, SummaryRequest } from '../../src/contracts/conversations/processor.ts';
import { compact, type Compacted } from '../../src/memory/processors/compact.ts';
import { modelSummariser } from '../../src/memory/processors/model-summariser.ts';
import { summariseOlder } from '../../src/memory/processors/summarise-older.ts';
import { conversationOf, historyOf } from './histories.ts';

const shape = ['u', 'a', 'u', 'a', 'u', 'a', 'u', 'a', 'u', 'a'];

const telling = (text: string): Summariser & { readonly asked: SummaryRequest[] } => {
  const asked: SummaryRequest[] = [];
  return { name: 'telling', asked, summarise: (request) => (asked.push(request), { text }) };
};

const textsOf = ({ projection }: Compacted) =>
  [...new HistoryView(projection.history)].map(({ text }) => text);

test('[DODO-44] older turns are told in short, after the first user message', async () => {
  const turns = conversationOf(shape, 100);
  const summariser = telling('They talked.');
  const made = await compact(historyOf(turns), [summariseOlder(4)], { summariser });
  expect(textsOf(made)).toEqual([
    turns[0]?.text,
    'What happened earlier, in short:\nThey talked.',
    ...turns.slice(-4).map(({ text }) => text),
  ]);
  // What is shown anyway is not summarised.
  expect(summariser.asked).toMatchObject([{ previous: '', turns: turns.slice(1, 6), maxTokens: 200 }]);
});

test('[DODO-44] a summariser that fails costs the older turns, not the run', async () => {
  const turns = conversationOf(shape, 100);
  const broken: Summariser = { name: 'broken', summarise: () => Promise.reject(new Error('busy')) };
  const made = await compact(historyOf(turns), [summariseOlder(4)], { summariser: broken });
  expect(textsOf(made)).toEqual([turns[0], ...turns.slice(-4)].map((turn) => turn?.text));
  expect(made).toMatchObject({ summary: { upTo: 6, text: '' }, problem: new Error('busy') });
});

test('a summary is carried on, not made anew, and not at each step', async () => {
  const summariser = telling('Short.');
  const processors = [summariseOlder(4, { stride: 4 })];
  let summary: Compacted['summary'];
  for (let length = 1; length <= 40; length += 1) {
    const turns = conversationOf(
      Array.from({ length }, (_, at) => (at % 2 ? 'a' : 'u')),
      50,
    );
    ({ summary } = await compact(historyOf(turns), processors, { summariser, summary }));
  }
  expect(summariser.asked).toHaveLength(9);
  expect(
    summariser.asked.slice(1).every(({ previous, turns }) => previous === 'Short.' && turns.length === 4),
  ).toBe(true);
});

test('with nothing to summarise, nobody waits for a promise', () => {
  const made = compact(historyOf(conversationOf(['u', 'a'])), [summariseOlder(4)], {
    summariser: telling('x'),
  });
  expect(made).toHaveProperty('projection');
});

test('a summary that is longer than what it stands for is not used', async () => {
  const turns = conversationOf(shape, 0);
  const made = await compact(historyOf(turns), [summariseOlder(4)], {
    summariser: telling('long '.repeat(500)),
  });
  expect(textsOf(made)).toHaveLength(5);
});

test('[DODO-44] a model that summarises is asked without tools for at most 256 tokens', async () => {
  const seen: unknown[] = [];
  const model: Model = {
    provider: 'test',
    id: 'test',
    answer: (request) => {
      seen.push(request.settings?.maxOutputTokens, request.tools.length, request.messages.at(0)?.text);
      return modelAnswer({ text: 'In short.', usage: { input: 7, output: 2 } });
    },
  };
  const made = await compact(historyOf(conversationOf(shape, 60)), [summariseOlder(4)], {
    summariser: modelSummariser(model),
  });
  expect(made).toMatchObject({ summary: { text: 'In short.' }, usage: { input: 7, output: 2 } });
  expect(seen.slice(0, 2)).toEqual([256, 0]);
  expect(seen[2]).toMatch(/^assistant: answer 1/);
});

test('[DODO-44] a model without a word counts as one that failed', async () => {
  const model: Model = { provider: 'test', id: 'mute', answer: () => modelAnswer({}) };
  const made = await compact(historyOf(conversationOf(shape, 60)), [summariseOlder(4)], {
    summariser: modelSummariser(model),
  });
  expect(made).toMatchObject({ summary: { text: '' }, problem: { code: 'model.empty' } });
});

test('where only the first user message is older, there is nothing to summarise', async () => {
  const summariser = telling('x');
  const history = historyOf(conversationOf(['u', 'a', 'u', 'a', 'u'], 100));
  const made = await compact(history, [summariseOlder(4, { stride: 1 })], { summariser });
  expect([made.projection.history, made.projection.notes, summariser.asked]).toEqual([history, [], []]);
});
