import { expect, test } from 'vitest';
import type { History } from '../../src/base/collections/history.ts';
import { append, emptyHistory } from '../../src/base/collections/history.ts';
import type { MemoryRecord, MemorySource } from '../../src/contracts/conversations/memory.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { TurnCounter } from '../../src/memory/tokens/count-tokens.ts';
import { keepLast } from '../../src/memory/processors/keep-last.ts';
import { keyValueMemory } from '../../src/memory/memories/key-value-memory.ts';
import { notesMemory } from '../../src/memory/memories/notes-memory.ts';
import { project } from '../../src/memory/processors/project.ts';
import { summaryMemory } from '../../src/memory/memories/summary-memory.ts';
import { vectorMemory } from '../../src/memory/memories/vector-memory.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';

const TEXTS = ['the cat sleeps', 'ships need harbours', 'the dog barks', 'rain falls', 'bread rises'];

const told = async (source: MemorySource, query: string, k?: number): Promise<readonly string[]> => {
  const memory = await source.open({ runId: 'r', agent: 'a' });
  await memory.append(TEXTS.map((text, at): MemoryRecord => ({ kind: 'fact', text, at })));
  return (await memory.recall(query, k)).map(({ text }) => text);
};

test('[KAIZEN-78] each kind of memory recalls in a way of its own, by one contract', async () => {
  expect(await told(windowMemory({ size: 2 }), 'the cat')).toEqual(['rain falls', 'bread rises']);
  expect(await told(windowMemory({ size: 0 }), 'the cat')).toEqual([]);
  expect(await told(summaryMemory({ keep: 2 }), 'the cat', 2)).toEqual(
    expect.arrayContaining(['rain falls', 'bread rises']),
  );
  expect((await told(vectorMemory(), 'where do ships find harbours?', 1)).join()).toBe('ships need harbours');
  expect((await told(notesMemory(), 'ships', 1)).join()).toContain('ships need harbours');
  expect((await told(keyValueMemory(), 'ships', 1)).join()).toContain('ships need harbours');
});

test('[TENEX-Q18] [DODO-52] a projection that is asked for at each turn looks at new turns only', () => {
  let counts = 0;
  const counter = new TurnCounter({ name: 'one', count: () => (counts += 1) });
  let history: History<Turn> = emptyHistory();
  for (let at = 0; at < 300; at += 1) {
    history = append(history, { role: 'user', text: `said ${at}` });
    const before = counter.counted;
    const { history: shown, touched } = project(history, [keepLast(10)], { counter });
    expect([counter.counted - before, touched <= 12]).toEqual([1, true]);
    expect(shown.length).toBe(Math.min(at + 1, 11));
  }
  expect(counts).toBe(300);
  expect(project(history, [], { counter }).history).toBe(history);
  expect(counts).toBe(300);
});
