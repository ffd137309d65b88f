import { describe, expect, test } from 'vitest';
import {
  agent,
  createDisposableEngine,
  createGlobalEngine,
  createRequestEngine,
  replay,
  type Decision,
} from '../../src/index.ts';
import { PlainStore } from '../support/plain-store.ts';

const clerk = agent({
  name: 'clerk',
  decide: ({ input }): Decision => ({ kind: 'answer', answer: `did ${JSON.stringify(input)}` }),
});

describe('an engine', () => {
  test.each([
    { kind: 'global', make: () => createGlobalEngine({ concurrency: 1 }) },
    { kind: 'request', make: () => createRequestEngine(createGlobalEngine(), { context: 'tenant' }) },
    { kind: 'disposable', make: () => createDisposableEngine() },
  ])('keeps the runs that are given a store: $kind', async ({ make, kind }) => {
    const engine = make();
    const store = new PlainStore();
    const ids = kind === 'disposable' ? ['one'] : ['one', 'two'];
    const results = await Promise.all(ids.map((runId) => engine.execute(clerk, runId, { store, runId })));
    expect(results.map(({ output }) => output)).toEqual(ids.map((id) => `did "${id}"`));
    for (const [index, id] of ids.entries()) {
      const { events } = await replay(clerk, id, { store });
      expect(events).toEqual(results[index]?.events);
    }
    await engine.shutdown();
  });

  test('an abort while the store is opened is on record, and the run ends by it', async () => {
    const store = new PlainStore();
    const engine = createGlobalEngine();
    const handle = engine.stream(clerk, 'go', { store, runId: 'r' });
    handle.abort('never mind');
    const { status, stopReason, events } = await handle.result;
    expect({ status, stopReason }).toEqual({
      status: 'aborted',
      stopReason: { kind: 'aborted', reason: 'never mind' },
    });
    expect(events[0]?.type).toBe('run.started');
    expect((await replay(clerk, 'r', { store })).events).toEqual(events);
    await engine.shutdown();
  });
});
