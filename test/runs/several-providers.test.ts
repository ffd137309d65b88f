import { afterEach, describe, expect, it, vi } from 'vitest';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { mockProvider, type SeenRequest } from '../support/mock-provider.ts';
import { requestProblems } from '../support/provider-valid.ts';
import { modelFor, streamFetch, type WireKind } from '../support/provider-streams.ts';
import { assertWhole } from '../support/run-over-http.ts';
import { letTimePass, ofType, settled, start } from '../support/runs.ts';
import { asksWeather, weatherClerk, weatherTool } from '../support/weather-clerk.ts';
import { failing, says, wireAnswer } from '../support/wire-answers.ts';

const DONE = 'It is sunny.';
const thinking = { text: 'Where is Aachen?', proof: 'c2lnbmVk' };

const expectValid = (requests: readonly SeenRequest[]): void => {
  for (const request of requests) expect(requestProblems(request)).toEqual([]);
};

const pairs: readonly (readonly [WireKind, WireKind])[] = [
  ['openai-responses', 'anthropic'],
  ['anthropic', 'openai-responses'],
  ['openai-chat', 'anthropic'],
  ['anthropic', 'openai-chat'],
  ['openai-responses', 'openai-chat'],
  ['openai-chat', 'openai-responses'],
];

describe.each(pairs)('from %s to %s', (from, to) => {
  it('[DODO-58] [P18] a model that is swapped in mid-run is told the whole conversation, without what only the other can read', async () => {
    await using first = await mockProvider(
      says(from, { thinking, text: ['Let me look.'], calls: [asksWeather('Aachen'), asksWeather('Bonn')] }),
    );
    await using second = await mockProvider(
      says(to, { thinking: { text: 'Hm.', proof: 'b3RoZXI' }, calls: [asksWeather('Celle')] }),
      says(to, DONE),
    );
    const clock = virtualClock();
    const clerk = weatherClerk()(modelFor(from, first));
    const handle = start(clerk, 'Well?', { clock, paused: true });
    await handle.step();
    handle.use(modelFor(to, second));
    handle.resume();
    const result = await handle.result;
    expect(result).toMatchObject({ status: 'completed', output: DONE });
    expect(ofType(result.events, 'model.swapped')).toHaveLength(1);
    expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
    expectValid([...first.requests, ...second.requests]);
    const [taken, later] = second.requests.map(({ body }) => JSON.stringify(body));
    for (const text of ['Let me look.', 'Sunny in Aachen', 'Sunny in Bonn']) expect(taken).toContain(text);
    for (const text of [thinking.proof, thinking.text]) expect(taken).not.toContain(text);
    // Its own thoughts it gets back.
    expect(later).toContain(to === 'openai-chat' ? 'Hm.' : 'b3RoZXI');
    assertWhole(result);
  });

  it('[M12] [P19] a list of models is fallen back along, each with its own attempts, and the first has the next step', async () => {
    const busy = failing(529);
    await using first = await mockProvider(busy, busy, busy, says(from, DONE));
    await using second = await mockProvider(busy, says(to, { calls: [asksWeather('Aachen')] }));
    const clock = virtualClock();
    const clerk = agent({
      name: 'clerk',
      model: [modelFor(from, first), modelFor(to, second)],
      tools: [weatherTool()],
      failures: { retry: { idleTimeoutMs: Infinity, attemptTimeoutMs: Infinity } },
    });
    const handle = start(clerk, 'Well?', { clock });
    const result = await letTimePass(clock, settled(handle));
    expect(result).toMatchObject({ status: 'completed', output: DONE });
    expect([first.requests.length, second.requests.length]).toEqual([4, 2]);
    expectValid([...first.requests, ...second.requests]);
    const { events } = result;
    expect(ofType(events, 'model.fell-back')).toMatchObject([{ error: { code: 'model.unavailable' } }]);
    expect(ofType(events, 'model.retrying').map(({ waitMs }) => waitMs)).toEqual([500, 1_000, 500]);
    // Two and one after a wait, one by falling back.
    expect(result.totals.retries).toBe(4);
    assertWhole(result);
  });

  it.each([
    [401, 'model.auth'],
    [404, 'model.not-found'],
    [400, 'model.bad-request'],
  ] as const)('[F5] falls back after %i at once, without trying the same again', async (status, code) => {
    await using first = await mockProvider(failing(status));
    await using second = await mockProvider(says(to, DONE));
    const clerk = agent({ name: 'clerk', model: [modelFor(from, first), modelFor(to, second)] });
    const result = await clerk.run('Well?');
    expect(result.output).toBe(DONE);
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
    expect(ofType(result.events, 'model.fell-back')).toMatchObject([{ error: { code, status } }]);
  });

  it('[P19] where all of them fail, the last one’s error is the run’s, and the requests are as many as allowed', async () => {
    const busy = Array.from({ length: 9 }, () => failing(503));
    await using first = await mockProvider(...busy);
    await using second = await mockProvider(...busy);
    const clock = virtualClock();
    const clerk = agent({
      name: 'clerk',
      model: [modelFor(from, first), modelFor(to, second)],
      failures: { retry: { idleTimeoutMs: Infinity, attemptTimeoutMs: Infinity } },
    });
    const result = await letTimePass(clock, settled(start(clerk, 'Well?', { clock })));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model.unavailable', path: 'clerk' } });
    expect([first.requests.length, second.requests.length]).toEqual([3, 3]);
    expect(clock.pending).toBe(0);
  });
});

