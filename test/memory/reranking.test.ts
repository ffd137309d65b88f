import { expect, test } from 'vitest';
import type { MemoryRecord, Reranker } from '../../src/contracts/conversations/memory.ts';
import { vectorMemory } from '../../src/memory/memories/vector-memory.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

const place = { runId: 'r', agent: 'ada' };

const record = (text: string, at: number): MemoryRecord => ({ kind: 'note', text, at });

interface Asked {
  readonly query: string;
  readonly texts: readonly string[];
  readonly k: number;
}

/** A reranker that prefers what is long, and remembers what it was asked. */
const longest = (candidates?: number) => {
  const asked: Asked[] = [];
  const reranker: Reranker = {
    name: 'longest',
    candidates,
    rank: (query, texts, k) => {
      asked.push({ query, texts, k });
      return texts.map((_, at) => at).sort((a, b) => (texts[b]?.length ?? 0) - (texts[a]?.length ?? 0));
    },
  };
  return { reranker, asked };
};

const teas = ['green tea', 'tea', 'tea with milk', 'a lot of tea with a little milk'];

const memoryOf = async (reranker: Reranker, texts: readonly string[] = teas) => {
  const memory = await vectorMemory({ reranker }).open(place);
  await memory.append(texts.map(record));
  return memory;
};

const recalled = async (memory: Awaited<ReturnType<typeof memoryOf>>, query: string, k: number) =>
  (await memory.recall(query, k)).map(({ text }) => text);

test('a reranker selects among the nearest records, and the best is recalled last', async () => {
  const { reranker, asked } = longest();
  const memory = await memoryOf(reranker);
  expect(await recalled(memory, 'tea', 2)).toEqual(['tea with milk', 'a lot of tea with a little milk']);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ query: 'tea', k: 2 });
  // The nearest first: what has most in common with the query.
  expect(asked[0]?.texts[0]).toBe('tea');
  expect([...(asked[0]?.texts ?? [])].sort()).toEqual([...teas].sort());
});

test('a reranker is shown as many records as it says, and never fewer than are recalled', async () => {
  const few = longest(2);
  expect(await recalled(await memoryOf(few.reranker), 'tea', 1)).toEqual(['tea with milk']);
  expect(few.asked[0]?.texts).toEqual(['tea', 'tea with milk']);
  await recalled(await memoryOf(few.reranker), 'tea', 3);
  expect(few.asked[1]?.texts).toHaveLength(3);
  const many = longest();
  const texts = Array.from({ length: 60 }, (_, at) => `tea number ${at}`);
  await recalled(await memoryOf(many.reranker, texts), 'tea', 1);
  expect(many.asked[0]?.texts).toHaveLength(50);
});

test('a reranker is asked again only for another query, another number, or other records', async () => {
  const { reranker, asked } = longest();
  const memory = await memoryOf(reranker);
  const first = await recalled(memory, 'tea', 2);
  expect(await recalled(memory, 'tea', 2)).toEqual(first);
  expect(asked).toHaveLength(1);
  await recalled(memory, 'tea', 1);
  await recalled(memory, 'milk', 1);
  expect(asked).toHaveLength(3);
  await memory.append([record('milk that was not there before', 9)]);
  expect(await recalled(memory, 'milk', 1)).toEqual(['a lot of tea with a little milk']);
  expect(asked).toHaveLength(4);
  await memory.reset();
  expect(await recalled(memory, 'milk', 1)).toEqual([]);
  expect(asked).toHaveLength(4);
});

test.each([
  ['no list', 'first', "it is not a list: found 'first'"],
  ['an index that there is not', [4], 'it has 4: return indexes of 4 texts, from 0'],
  ['a negative index', [-1], 'it has -1: return indexes'],
  ['half an index', [0.5], 'it has 0.5: return indexes'],
  ['a text', ['tea'], "it has 'tea': return indexes"],
  ['one index twice', [1, 1], 'it has 1 twice: return each index once'],
])('a ranking that is %s is refused', async (_, ranking, found) => {
  const memory = await memoryOf({ name: 'mine', rank: () => ranking as readonly number[] });
  await expect(memory.recall('tea', 2)).rejects.toMatchObject({
    code: 'model.malformed',
    message: expect.stringContaining(`Cannot use the ranking of mine as ${found}`),
  });
});

test('a ranking may leave out what does not answer the query, and is cut where it has too many', async () => {
  const memory = await memoryOf({ name: 'none', rank: () => [] });
  expect(await memory.recall('tea', 2)).toEqual([]);
  const all = await memoryOf({ name: 'all', rank: (_, texts) => texts.map((__, at) => at) });
  expect(await recalled(all, 'tea', 1)).toEqual(['tea']);
});

test('an agent is shown what the reranker selected, and a reranker that fails harms only its recall', async () => {
  const shown: string[] = [];
  const model = () =>
    scriptedModel([
      ({ messages }) => {
        shown.push([...messages].map(({ text }) => text).join('\n'));
        return 'Done.';
      },
    ]);
  const open = async (reranker: Reranker) => {
    const memory = vectorMemory({ reranker });
    const opened = await memory.open({ runId: 'r', agent: 'clerk' });
    await opened.append(teas.map(record));
    const clerk = agent({ name: 'clerk', model: model(), memory: { sources: [memory], recall: { k: 1 } } });
    return clerk.run('tea');
  };
  const { report } = await open(longest().reranker);
  expect(report?.failures).toBeUndefined();
  expect(shown[0]).toContain('a lot of tea with a little milk');
  expect(shown[0]).not.toContain('green tea');
  const failing: Reranker = {
    name: 'failing',
    rank: () => Promise.reject(new Error('the reranker is down')),
  };
  const result = await open(failing);
  expect(result.output).toBe('Done.');
  expect(result.report?.failures[0]?.message).toContain('the reranker is down');
  for (const text of teas.slice(2)) expect(shown[1]).not.toContain(text);
});
