import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { mockProvider, type Reply } from '../support/mock-provider.ts';
import { modelFor, type WireKind } from '../support/provider-streams.ts';
import { type HttpOutcome, type HttpRun, runOverHttp, until } from '../support/run-over-http.ts';
import { ofType, settled, start } from '../support/runs.ts';
import { expectAnswer, expectFailure, GREETING } from '../support/fault-runs.ts';
import { weatherClerk } from '../support/weather-clerk.ts';
import { failing, says, upToText } from '../support/wire-answers.ts';

describe.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic'])('a run over %s', (kind) => {
  const ok = says(kind, GREETING);
  const run = (
    replies: readonly Reply[],
    more: Partial<HttpRun<unknown>> = {},
  ): Promise<HttpOutcome<unknown>> => runOverHttp({ kind, replies, agent: weatherClerk(), ...more });

  it.each([
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['fractions of a second', { 'retry-after': '0.5' }, 500],
    ['milliseconds, which win', { 'retry-after-ms': '70', 'retry-after': '9' }, 70],
    [
      'a date, by the server’s own clock',
      { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 12:00:03 GMT' },
      3_000,
    ],
  ])(
    '[F1] [DODO-28] 429 with Retry-After in %s: the second request comes no earlier',
    async (_, headers, asked) => {
      const outcome = await run([failing(429, headers), ok]);
      expect(outcome.requests).toHaveLength(2);
      expect(outcome.waits).toEqual([Math.ceil(asked * 1.05)]);
      expect(outcome.waits[0]).toBeGreaterThanOrEqual(asked);
      expectAnswer(outcome, 1);
      expect(ofType(outcome.result.events, 'model.retrying')[0]?.error).toMatchObject({
        code: 'model.rate-limited',
        status: 429,
        retryAfterMs: asked,
      });
    },
  );

  it('[F1] 429 that asks for no wait is repeated at once', async () => {
    const outcome = await run([failing(429, { 'retry-after': '0' }), ok]);
    expect(outcome.waits).toEqual([0]);
    expectAnswer(outcome, 1);
  });

  it.each(['-5', 'soon'])('[F1] 429 with Retry-After: %s waits as long as we think right', async (value) => {
    const outcome = await run([failing(429, { 'retry-after': value }), ok]);
    expect(outcome.waits).toEqual([500]);
    expectAnswer(outcome, 1);
  });

  it('[F1] 429 that asks for weeks is not waited for, and says until when', async () => {
    const outcome = await run([failing(429, { 'retry-after': '3000000' }), ok]);
    expect(outcome.requests).toHaveLength(1);
    expectFailure(outcome, 'model.rate-limited');
    expect(outcome.result.error).toMatchObject({ retryAfterMs: 3_000_000_000 });
    expect(outcome.result.error?.message).toMatch(
      /^Cannot get an answer .* as there were too many requests: .*\. It asks to wait 833 h 20 min, longer than one wait may be \(`failures\.retry\.maxWaitMs`: 1 min 0 s\)/,
    );
    expect(outcome.result.error?.message).toMatch(
      /: run it again then, raise that limit, or name a model to fall back to$/,
    );
  });

  it('[F1] 429 that asks for more than the budget of time leaves is not waited for: the run fails at once, and says so', async () => {
    const budget = { timeMs: 20_000 };
    const outcome = await run([failing(429, { 'retry-after': '30' }), ok], {
      options: () => ({ limits: { budget } }),
    });
    expect([outcome.requests.length, outcome.waits]).toEqual([1, []]);
    expectFailure(outcome, 'model.rate-limited');
    expect(outcome.result.totals.durationMs).toBeLessThan(20_000);
    expect(outcome.result.error?.message).toContain(
      'It asks to wait 30.0 s, longer than its time lasts (`limits.budget.timeMs`: 20.0 s left): run it again then',
    );
    const patient = await run([failing(429, { 'retry-after': '10' }), ok], {
      options: () => ({ limits: { budget } }),
    });
    expectAnswer(patient, 1);
  });

  it('[F1] 429 that asks for too much is not waited for where there is another model, which is asked', async () => {
    await using second = await mockProvider(ok);
    const outcome = await run([failing(429, { 'retry-after': '100' })], {
      agent: (model) => weatherClerk({ model: [model, modelFor(kind, second)] })(model),
    });
    expect(outcome.result.status).toBe('completed');
    expect(ofType(outcome.result.events, 'model.fell-back')[0]?.error.message).toMatch(
      /It asks to wait 1 min 40 s, longer than one wait may be \(.*\): the next model is asked$/,
    );
  });

  it('[F2] [DODO-32] 429 of an empty quota is one request', async () => {
    const outcome = await run([failing(429, { 'retry-after': '1' }, { code: 'insufficient_quota' }), ok]);
    expect(outcome.requests).toHaveLength(1);
    expectFailure(outcome, 'model.quota');
    expect(outcome.result.error).toMatchObject({ status: 429, retryable: 'no' });
  });

  it.each([408, 409, 425, 500, 502, 503, 504, 520, 529])(
    '[F3] [DODO-25] [DODO-29] %i twice and then an answer: three requests, after 1 s and 2 s at most',
    async (status) => {
      const outcome = await run([failing(status), failing(status), ok]);
      expect(outcome.requests).toHaveLength(3);
      expect(outcome.waits).toEqual([500, 1_000]);
      expectAnswer(outcome, 2);
    },
  );

  it.each([
    [429, 'model.rate-limited'],
    [500, 'model.unavailable'],
    [503, 'model.unavailable'],
    [529, 'model.unavailable'],
  ] as const)(
    '[F4] [P19] %i for ever: three requests, though the server asks for more',
    async (status, code) => {
      const busy = failing(status, { 'x-should-retry': 'true' });
      const outcome = await run([busy, busy, busy, ok]);
      expect(outcome.requests).toHaveLength(3);
      expectFailure(outcome, code);
      expect(outcome.result.error).toMatchObject({ status, retryable: 'yes' });
      expect(outcome.result.totals.steps).toBe(0);
    },
  );

  it('[P19] [DODO-25] asks as often, and waits as long, as the agent was told', async () => {
    const busy = failing(503);
    const retry = { attempts: 5, initialWaitMs: 100, maxWaitMs: 300 };
    const outcome = await run([busy, busy, busy, busy, busy, ok], {
      agent: weatherClerk({ failures: { retry } }),
    });
    expect(outcome.requests).toHaveLength(5);
    expect(outcome.waits).toEqual([50, 100, 200, 300]);
    expectFailure(outcome, 'model.unavailable');
  });

  it('[P19] waits no longer in all than the agent was told', async () => {
    const busy = failing(429, { 'retry-after': '10' });
    const retry = { attempts: 9, maxTotalWaitMs: 25_000 };
    const outcome = await run([busy, busy, busy, busy, ok], { agent: weatherClerk({ failures: { retry } }) });
    expect(outcome.waits).toEqual([10_500, 10_500]);
    expect(outcome.requests).toHaveLength(3);
    expectFailure(outcome, 'model.rate-limited');
  });

  it.each([
    [400, 'model.bad-request'],
    [401, 'model.auth'],
    [402, 'model.quota'],
    [403, 'model.forbidden'],
    [404, 'model.not-found'],
    [413, 'model.context-overflow'],
    [422, 'model.bad-request'],
    [501, 'model.failed'],
  ] as const)('[F5] [DODO-31] %i is one request: %s', async (status, code) => {
    const outcome = await run([failing(status, { 'x-should-retry': 'true' }), ok]);
    expect(outcome.requests).toHaveLength(1);
    expectFailure(outcome, code);
    expect(outcome.result.error).toMatchObject({ status, retryable: 'no' });
  });

  it.each([
    ['the idle limit', { attempts: 2 }, 90_000, 'model.idle'],
    [
      'the limit of the attempt',
      { attempts: 2, idleTimeoutMs: Infinity, attemptTimeoutMs: 5_000 },
      5_000,
      'model.timeout',
    ],
  ] as const)(
    '[F34] a server that takes the request and never answers is given up after %s',
    async (_, retry, ms, code) => {
      let asked = 0;
      const mute = createServer(() => {
        asked += 1;
      });
      await new Promise<void>((listening) => mute.listen(0, '127.0.0.1', listening));
      const { port } = mute.address() as AddressInfo;
      try {
        const clock = virtualClock();
        const model = modelFor(kind, { url: `http://127.0.0.1:${port}` });
        const handle = start(weatherClerk({ failures: { retry } })(model), 'Well?', { clock });
        await until(() => asked === 1);
        await clock.advance(ms - 1);
        expect(asked).toBe(1);
        await clock.advance(1 + 500);
        await until(() => asked === 2);
        await clock.advance(ms);
        const result = await settled(handle);
        expect(result).toMatchObject({
          status: 'failed',
          error: { code, retryable: 'yes' },
          totals: { retries: 1 },
        });
        expect(clock.pending).toBe(0);
      } finally {
        mute.close();
        mute.closeAllConnections();
      }
    },
  );

  it('[F7] [F35] a server that is not there is asked three times', async () => {
    const gone = await mockProvider();
    await gone[Symbol.asyncDispose]();
    const outcome = await run([], { agent: () => weatherClerk()(modelFor(kind, { url: gone.url })) });
    expectFailure(outcome, 'model.network');
    expect(ofType(outcome.result.events, 'model.asked')).toHaveLength(3);
  });

  it('[F25] a conversation that is too long is asked once: the same words cannot get shorter', async () => {
    const full = failing(
      400,
      {},
      { code: 'context_length_exceeded', message: 'prompt is too long: 210000 tokens' },
    );
    const outcome = await run([full, ok]);
    expect(outcome.requests).toHaveLength(1);
    expectFailure(outcome, 'model.context-overflow');
  });

  it('[F24] 400 of a content filter is one request', async () => {
    const outcome = await run([failing(400, {}, { code: 'content_filter' }), ok]);
    expect(outcome.requests).toHaveLength(1);
    expectFailure(outcome, 'model.content-filter');
  });

  it.each([
    ['[F30] leaves its counts out', null],
    ['[F30] counts below nothing', { input: -5, output: -1 }],
    ['[F30] counts null', { input: null, output: null }],
    ['[F30] counts in words', { input: 'many', output: 'NaN' }],
  ])('%s: the totals are an estimate, and numbers', async (_, usage) => {
    const { result } = await run([says(kind, { ...GREETING, usage })]);
    expect(result.totals.inputTokens).toBeGreaterThan(0);
    expect(result.totals.outputTokens).toBeGreaterThan(0);
    expect(ofType(result.events, 'model.answered')[0]?.usage).toMatchObject({ isEstimate: true });
  });

  it('[F32] the event names the model that really answered', async () => {
    const { result } = await run([says(kind, { ...GREETING, model: 'mock-model-2026' })]);
    expect(ofType(result.events, 'model.answered')[0]?.model).toBe('mock-model-2026');
    expect(ofType(result.events, 'model.asked')[0]?.model).toMatch(/:mock-model$/);
  });

  it('[F38] [P8] an abort settles the run at once; what comes after it changes nothing', async () => {
    const outcome = await run([{ pieces: upToText(kind, GREETING, 2), ending: 'comments' }, ok], {
      meanwhile: async ({ streamed, handle, hungUp }) => {
        await until(() => streamed() === 'It is ');
        handle.abort('the user left');
        // The run's clock stands still, and the provider goes on: nothing else can end it.
        await handle.result;
        await until(() => hungUp() === 1);
      },
    });
    expect(outcome.requests).toHaveLength(1);
    expect(outcome.result).toMatchObject({
      status: 'aborted',
      stopReason: { kind: 'aborted', reason: 'the user left' },
      effects: [{ port: 'prepare' }, { port: 'decide', state: 'withdrawn' }],
    });
    expect(ofType(outcome.result.events, 'model.answered')).toEqual([]);
  });

  it('[P8] [DODO-38] an abort during the wait before a retry ends the run at once, without a request more', async () => {
    await using provider = await mockProvider(failing(429, { 'retry-after': '50' }), ok);
    const clock = virtualClock();
    const handle = start(weatherClerk()(modelFor(kind, provider)), 'Well?', { clock });
    for await (const event of handle) if (event.type === 'model.retrying') break;
    await clock.advance(10_000);
    handle.abort('the user left');
    const result = await handle.result;
    await clock.advance(100_000);
    expect(result).toMatchObject({ status: 'aborted', totals: { retries: 1 } });
    expect(provider.requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('[F39] two runs of one agent at once do not hear each other', async () => {
    const texts = ['Aachen is wet. Stay in.', 'Zwolle is dry. Go out.'];
    await using provider = await mockProvider(
      ...texts.map((text) => says(kind, { text: text.split(/(?<= )/) })),
    );
    const shared: Model = modelFor(kind, provider);
    const clerk = weatherClerk()(shared);
    const heard = await Promise.all(
      ['one', 'two'].map(async (input: string) => {
        const handle = start(clerk, input);
        let live = '';
        for await (const event of handle)
          if (event.type === 'model.delta' && event.delta.type === 'text') live += event.delta.text;
        return { input, live, output: (await handle.result).output };
      }),
    );
    // Whoever's request came first got the first answer: each run has its own, live and in the end.
    const order: readonly string[] = provider.requests.map(({ body }) =>
      JSON.stringify(body).includes('"two"') ? 'two' : 'one',
    );
    for (const { input, live, output } of heard) {
      expect(output).toBe(texts[order.indexOf(input)]);
      expect(live).toBe(output);
    }
  });

  it('[F39] two agents at work within one run do not hear each other either', async () => {
    await using provider = await mockProvider(
      // The first to ask is answered last.
      says(kind, { text: Array.from({ length: 40 }, (_, index) => `first${index} `) }),
      says(kind, { text: ['second'] }),
    );
    const clerk = weatherClerk()(modelFor(kind, provider));
    const consult = tool({
      name: 'consult',
      description: 'Asks a clerk.',
      input: z.object({ city: z.string() }),
      execute: async ({ city }, context) => (await context.run(clerk, city)).output,
    });
    const desk = agent({
      name: 'desk',
      tools: [consult],
      decide: ({ results }) =>
        results.length === 0
          ? act(...['Aachen', 'Zwolle'].map((city) => ({ name: 'consult', input: { city } })))
          : answer(results.map(({ text }) => text)),
    });
    const handle = start(desk, 'Well?');
    const live = new Map<string, string>();
    for await (const event of handle)
      if (event.type === 'model.delta' && event.delta.type === 'text')
        live.set(event.path, `${live.get(event.path) ?? ''}${event.delta.text}`);
    const result = await handle.result;
    const isFirst = JSON.stringify(provider.requests[0]?.body).includes('Aachen');
    const said = [/^first0 .*first39 $/, /^second$/];
    const [aachen, zwolle] = result.records[0]?.results ?? [];
    expect(aachen?.text).toMatch(said[isFirst ? 0 : 1] ?? /$^/);
    expect(zwolle?.text).toMatch(said[isFirst ? 1 : 0] ?? /$^/);
    expect(new Set(live.values())).toEqual(new Set([aachen?.text, zwolle?.text]));
  });
});