describe('within one provider', () => {
  const url = ({ url: base }: { readonly url: string }) => `${base}/v1`;

  it.each<
    readonly [
      string,
      WireKind,
      (provider: { readonly url: string }) => Model,
      (provider: { readonly url: string }) => Model,
    ]
  >([
    [
      'another model of Anthropic',
      'anthropic',
      (provider) => anthropic('one', { apiKey: 'sk', baseURL: provider.url }),
      (provider) => anthropic('two', { apiKey: 'sk', baseURL: provider.url }),
    ],
    [
      'another model of OpenAI',
      'openai-responses',
      (provider) => openai('one', { apiKey: 'sk', baseURL: url(provider) }),
      (provider) => openai('two', { apiKey: 'sk', baseURL: url(provider) }),
    ],
    [
      'the same model at another place',
      'openai-chat',
      (provider) => openaiChat('one', { provider: 'here', baseURL: url(provider) }),
      (provider) => openaiChat('one', { provider: 'there', baseURL: url(provider) }),
    ],
  ])('[DODO-58] [P18] %s is not told what only the one before can read', async (_, kind, one, other) => {
    await using provider = await mockProvider(
      says(kind, { thinking, text: ['Let me look.'], calls: [asksWeather('Aachen')] }),
      says(kind, DONE),
    );
    const handle = start(weatherClerk()(one(provider)), 'Well?', { paused: true });
    await handle.step();
    handle.use(other(provider));
    handle.resume();
    expect((await handle.result).output).toBe(DONE);
    expectValid(provider.requests);
    const told = JSON.stringify(provider.requests[1]?.body);
    expect(told).toContain('Let me look.');
    for (const text of [thinking.proof, thinking.text]) expect(told).not.toContain(text);
  });
});

