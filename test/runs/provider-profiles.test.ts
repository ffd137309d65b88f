import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { type ErrorCode } from '../../src/contracts/errors/error-data.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { type Model, modelAnswer } from '../../src/contracts/models/model.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { profileAt, chatProfiles, type ChatProfileName } from '../../src/models/openai/chat-profiles.ts';
import { openaiChat, type OpenAIChatOptions } from '../../src/models/openai/openai-chat.ts';
import { resolveModel } from '../../src/models/model-registry.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { strictServer, strictServers } from '../support/strict-servers.ts';
import { weatherTool } from '../support/weather-clerk.ts';

const names = Object.keys(chatProfiles) as ChatProfileName[];

/** A tool whose schema has all that some provider refuses. */
const report = tool({
  name: 'report',
  description: 'Files a report.',
  input: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('rain'), millimetres: z.number().positive() }),
    z.strictObject({
      kind: z.literal('wind'),
      from: z.enum(['north', 'south']),
      gust: z.number().nullable(),
    }),
  ]),
  execute: () => 'filed',
});

const clerk = (url: string, options: OpenAIChatOptions) =>
  agent({
    name: 'clerk',
    instructions: 'Say what the weather is like.',
    model: openaiChat('a-model', { baseURL: `${url}/v1`, apiKey: 'key', ...options }),
    tools: [weatherTool(), report],
    settings: { maxOutputTokens: 500 },
    failures: { retry: { attempts: 1 } },
  });

describe.each(names)('%s', (profile) => {
  test('[FIND-23] [FIND-24] [FIND-28] a run of two tool steps passes against a server that refuses what this one refuses', async () => {
    await using server = await strictServer(strictServers[profile]);
    const result = await clerk(server.url, { profile }).run('What is the weather like?');
    expect(result).toMatchObject({ status: 'completed', output: 'Sunny in both.' });
    expect(server.requests).toHaveLength(3);
  });

  test('[FIND-23] [FIND-24] calls that another model made pass, and so does a word after their results', async () => {
    await using server = await strictServer(strictServers[profile], []);
    const history: Turn[] = [
      { role: 'user', text: 'Weather in Celle?' },
      {
        role: 'assistant',
        text: '',
        calls: [{ id: 'call_1_0', name: 'weather', input: { city: 'Celle' } }],
      },
      { role: 'tool', callId: 'call_1_0', tool: 'weather', text: 'Rain' },
    ];
    const result = await clerk(server.url, { profile }).run('And now?', { history });
    expect(result).toMatchObject({ status: 'completed', output: 'Sunny in both.' });
    expect(JSON.stringify(server.requests[0]?.body)).toContain('And now?');
  });

  test('[FIND-28] an output by schema is asked for as this server takes it, beside tools too', async () => {
    await using server = await strictServer(
      {
        ...strictServers[profile],
        say: () => strictServers[profile].say('{"city":"Bonn","pair":["a",1]}'),
      },
      ['Aachen'],
    );
    const model = openaiChat('a-model', { baseURL: `${server.url}/v1`, profile });
    const output = z.object({ city: z.string(), pair: z.tuple([z.string(), z.number()]) });
    const options = { name: 'reporter', model, output, failures: { retry: { attempts: 1 } } };
    const withTool = agent({ ...options, tools: [weatherTool()] });
    expect((await withTool.run('Where?')).output).toEqual({ city: 'Bonn', pair: ['a', 1] });
    expect((await agent(options).run('Where?')).output).toEqual({ city: 'Bonn', pair: ['a', 1] });
    const asked = server.requests.map(({ body }) => JSON.stringify(body));
    for (const each of asked) expect(each).toMatch(/json_schema|JSON Schema/);
    expect(asked.join()).not.toContain('prefixItems');
  });

  test('[FIND-25] what it refuses a request for is in the error', async () => {
    await using server = await strictServer({
      ...strictServers[profile],
      refusal: () => 'The moon is full.',
    });
    const thrown: unknown = await clerk(server.url, { profile })
      .run('Hello?')
      .catch((error: unknown) => error);
    if (!isTroupeError(thrown)) throw new Error(`not refused: ${JSON.stringify(thrown)}`);
    expect(thrown.code).toBe('model.bad-request');
    expect(thrown.message).toContain('The moon is full.');
  });
});

