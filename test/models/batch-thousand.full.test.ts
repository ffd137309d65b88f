// Loaded before time moves: a virtual minute is no time to load a package in.
import '@anthropic-ai/sdk';
import 'openai';
import '../../src/models/anthropic/anthropic-batches.ts';
import '../../src/models/batch/ask-by-batch.ts';
import '../../src/models/openai/openai-batches.ts';
import { expect, test } from 'vitest';
import { agent } from '../../src/index.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { parallel } from '../../src/patterns/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { mockBatches } from '../support/mock-batches.ts';
import { letTimePass, settled, start } from '../support/runs.ts';

const MEMBERS = 1_000;

test.each(['openai', 'anthropic'] as const)(
  '[BATCH] a stored team of a thousand is answered by one batch of %s',
  async (vendor) => {
    const clock = virtualClock();
    await using service = await mockBatches({
      answers: ({ body }) => `Of ${JSON.stringify(body).match(/item (\d+)/)?.[1]}`,
      clock,
    });
    // Time moves on while a thousand members start.
    const batch = { windowMs: 600_000, size: MEMBERS };
    const model =
      vendor === 'openai'
        ? openai('gpt-4o', { apiKey: 'sk-test', baseURL: `${service.url}/v1`, batch })
        : anthropic('claude-sonnet-4-5', { apiKey: 'sk-test', baseURL: service.url, batch });
    const team = parallel({ name: 'team', concurrency: MEMBERS, each: agent({ name: 'clerk', model }) });
    const items = Array.from({ length: MEMBERS }, (_, index) => `item ${index}`);
    const store = memoryStore();
    const handle = start(team, items, {
      clock,
      store,
      runId: 'run-1',
      limits: { maxChildren: MEMBERS, maxAgents: MEMBERS + 1, concurrency: 4 },
    });
    const { status, output, totals } = await letTimePass(clock, settled(handle));
    expect(status).toBe('completed');
    expect(service.batches.map(({ requests }) => requests.length)).toEqual([MEMBERS]);
    expect(totals.modelCalls).toBe(MEMBERS);
    expect(JSON.stringify(output)).toContain('Of 999');
    expect(clock.pending).toBe(0);
  },
  120_000,
);
