// Loaded before time moves: a virtual minute is no time to load a package in.
import '@anthropic-ai/sdk';
import 'openai';
import '../../src/models/anthropic/anthropic-batches.ts';
import '../../src/models/batch/ask-by-batch.ts';
import '../../src/models/openai/openai-batches.ts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agent, ofType, replay, runOrResume, tool, type Agent } from '../../src/index.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import type { Batching } from '../../src/models/batch/batching.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { batch, parallel } from '../../src/patterns/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { virtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, quiet, settled, start } from '../support/runs.ts';
import {
  mockBatches,
  succeeded,
  wholeAnswer,
  type BatchedRequest,
  type MockBatch,
} from '../support/mock-batches.ts';
import { mortalStore } from '../support/mortal-store.ts';
import { sampled } from '../support/thorough.ts';
import './load-models.ts';

const vendors = {
  responses: ({ url }: { url: string }, batch: boolean | Batching = true): Model =>
    openai('gpt-4o', { apiKey: 'sk-test', baseURL: `${url}/v1`, batch }),
  chat: ({ url }: { url: string }, batch: boolean | Batching = true): Model =>
    openaiChat('gpt-4o', {
      apiKey: 'sk-test',
      baseURL: `${url}/v1`,
      profile: { name: 'openai', batches: true },
      batch,
    }),
  groq: ({ url }: { url: string }, batch: boolean | Batching = true): Model =>
    openaiChat('llama-3.3-70b-versatile', {
      apiKey: 'sk-test',
      baseURL: `${url}/groq/openai/v1`,
      profile: 'groq',
      batch,
    }),
  mistral: ({ url }: { url: string }, batch: boolean | Batching = true): Model =>
    openaiChat('mistral-small-latest', {
      apiKey: 'sk-test',
      baseURL: `${url}/mistral/v1`,
      profile: 'mistral',
      batch,
    }),
  together: ({ url }: { url: string }, batch: boolean | Batching = true): Model =>
    openaiChat('meta-llama/Llama-3.3-70B-Instruct-Turbo', {
      apiKey: 'sk-test',
      baseURL: `${url}/together/v1`,
      profile: 'together',
      batch,
    }),
  messages: ({ url }: { url: string }, batch: boolean | Batching = true): Model =>
    anthropic('claude-sonnet-4-5', { apiKey: 'sk-test', baseURL: url, batch }),
};
const each = Object.entries(vendors).map(([api, model]) => ({ api, model }));

/** In US dollars for a million tokens, by the list. */
const PRICES: Readonly<Record<string, { readonly input: number; readonly output: number }>> = {
  anthropic: { input: 3, output: 15 },
  groq: { input: 0.59, output: 0.79 },
  mistral: { input: 0.1, output: 0.3 },
  together: { input: 0.88, output: 0.88 },
};

const clerkOf = (model: Model, name = 'clerk'): Agent<string, string> => agent({ name, model });

/** The text of the last user's message of a request, in any of the forms. */
const askedIn = ({ body }: BatchedRequest): string => {
  const last = ((body['input'] ?? body['messages']) as { content: unknown }[]).at(-1)?.content;
  return typeof last === 'string' ? last : JSON.stringify(last);
};

/** Runs to the end by moving time on, as fast as the machine. */
const runOn = async <Input, Output>(
  clock: VirtualClock,
  worker: Agent<Input, Output>,
  input: Input,
  options: Pick<RunOptions, 'store' | 'runId' | 'limits'> = {},
) => letTimePass(clock, settled(start(worker, input, { clock, ...options })));