test('[FIND-23] [FIND-24] a server without a profile gets ids and fields back as they came, after a resume and in the next run of a thread too', async () => {
  for (const profile of ['mistral', 'gemini', 'openrouter'] as const) {
    // Of the profile nothing is told: the provider's own ids and fields are all it takes.
    const server = { ...strictServers[profile] };
    await using mock = await strictServer({
      ...server,
      refusal: (body) => {
        const { stream_options: _, ...rest } = body;
        return profile === 'mistral' && /id":"call_/.test(JSON.stringify(rest))
          ? 'Tool call id must be a-z, A-Z, 0-9, with a length of 9.'
          : profile === 'gemini' &&
              body.messages.some(
                (message) =>
                  JSON.stringify(message).includes('"tool_calls"') &&
                  !JSON.stringify(message).includes('sig-'),
              )
            ? 'Function call is missing a thought_signature in functionCall parts.'
            : profile === 'openrouter'
              ? server.refusal(rest)
              : undefined;
      },
    });
    const store = memoryStore();
    const model = openaiChat('a-model', { baseURL: `${mock.url}/v1` });
    const one = agent({ name: 'clerk', model, tools: [weatherTool()], failures: { retry: { attempts: 1 } } });
    const handle = one.stream('Weather?', { store, runId: 'r', thread: 'talk', paused: true });
    await handle.step();
    const suspended = handle.result.catch((error: unknown) => error);
    await handle.suspend();
    expect(await suspended).toMatchObject({ code: 'run.suspended' });
    expect(await (await resume(one, 'r', { store })).result).toMatchObject({
      status: 'completed',
      output: 'Sunny in both.',
    });
    expect(await one.run('Are you sure?', { store, thread: 'talk' })).toMatchObject({ status: 'completed' });
    expect(mock.requests).toHaveLength(4);
    // The calls of the run before are shown as well.
    expect(JSON.stringify(mock.requests[3]?.body)).toContain('Sunny in Bonn');
  }
});

test('[FIND-28] every profile has its row in the documentation, and every field of one', () => {
  const page = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');
  for (const name of names) expect(page).toMatch(new RegExp(`^\\| \`${name}\``, 'm'));
  const fields = new Set(names.flatMap((name) => Object.keys(chatProfiles[name])));
  for (const field of fields) expect(page).toMatch(new RegExp(`^\\| \`${field}\``, 'm'));
});

test('[FIND-23] an id that a server gives twice goes back once, and the other call has another', async () => {
  await using server = await strictServer({
    ...strictServers.vllm,
    call: (_, city) => strictServers.vllm.call(0, city),
  });
  const result = await clerk(server.url, { profile: 'vllm' }).run('Weather?');
  expect(result).toMatchObject({ status: 'completed' });
  const sent = JSON.stringify(server.requests.at(-1)?.body);
  expect(sent.split('"call_abc0"')).toHaveLength(3);
});

test('[FIND-24] a model that takes over from another gets none of its fields', async () => {
  await using server = await strictServer(strictServers.gemini, ['Aachen']);
  await using other = await strictServer(strictServers.xai, []);
  const first = openaiChat('a-model', { baseURL: `${server.url}/v1`, profile: 'gemini' });
  const second = openaiChat('b-model', { baseURL: `${other.url}/v1`, profile: 'xai', apiKey: 'key' });
  const handle = agent({ name: 'clerk', model: first, tools: [weatherTool()] }).stream('Weather?', {
    paused: true,
  });
  await handle.step();
  handle.use(second);
  handle.resume();
  expect(await handle.result).toMatchObject({ status: 'completed' });
  const sent = JSON.stringify(other.requests[0]?.body);
  expect(sent).toContain('Sunny in Aachen');
  expect(sent).not.toContain('sig-0');
});

