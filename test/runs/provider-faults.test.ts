import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/contracts/error.ts';
import type { Model } from '../../src/contracts/model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { mockProvider, type Reply } from '../support/mock-provider.ts';
import { modelFor, type WireKind } from '../support/provider-streams.ts';
import { type HttpOutcome, type HttpRun, runOverHttp, until } from '../support/run-over-http.ts';
import { ofType, settled, start } from '../support/runs.ts';
import { weatherClerk } from '../support/weather-clerk.ts';
import { failing, overloaded, says, upToText, wireAnswer } from '../support/wire-answers.ts';

/** Three pieces, so that a stream can break after some of it was shown. */
const GREETING = { text: ['It ', 'is ', 'sunny.', ' Take a hat.'] };
const WHOLE = GREETING.text.join('');

describe.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic'])('a run over %s', (kind) => {
  const ok = says(kind, GREETING);
  const run = (
    replies: readonly Reply[],
    more: Partial<HttpRun<unknown>> = {},
  ): Promise<HttpOutcome<unknown>> => runOverHttp({ kind, replies, agent: weatherClerk(), ...more });

  /** It answered in the end, nothing is shown twice, and what went wrong on the way is on record. */
  const expectAnswer = ({ result, shown }: HttpOutcome<unknown>, retries: number): void => {
    expect(result).toMatchObject({ status: 'completed', output: WHOLE, totals: { retries } });
    expect(shown).toEqual([WHOLE]);
    expect(ofType(result.events, 'model.answered').map(({ text }) => text)).toEqual([WHOLE]);
    expect(ofType(result.events, 'model.retrying')).toHaveLength(retries);
    expect(ofType(result.events, 'model.failed')).toEqual([]);
  };
  const expectFailure = ({ result, shown }: HttpOutcome<unknown>, code: ErrorCode): void => {
    expect(result).toMatchObject({ status: 'failed', stopReason: { kind: 'failed' }, output: undefined });
    expect(result.error).toMatchObject({
      code,
      path: 'clerk',
      step: 0,
      phase: 'DECIDE',
      runId: result.runId,
    });
    expect(ofType(result.events, 'run.ended')[0]?.error).toEqual(result.error);
    expect(ofType(result.events, 'model.failed').map(({ error }) => error.code)).toEqual([code]);
    expect(shown).toEqual([]);
  };

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
    const outcome = await run([busy, busy, busy, busy, busy, ok], { agent: weatherClerk({ retry }) });
    expect(outcome.requests).toHaveLength(5);
    expect(outcome.waits).toEqual([50, 100, 200, 300]);
    expectFailure(outcome, 'model.unavailable');
  });

  it('[P19] waits no longer in all than the agent was told', async () => {
    const busy = failing(429, { 'retry-after': '10' });
    const retry = { attempts: 9, maxTotalWaitMs: 25_000 };
    const outcome = await run([busy, busy, busy, busy, ok], { agent: weatherClerk({ retry }) });
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

  describe('a stream that breaks after three pieces', () => {
    const begun = upToText(kind, GREETING, 3);
    const broken: readonly (readonly [string, ErrorCode, Reply])[] = [
      ['[F6] an overloaded provider says so', 'model.unavailable', { pieces: [...begun, overloaded(kind)] }],
      ['[F7] the socket is destroyed', 'model.network', { pieces: begun, ending: 'reset' }],
      ['[F8] it ends as if it were whole', 'model.malformed', { pieces: begun }],
      [
        '[F11] a line is no JSON',
        'model.malformed',
        { pieces: [...begun, 'event: x\ndata: {"choices": [{\n\n'] },
      ],
    ];

    it.each(broken)('%s (%s): asked again, and nothing is shown twice', async (_, code, reply) => {
      const outcome = await run([reply, ok]);
      expect(outcome.requests).toHaveLength(2);
      expectAnswer(outcome, 1);
      const { events } = outcome.result;
      const [discarded] = ofType(events, 'model.discarded');
      expect(discarded).toMatchObject({ characters: 'It is sunny.'.length });
      expect(ofType(events, 'model.asked')[0]).toMatchObject({ key: discarded?.key });
      expect(ofType(events, 'model.retrying')[0]?.error.code).toBe(code);
      // Both requests are the same: what was thrown away was never said.
      expect(outcome.requests[1]?.body).toEqual(outcome.requests[0]?.body);
    });

    it.each(broken)(
      '%s (%s) for ever: three requests, and three times taken back',
      async (_, code, reply) => {
        const outcome = await run([reply, reply, reply, ok]);
        expect(outcome.requests).toHaveLength(3);
        expectFailure(outcome, code);
        expect(ofType(outcome.result.events, 'model.discarded')).toHaveLength(3);
      },
    );

    it.each([
      ['[F9] without a byte', 'stall'],
      ['[F10] with comments', 'comments'],
    ] as const)('%s: given up after the idle limit, and asked again', async (_, ending) => {
      const outcome = await run([{ pieces: begun, ending }, ok], {
        meanwhile: async ({ streamed, events, pass, hungUp }) => {
          await until(() => streamed() === 'It is sunny.');
          await pass(89_999);
          expect(events.some(({ type }) => type === 'model.discarded')).toBe(false);
          await pass(1);
          await until(() => hungUp() === 1);
        },
      });
      expect(outcome.requests).toHaveLength(2);
      expectAnswer(outcome, 1);
      expect(ofType(outcome.result.events, 'model.retrying')[0]).toMatchObject({
        at: 90_000,
        error: { code: 'model.idle' },
      });
    });

    it('[F9] every piece that arrives puts the idle limit off', async () => {
      const half = upToText(kind, GREETING, 1);
      const outcome = await run([{ pieces: half, ending: 'stall' }, ok], {
        agent: weatherClerk({ retry: { idleTimeoutMs: 1_000, attempts: 1 } }),
        meanwhile: async ({ streamed, pass }) => {
          await until(() => streamed() === 'It ');
          await pass(1_000);
        },
      });
      expect(outcome.requests).toHaveLength(1);
      expectFailure(outcome, 'model.idle');
    });
  });

  it('[F13] a second message within one stream is a typed error, never mixed text', async () => {
    const [first = ''] = wireAnswer(kind, GREETING);
    const spliced = [
      ...upToText(kind, GREETING, 2),
      first.replace('msg_1', 'msg_2'),
      ...wireAnswer(kind, GREETING),
    ];
    const outcome = await run([{ pieces: spliced }, ok]);
    // Chat Completions has no beginning that could come twice: its reader sees pieces of one text, and [F8] its end.
    if (kind === 'openai-chat') expect(outcome.result.status).toBe('completed');
    else {
      expectAnswer(outcome, 1);
      expect(ofType(outcome.result.events, 'model.retrying')[0]?.error.code).toBe('model.malformed');
    }
  });

  it.each([
    ['200 with a page of HTML', 200, 'text/html', '<html>Welcome to our network</html>', 'model.malformed'],
    ['200 with half an answer', 200, 'application/json', '{"id": "x", "choi', 'model.malformed'],
    ['502 with a page of HTML', 502, 'text/html', `<html>${'x'.repeat(5_000)}</html>`, 'model.unavailable'],
  ] as const)(
    '[F33] %s three times is that error, in few words; once, it is asked again',
    async (_, status, type, body, code) => {
      const page: Reply = { status, headers: { 'content-type': type }, pieces: [body] };
      expectAnswer(await run([page, ok]), 1);
      const outcome = await run([page, page, page, ok]);
      expect(outcome.requests).toHaveLength(3);
      expectFailure(outcome, code);
      expect(outcome.result.error?.message.length).toBeLessThan(700);
    },
  );

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
        const handle = start(weatherClerk({ retry })(model), 'Well?', { clock });
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
        const began = performance.now();
        handle.abort('the user left');
        await handle.result;
        expect(performance.now() - began).toBeLessThan(250);
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
      ...texts.map((text) => says(kind, { text: [...text].map(String) })),
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
});
