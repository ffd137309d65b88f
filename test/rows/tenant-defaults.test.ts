import { expect, test } from 'vitest';
import type { MemoryPlace, MemorySource } from '../../src/contracts/conversations/memory.ts';
import { agent, createGlobalEngine, fork } from '../../src/index.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { answerCache } from '../../src/runtime/resources/answer-cache.ts';
import { scriptedModel } from '../../src/testing/index.ts';

const by = (context: unknown): string | undefined => (typeof context === 'string' ? context : undefined);

/** What the models of these runs are shown, run by run: an input and its tenant. */
const shownTo = async (
  memory: MemorySource,
  runs: readonly (readonly [input: string, context: string | undefined])[],
): Promise<readonly string[]> => {
  const model = scriptedModel(runs.map(() => 'Done.'));
  const clerk = agent({ name: 'clerk', model, memory });
  const engine = createGlobalEngine({ by });
  for (const [input, context] of runs) await engine.execute(clerk, input, { context, thread: 'talk' });
  return model.requests.map(({ messages }) => JSON.stringify(messages));
};

/** The first words that a text has of these. */
const wordsIn = (text: string): readonly string[] => text.match(/\b(?:pears|plums|figs|dates)\b/g) ?? [];

// The second tenant's name is made to look like a place within the first one's.
const RUNS = [
  ['pears', 'acme'],
  ['plums', 'acme/agent/clerk'],
  ['figs', undefined],
  ['dates', 'acme'],
  ['dates', 'acme/agent/clerk'],
  ['dates', undefined],
] as const;

test.each(['agent', 'thread'] as const)(
  '[M83] a memory of scope %s is apart for each tenant of its engine, and for those of none',
  async (scope) => {
    const shown = await shownTo(windowMemory({ scope }), RUNS);
    expect(shown.slice(3).map((text) => [...new Set(wordsIn(text))].toSorted())).toEqual([
      ['dates', 'pears'],
      ['dates', 'plums'],
      ['dates', 'figs'],
    ]);
  },
);

test('[M83] a memory that is shared by name is shared by all tenants', async () => {
  const shown = await shownTo(windowMemory({ scope: 'shared' }), RUNS);
  expect(wordsIn(shown[5] ?? '')).toEqual(expect.arrayContaining(['plums', 'figs']));
});

test('[M83] files of a memory are in a folder of the tenant', async () => {
  const files = memoryStore().files('memory');
  await shownTo(windowMemory({ files }), RUNS.slice(0, 3));
  const names = await files.names();
  expect(names.map((name) => name.split('/').slice(0, 4).join('/')).toSorted()).toEqual([
    'agent/clerk/window',
    'tenant/acme%2Fagent%2Fclerk/agent/clerk',
    'tenant/acme/agent/clerk',
  ]);
});

test('[M83] a cache without a scope answers a tenant from answers to that tenant alone', async () => {
  const model = scriptedModel(['One.', 'Two.', 'Three.']);
  const clerk = agent({ name: 'clerk', model });
  const cache = answerCache();
  const engine = createGlobalEngine({ by, resources: [cache] });
  const outputs: unknown[] = [];
  for (const context of ['acme', 'other', undefined, 'acme', 'other', undefined])
    outputs.push((await engine.execute(clerk, 'Which?', { context })).output);
  expect(outputs).toEqual(['One.', 'Two.', 'Three.', 'One.', 'Two.', 'Three.']);
  expect(cache.figures).toMatchObject({ hits: 3, misses: 3 });
});

test('[M83] a run that is continued without its engine keeps its tenant', async () => {
  const places: (string | undefined)[] = [];
  const within = windowMemory();
  const memory: MemorySource = {
    ...within,
    open: (place: MemoryPlace) => {
      places.push(place.tenant);
      return within.open(place);
    },
  };
  const store = memoryStore();
  const clerkOf = () => agent({ name: 'clerk', model: scriptedModel(['Done.']), memory });
  await createGlobalEngine({ by }).execute(clerkOf(), 'Go.', { context: 'acme', store, runId: 'one' });
  const first = new Set(places.splice(0));
  await (
    await fork(clerkOf(), 'one', { store, at: { step: 0 } })
  ).result;
  expect([first, new Set(places)]).toEqual([new Set(['acme']), new Set(['acme'])]);
});