describe('[FIND-28] a profile', () => {
  test('is found by the address', () => {
    expect(profileAt('https://api.mistral.ai/v1').name).toBe('mistral');
    expect(profileAt('http://127.0.0.1:11434/v1').name).toBe('ollama');
    expect(profileAt('https://acme.snowflakecomputing.com/api/v2/cortex/v1').name).toBe('snowflake');
    expect(profileAt('https://us-central1-aiplatform.googleapis.com/v1').name).toBe('gemini');
    for (const strange of ['https://api.mistral.ai.example.com/v1', 'no address', undefined])
      expect(profileAt(strange).name).toBe('compatible');
  });

  test('that an address tells is used', async () => {
    const bodies: string[] = [];
    const fetch: typeof globalThis.fetch = (_, init) => {
      bodies.push(typeof init?.body === 'string' ? init.body : '');
      return Promise.resolve(new Response('{"detail":"Unauthorized"}', { status: 401 }));
    };
    const model = openaiChat('m', { baseURL: 'https://api.mistral.ai/v1', apiKey: 'k', fetch });
    const thrown: unknown = await agent({ name: 'a', model })
      .run('x')
      .catch((error: unknown) => error);
    expect(isTroupeError(thrown, 'model.auth') && thrown.message).toContain('Unauthorized');
    expect(bodies[0]).not.toContain('stream_options');
  });

  test('names models too, and says what is missing', async () => {
    expect(resolveModel('mistral:mistral-large-latest')).toMatchObject({
      provider: 'mistral',
      id: 'mistral-large-latest',
    });
    expect(() => resolveModel('groq')).toThrow(/'groq:MODEL'/);
    const thrown: unknown = await agent({ name: 'a', model: openaiChat('m', { profile: 'snowflake' }) })
      .run('x')
      .catch((error: unknown) => error);
    expect(isTroupeError(thrown, 'model.missing') && thrown.message).toContain('baseURL');
  });

  test.each<[options: string, code: ErrorCode, words: RegExp]>([
    ['{"profile":"mistrall"}', 'model.unknown', /none of that name: choose one of mistral, gemini/],
    ['{"profile":{"name":"a b"}}', 'input.invalid', /its 'name' is "a b"/],
    ['{"profile":{"name":"a","callIdLength":2}}', 'input.invalid', /whole number from 6 to 64/],
    ['{"profile":{"name":"a","refuse":["x"]}}', 'input.invalid', /'refuse' is not one of its fields: name/],
    ['{"profile":{"name":"a","finishWords":{"done":"good"}}}', 'input.invalid', /'finishWords'/],
    ['{"profile":{"name":"a","errorCodes":{"E1":"tool.failed"}}}', 'input.invalid', /'errorCodes'/],
    ['{"profile":{"name":"a","output":"xml"}}', 'input.invalid', /json_schema, json_object, words/],
    ['{"profile":{"refuses":[]}}', 'input.invalid', /its 'name' is undefined/],
    ['{"profile":5}', 'input.invalid', /an object, or the name of a profile/],
    ['{"profile":null}', 'input.invalid', /an object, or the name of a profile/],
    ['{"stream":"no"}', 'input.invalid', /its stream is not a boolean: found 'no'$/],
  ])('that is none is refused: %s', (options, code, words) => {
    const make = () => openaiChat('m', JSON.parse(options) as OpenAIChatOptions);
    expect(make).toThrow(expect.objectContaining({ code, message: expect.stringMatching(words) as string }));
  });

  test('of your own is what you say', async () => {
    await using server = await strictServer({
      ...strictServers.vllm,
      refusal: (body) => ('max_tokens' in body || body['seed'] === 1 ? 'refused' : undefined),
      say: (text) => [{ choices: [{ index: 0, delta: { content: text }, finish_reason: 'fertig' }] }],
    });
    const profile = { name: 'ours', refuses: ['max_tokens'], finishWords: { fertig: 'stop' } } as const;
    expect(await clerk(server.url, { profile }).run('Weather?')).toMatchObject({ status: 'completed' });
  });
});

test('[FIND-24] a model of your own gets back what it put beside a call, as plain JSON', async () => {
  const origin = { provider: 'ours', id: 'x1', model: 'm', fields: { seal: 'y' } };
  const asked: unknown[] = [];
  const model: Model = {
    provider: 'ours',
    id: 'm',
    answer: ({ messages }) => {
      asked.push(messages.toArray());
      return asked.length > 1
        ? modelAnswer({ text: 'Sunny.' })
        : modelAnswer({ calls: [{ id: 'a', name: 'weather', input: { city: 'Bonn' }, origin }] });
    },
  };
  await agent({ name: 'clerk', model, tools: [weatherTool()] }).run('Weather?');
  expect(asked[1]).toMatchObject([{}, { calls: [{ id: 'call_0_0', origin }] }, {}]);
});