describe.each(sampled(each, 2))('[BATCH] calls by the batches of a provider: $api', ({ model }) => {
  it('answers all members of a team out of one batch, at half the price', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({
      answers: (request) => `Echo: ${askedIn(request)}`,
      clock,
    });
    const names = Array.from({ length: 40 }, (_, index) => `clerk-${index}`);
    const asked = model(service);
    const team = parallel({
      name: 'team',
      concurrency: names.length,
      members: Object.fromEntries(names.map((name) => [name, clerkOf(asked, name)])),
    });
    const result = await runOn(clock, team, 'Hello?', { limits: { concurrency: 2 } });
    expect(result.status).toBe('completed');
    expect(service.batches.map(({ requests }) => requests.length)).toEqual([40]);
    expect(result.totals).toMatchObject({ modelCalls: 40, inputTokens: 4_000, outputTokens: 400 });
    expect(asked.priceShare).toBe(0.5);
    const price = PRICES[asked.provider] ?? { input: 2.5, output: 10 };
    expect(result.totals.costUsd).toBeCloseTo((4_000 * price.input + 400 * price.output) / 2 / 1e6, 8);
    expect(clock.pending).toBe(0);
  });

  it('reads calls of tools and an output by schema as in a plain answer', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({
      answers: (request, batch) => (service.batches.length === 1 ? callIn(request, batch) : '{"warm":true}'),
      clock,
    });
    const weather = tool({
      name: 'weather',
      description: 'The weather in a city.',
      input: z.object({ city: z.string() }),
      execute: ({ city }) => `21 degrees in ${city}`,
    });
    const clerk = agent({
      name: 'clerk',
      model: model(service),
      tools: [weather],
      output: z.object({ warm: z.boolean() }),
    });
    const result = await runOn(clock, clerk, 'Is it warm in Rome?');
    expect(result.output).toEqual({ warm: true });
    expect(service.batches).toHaveLength(2);
    expect(JSON.stringify(service.batches[0]?.requests[0]?.body)).toContain('21 degrees in Rome');
    expect(service.batches[0]?.requests[0]?.body).not.toHaveProperty('stream');
  });

  it('waits for most of a day, beyond every time limit of an attempt, and shows what for', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ clock });
    const store = memoryStore();
    const handle = start(clerkOf(model(service)), 'Hello?', { clock, store, runId: 'run-1' });
    const waits: unknown[] = [];
    handle.events$.pipe(ofType('agent.waiting')).subscribe((event) => waits.push(event));
    await letTimePass(clock, service.when('GET'), 1_000);
    await quiet();
    const [batch] = service.batches;
    const entry = await store.entry('run-1');
    expect(entry?.status).toBe('waiting');
    expect(entry?.dueAt).toBeGreaterThan(0);
    expect(waits).toMatchObject([{ reason: expect.stringContaining(`the batch ${batch?.id}`) }]);
    await clock.advance(20 * 3_600_000);
    service.end();
    const result = await letTimePass(clock, settled(handle), 60_000);
    expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
    // 30 s at first, 10 minutes at last.
    expect(service.seen.length).toBeLessThan(20 * 6 + 30);
    expect(clock.pending).toBe(0);
  });

  it('is resumed after its process died: finds its batch, and submits nothing twice', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ clock });
    const store = memoryStore();
    const { store: mortal } = mortalStore(store);
    start(clerkOf(model(service)), 'Hello?', { clock, store: mortal, runId: 'run-1' });
    await letTimePass(clock, service.when('GET'));
    // Another process, with a model of its own.
    const handle = await resume(clerkOf(model(service)), 'run-1', { store: mortalStore(store).store, clock });
    // It may be parked again: it is due when the batch is looked at once more.
    const resumedAt = clock.now();
    let entry = await store.entry('run-1');
    for (let passed = 0; passed < 25 && (entry?.dueAt ?? 0) < resumedAt + 20_000; passed += 1) {
      await clock.advance(1_000);
      await quiet();
      entry = await store.entry('run-1');
    }
    expect(entry).toMatchObject({ status: 'waiting', dueAt: expect.any(Number) });
    expect(entry?.dueAt).toBeGreaterThan(resumedAt + 20_000);
    service.end();
    const result = await letTimePass(clock, settled(handle));
    expect(result.output).toBe('Done.');
    expect(service.batches).toHaveLength(1);
    expect(service.seen.filter((each) => /^POST .*(?:batches|jobs)$/.test(each))).toHaveLength(1);
  });
});

describe('[BATCH] runs by a batch', () => {
  it('are of many inputs, each a run of its own, and all of them in one batch of the provider', async () => {
    await using service = await mockBatches({ answers: (request) => `Echo: ${askedIn(request)}` });
    const inputs = Array.from({ length: 30 }, (_, index) => `Hello ${index}`);
    // Complete by its size, however slow the machine is.
    const asked = vendors.messages(service, { windowMs: 60_000, size: inputs.length, pollMs: 1 });
    const items = await batch(clerkOf(asked), inputs, { runs: inputs.length });
    expect(items.map((item) => (item.ok ? item.result.output : item.error))).toEqual(
      inputs.map((input) => expect.stringContaining(input)),
    );
    expect(service.batches.map(({ requests }) => requests.length)).toEqual([30]);
  });

  it('are continued by their ids after the process died, and asked about once', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ clock });
    const store = memoryStore();
    const letters = ['one', 'two', 'three'];
    const judgeAll = (kept: JournalStore): Promise<readonly unknown[]> => {
      const judge = clerkOf(vendors.responses(service), 'judge');
      return Promise.all(
        letters.map(async (letter) => {
          const { result } = await runOrResume(judge, letter, { store: kept, runId: letter, clock });
          return (await result).output;
        }),
      );
    };
    // Of a process that is dead: that its leases are lost is nobody's.
    judgeAll(mortalStore(store).store).catch(() => undefined);
    await letTimePass(clock, service.when('GET'));
    const again = judgeAll(mortalStore(store).store);
    await quiet();
    service.end((request) => `Echo: ${askedIn(request)}`);
    const outputs = await letTimePass(clock, again);
    expect(outputs).toEqual(letters.map((letter) => expect.stringContaining(letter)));
    expect(service.batches.map(({ requests }) => requests.length)).toEqual([3]);
  });

  it('are replayed without the provider, with what they waited for', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ answers: () => 'Hello.', clock });
    const store = memoryStore();
    const clerk = clerkOf(vendors.responses(service));
    const result = await runOn(clock, clerk, 'Hello?', { store, runId: 'run-1' });
    const before = service.seen.length;
    const { events } = await replay(clerk, 'run-1', { store });
    expect(events).toEqual(result.events);
    expect(events.map(({ type }) => type)).toContain('agent.waiting');
    expect(service.seen).toHaveLength(before);
  });
});

/** The line of an answer that calls the tool. */
const callIn = (request: BatchedRequest, batch: MockBatch): object => {
  const input = { city: 'Rome' };
  const body = wholeAnswer(batch.endpoint, '');
  if (batch.endpoint === '/v1/messages')
    return succeeded(batch, request, {
      ...body,
      content: [{ type: 'tool_use', id: 'call_1', name: 'weather', input }],
      stop_reason: 'tool_use',
    });
  const call = { name: 'weather', arguments: JSON.stringify(input) };
  if (batch.endpoint === '/v1/responses')
    return succeeded(batch, request, {
      ...body,
      output: [{ type: 'function_call', id: 'item_2', call_id: 'call_1', status: 'completed', ...call }],
    });
  const message = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: call }],
  };
  return succeeded(batch, request, {
    ...body,
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  });
};
