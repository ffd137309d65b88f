import { describe, expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { searchSaid } from '../../../src/inspect/local/said-search.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { z } from 'zod';
import { askOpen, openInspector, readingBy } from './local-kit.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ place: z.string() }),
  execute: ({ place }) => `Three cormorants at the ${place}`,
});

const watcher = () =>
  agent({
    name: 'watcher',
    tools: [look],
    model: scriptedModel([calls({ name: 'look', input: { place: 'Harbour "Ä"' } }), 'Birds were seen.']),
  });

const echo = () => agent({ name: 'echo', decide: ({ input }) => answer(`Heard: ${input}`) });

const NO_LINES = { lines: () => [] };

/** All parts of a search, one after the other. */
const searchAll = async (sources: Parameters<typeof searchSaid>[0], find: string) => {
  const found = [];
  let next: string | undefined;
  do {
    const part = await searchSaid(sources, find, next);
    found.push(...part.found);
    ({ next } = part);
  } while (next !== undefined);
  return found;
};

describe('what was said in runs', () => {
  test('is found in inputs, arguments, results, answers and errors, live and stored alike, with who said it', async () => {
    const store = memoryStore();
    const record = recorder();
    await watcher().run('What flies over the ferry?', { store, runId: 'kept' });
    await watcher().run('What flies over the ferry?', { inspect: record, runId: 'live' });
    await agent({
      name: 'loser',
      decide: () => {
        throw new Error('The lighthouse is dark');
      },
    })
      .run('go', { store, runId: 'lost' })
      .catch(() => undefined);
    const here = { lines: () => record.recording.from(), store };
    const runsWith = async (find: string) => (await searchAll(here, find)).map(({ run }) => run);
    expect(await runsWith('FLIES ferry')).toEqual(['live', 'kept']);
    expect(await runsWith('harbour "ä"')).toEqual(['live', 'kept']);
    expect(await runsWith('cormorants')).toEqual(['live', 'kept']);
    expect(await runsWith('birds seen')).toEqual(['live', 'kept']);
    expect(await runsWith('lighthouse')).toEqual(['lost']);
    // Words that were said, but not at once; names of the runtime, which nobody said.
    for (const nothing of ['cormorants lighthouse', 'phase.entered', 'agent.decided', ' '])
      expect(await runsWith(nothing)).toEqual([]);
    expect(await searchAll(here, 'cormorants')).toMatchObject([
      { who: 'watcher', text: 'Three cormorants at the Harbour "Ä"' },
      { who: 'watcher', text: 'Three cormorants at the Harbour "Ä"' },
    ]);
  });

  test('is an excerpt of a long text, around the words', async () => {
    const store = memoryStore();
    await echo().run(`${'before '.repeat(1_000)}the needle${' after'.repeat(1_000)}`, { store });
    const [found] = await searchAll({ ...NO_LINES, store }, 'needle');
    expect(found?.text).toMatch(/^…[be for]+the needle after after/);
    expect(found?.text.length).toBeLessThan(210);
  });

  test('is searched in parts, each of which goes on behind the one before, until all runs are searched', async () => {
    const store = memoryStore();
    for (let count = 0; count < 40; count += 1)
      await echo().run(`ship ${count} ${'x'.repeat(20_000)}`, { store, runId: `r${count}` });
    // A store that is slow: each part ends early.
    const slow = readingBy(store, async (...given) => {
      const end = performance.now() + 40;
      while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve));
      return store.read(...given);
    });
    const first = await searchSaid({ ...NO_LINES, store: slow }, 'ship');
    expect(first.next).toBeDefined();
    expect(first.found.length).toBeLessThan(40);
    const all = await searchAll({ ...NO_LINES, store: slow }, 'ship');
    expect(all.map(({ run }) => run)).toEqual(Array.from({ length: 40 }, (_, index) => `r${39 - index}`));
  });

  test('is served with secrets redacted, to those with the token', async () => {
    const store = memoryStore();
    await echo().run('The word is swordfish-7, says the ferryman', { store, runId: 'r' });
    const inspector = await openInspector({ store, secrets: { word: 'swordfish-7' } });
    const { text } = await askOpen(inspector, '/api/said?find=ferryman');
    expect(JSON.parse(text)).toMatchObject({ found: [{ run: 'r', who: 'echo' }] });
    expect(text).not.toContain('swordfish');
    expect((await askOpen(inspector, '/api/said?find=x', { headers: { authorization: '' } })).status).toBe(
      403,
    );
  });
});
