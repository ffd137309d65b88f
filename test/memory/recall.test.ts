import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { MemoryRecord } from '../../src/contracts/conversations/memory.ts';
import { vectorMemory } from '../../src/memory/memories/vector-memory.ts';
import { splitPassages } from '../../src/tools/built-in/documents/passages.ts';

const root = resolve(import.meta.dirname, '../..');

/** Asked in other words than the documents use, each with what only a right passage says. */
const questions: readonly (readonly [question: string, phrase: RegExp])[] = [
  ['Why are calls to a model no promise actors of XState?', /invoked machine has one fixed id/],
  ['How many microseconds does a child machine for each call cost?', /a child machine for each call\s+\| 65/],
  ['How much memory would providing the machine for every run take?', /10 kB held for each/],
  ['What does a guard read, and does it consult the rules?', /guards read the context/],
  ['Why does looking at the environment have a second entrance?', /asked 100 times, listened to 0 times/],
  ['What happens in XState if a child fails and nobody handles its error?', /stops all its\s+other children/],
  ['Which status can the outcome of an embedded agent have?', /`onDone` is the only arrow to draw/],
  ['Are tool call ids of providers unique?', /49 of 200 recorded GPT-4o runs/],
  ['Why was filtrex replaced?', /compiles it with `new Function`/],
  ['How deep may parentheses be nested in the calculator?', /nesting is capped at 100/],
  [
    'Which folders may import from which?',
    /A room imports only from floors below, never from its neighbours/,
  ],
  ['Where do I put a new coordination pattern?', /`src\/patterns\/NAME\.ts`/],
  ['Where is a paused run held?', /that is where a paused run/],
  ['How does streamed text reach whoever is watching?', /No machine\s+sees a delta/],
  ['Which host moves every machine, and by what?', /moves every machine by the pure `turn`/],
  ['How should file names be written?', /Files are kebab-case/],
  ['How are error messages worded?', /messages read "Cannot <do> as <reason>/],
  ['Which command updates the report of the public surface?', /npm run api:update/],
  ['How does a docstring read?', /then the one surprise, then an example that runs/],
  ['How often may a critic reject an answer?', /A critic may reject an answer twice by default/],
  ['What answers when there is no API key?', /Without a key the \*\*offline model\*\* answers/],
  ['How long may a provider be silent in the middle of an answer?', /the silence between two pieces/],
  [
    'What if the server asks us to wait for an hour?',
    /One that asks for more than `maxWaitMs` is not waited/,
  ],
  ['Is a wrong API key tried again?', /A refused key, an unknown model/],
];

/** The passages of the repository's documents: prose that changes rarely, and not with every line of code. */
const passages = (): readonly MemoryRecord[] => {
  const files = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/models.md'];
  files.push(...readdirSync(join(root, 'docs/decisions')).map((file) => `docs/decisions/${file}`));
  return files.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return splitPassages(path, text).map(({ start, end, heading }): MemoryRecord => {
      return { kind: 'note', text: `${heading}\n${text.slice(start, end)}`, at: 0, metadata: { path } };
    });
  });
};

const K = 5;

test('without any model, recall@5 on the repository’s own documents is at least 0.7, and ten times a random guess', async () => {
  const records = passages();
  const memory = await vectorMemory().open({ runId: '1', agent: 'reader' });
  await memory.append(records);
  const outcomes: { question: string; isFound: boolean; guess: number }[] = [];
  for (const [question, phrase] of questions) {
    const right = records.filter(({ text }) => phrase.test(text)).length;
    expect.soft([question, right]).not.toEqual([question, 0]);
    const found = await memory.recall(question, K);
    // That none of K guesses without a look is right.
    let missed = 1;
    for (let at = 0; at < K; at += 1) missed *= (records.length - right - at) / (records.length - at);
    outcomes.push({ question, isFound: found.some(({ text }) => phrase.test(text)), guess: 1 - missed });
  }
  const score = outcomes.filter(({ isFound }) => isFound).length / outcomes.length;
  const guessed = outcomes.reduce((all, { guess }) => all + guess, 0) / outcomes.length;
  const missed = outcomes.flatMap(({ question, isFound }) => (isFound ? [] : [question]));
  console.info(
    `recall@${K} ${score.toFixed(2)}, at random ${guessed.toFixed(3)}, of ${records.length} passages; missed: ${missed.join(' | ')}`,
  );
  expect(score).toBeGreaterThanOrEqual(0.7);
  expect(score).toBeGreaterThanOrEqual(guessed * 10);
});

test('[KAIZEN-13] what was said in one run is found in another by its words', async () => {
  const source = vectorMemory();
  const first = await source.open({ runId: '1', agent: 'ada' });
  await first.append([
    { kind: 'task', text: 'Remember that the launch code is 0417.', at: 0 },
    ...Array.from({ length: 200 }, (_, at): MemoryRecord => {
      return { kind: 'fact', text: `Shelf ${at} holds ${at * 3} jars of jam.`, at };
    }),
  ]);
  const second = await source.open({ runId: '2', agent: 'ada' });
  expect((await second.recall('What was the launch code?', 3)).at(-1)?.text).toContain('0417');
});

test('a vector memory has no text embedded twice that it has at hand', async () => {
  const asked: string[] = [];
  const embedder = {
    name: 'lengths',
    dimensions: 2,
    embed: (texts: readonly string[]) => {
      asked.push(...texts);
      return texts.map((text) => Float32Array.from([text.length, 1]));
    },
  };
  const memory = await vectorMemory({ embedder }).open({ runId: '1', agent: 'reader' });
  await memory.append(['a', 'bb', 'a'].map((text) => ({ kind: 'fact', text, at: 0 })));
  await memory.recall('what?');
  expect((await memory.recall('what?')).map(({ text }) => text)).toHaveLength(3);
  expect(asked).toEqual(['a', 'bb', 'what?']);
});