describe('the environment', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });

  /** A network that answers in the form of whoever was asked, and remembers who that was. */
  const network = (): { readonly asked: { url: string; key: string; model: unknown }[] } => {
    const asked: { url: string; key: string; model: unknown }[] = [];
    vi.stubGlobal('fetch', (async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      const headers = new Headers(init?.headers);
      const key = headers.get('authorization') ?? '';
      const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
      asked.push({ url, key, model: Reflect.get(Object(body), 'model') });
      const kind = url.endsWith('/responses')
        ? 'openai-responses'
        : url.endsWith('/messages')
          ? 'anthropic'
          : 'openai-chat';
      return streamFetch(wireAnswer(kind, { text: [DONE] }))(input, init);
    }) satisfies typeof fetch);
    return { asked };
  };

  const local = 'http://localhost:11434/v1';

  it.each([
    [{ OPENAI_API_KEY: 'sk-o' }, 'https://api.openai.com/v1/responses', 'Bearer sk-o', 'gpt-5.5'],
    [
      { OPENAI_API_KEY: 'sk-o', OPENAI_MODEL: 'gpt-4.1' },
      'https://api.openai.com/v1/responses',
      'Bearer sk-o',
      'gpt-4.1',
    ],
    [
      { OPENAI_API_KEY: 'sk-o', OPENAI_BASE_URL: 'https://eu.api.openai.com/v1' },
      'https://eu.api.openai.com/v1/responses',
      'Bearer sk-o',
      'gpt-5.5',
    ],
    [
      { OPENAI_API_KEY: 'sk-o', OPENAI_BASE_URL: local },
      `${local}/chat/completions`,
      'Bearer sk-o',
      'llama3.2',
    ],
    [{ OPENAI_BASE_URL: local, OPENAI_MODEL: 'qwen3' }, `${local}/chat/completions`, 'Bearer none', 'qwen3'],
    [
      { ANTHROPIC_API_KEY: 'sk-a' },
      'https://api.anthropic.com/v1/messages',
      'Bearer sk-a',
      'claude-sonnet-5-5',
    ],
    [
      {
        ANTHROPIC_API_KEY: 'sk-a',
        ANTHROPIC_BASE_URL: 'https://proxy.test',
        ANTHROPIC_MODEL: 'claude-haiku-5',
      },
      'https://proxy.test/v1/messages',
      'Bearer sk-a',
      'claude-haiku-5',
    ],
    [
      { OPENAI_API_KEY: 'sk-o', ANTHROPIC_API_KEY: 'sk-a' },
      'https://api.openai.com/v1/responses',
      'Bearer sk-o',
      'gpt-5.5',
    ],
    [
      { OPENAI_API_KEY: 'sk-o', ANTHROPIC_API_KEY: 'sk-a', TROUPE_MODEL: 'anthropic:claude-opus-5' },
      'https://api.anthropic.com/v1/messages',
      'Bearer sk-a',
      'claude-opus-5',
    ],
    [
      { OPENAI_BASE_URL: local, TROUPE_MODEL: 'compatible:mistral-small' },
      `${local}/chat/completions`,
      'Bearer none',
      'mistral-small',
    ],
    [
      { OPENAI_API_KEY: ' ', ANTHROPIC_API_KEY: 'sk-a' },
      'https://api.anthropic.com/v1/messages',
      'Bearer sk-a',
      'claude-sonnet-5-5',
    ],
  ])('[DODO-11] %j asks %s', async (variables, url, key, model) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const { asked } = network();
    const result = await agent({ name: 'clerk' }).run('Well?');
    expect(result.output).toBe(DONE);
    expect(asked).toEqual([{ url, key, model }]);
    expect(result.events[0]).toMatchObject({ type: 'run.started', isLanguageModel: true });
  });

  it('[DODO-11] without anything in it, nobody is asked, and the first event says that no LLM answers', async () => {
    const { asked } = network();
    const result = await agent({ name: 'clerk' }).run('What is 2 + 2?');
    expect(result.status).toBe('completed');
    expect(asked).toEqual([]);
    expect(result.events[0]).toMatchObject({ type: 'run.started', isLanguageModel: false });
  });

  it.each([
    ['openia:gpt-5.5', 'model.unknown', /providers are openai, anthropic, compatible, offline/],
    ['compatible:llama3.2', 'model.missing', /OPENAI_BASE_URL/],
  ])('[DODO-11] TROUPE_MODEL=%s is an error before the first step (%s)', async (choice, code, message) => {
    vi.stubEnv('TROUPE_MODEL', choice);
    const { asked } = network();
    await expect(agent({ name: 'clerk' }).run('Well?')).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      result: { status: 'failed', totals: { steps: 0, modelCalls: 0 } },
    });
    expect(asked).toEqual([]);
  });

  it.each([
    [openai('gpt-5.5'), 'OPENAI_API_KEY'],
    [anthropic('claude-sonnet-5-5'), 'ANTHROPIC_API_KEY'],
  ])(
    'a model without a key fails the run with the name of the variable, and asks nobody',
    async (model, variable) => {
      const { asked } = network();
      await expect(agent({ name: 'clerk', model }).run('Well?')).rejects.toMatchObject({
        code: 'model.auth',
        message: expect.stringContaining(variable),
        result: { totals: { retries: 0 } },
      });
      expect(asked).toEqual([]);
    },
  );

  it('a compatible server needs no key', async () => {
    const { asked } = network();
    const model = openaiChat('llama3.2', { baseURL: local });
    expect((await agent({ name: 'clerk', model }).run('Well?')).output).toBe(DONE);
    expect(asked).toHaveLength(1);
  });
});
