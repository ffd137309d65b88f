import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { AiSdkLanguageModel, CallOptions } from '../../src/models/ai-sdk/language-model.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { judgingProvider, type Reply } from '../support/mock-provider.ts';
import { say } from '../support/approving-server.ts';
import { ofType } from '../support/runs.ts';
import { png } from '../content/pictures.ts';

const theirs = { type: 'computer' };
const check = { id: 'sc_1', code: 'malicious_instructions', message: 'Look twice.' };

/** A call of OpenAI's computer, as the Responses API makes it. */
const computerCall = (id: string, actions: readonly object[], checks: readonly object[] = []): object => ({
  type: 'computer_call',
  id: `cu_${id}`,
  call_id: `call_${id}`,
  actions,
  pending_safety_checks: checks,
  status: 'completed',
});

const reply = (output: readonly object[]): Reply => ({
  headers: { 'content-type': 'application/json' },
  pieces: [
    JSON.stringify({
      id: 'resp_1',
      object: 'response',
      model: 'gpt-5.5',
      status: 'completed',
      output,
      usage: { input_tokens: 3, output_tokens: 2 },
    }),
  ],
});

const LOOK = { type: 'screenshot' };
const CLICK = { type: 'click', x: 3, y: 4, button: 'left' };
const input = z.object({ actions: z.array(z.looseObject({ type: z.string() })) }).loose();

/** A computer whose screen shows the number of what was done to it. */
const computer = (name = 'computer') => {
  const done: string[] = [];
  const made = tool({
    name,
    description: 'Does it to the screen.',
    input,
    approval: ({ actions }) => actions.some(({ type }) => type === 'click'),
    execute: ({ actions }) => {
      for (const { type } of actions) {
        if (type === 'wait') throw new Error('the screen is dark');
        done.push(type);
      }
      return dual({ value: done.length, parts: [{ type: 'image', data: png(done.length) }] });
    },
  });
  return { made, done };
};

const seenBy = (body: Record<string, unknown> | undefined) => body?.['input'] as readonly object[];

const picture = (n: number): string => `data:image/png;base64,${Buffer.from(png(n)).toString('base64')}`;

const shown = (id: string, n: number, more = {}): object => ({
  type: 'computer_call_output',
  call_id: `call_${id}`,
  output: { type: 'computer_screenshot', image_url: picture(n) },
  ...more,
});

describe("OpenAI's computer use", () => {
  it('is carried out by the tool of that name: screenshots go back, with the checks that a person has seen', async () => {
    const calls = [computerCall('1', [LOOK]), computerCall('2', [CLICK, LOOK], [check])];
    await using provider = await judgingProvider((_, index) =>
      reply([calls[index] ?? say(`done after ${index}`)]),
    );
    const { made, done } = computer();
    const asked: unknown[] = [];
    const person = { approve: (request: { input: unknown }) => asked.push(request.input) > 0 };
    const store = memoryStore();
    const clerk = agent({
      name: 'clerk',
      model: openai('gpt-5.5', { apiKey: 'k', baseURL: provider.url }),
      tools: [made],
      settings: { providerTools: { openai: [theirs] } },
    });
    const { output, events } = await clerk.run('Click it.', { person, store, runId: 'r' });
    expect([output, done]).toEqual(['done after 2', ['screenshot', 'click', 'screenshot']]);
    expect(asked).toEqual([{ actions: [CLICK, LOOK], pending_safety_checks: [check] }]);
    // It is sent as OpenAI defines it, not as a function beside that.
    expect(provider.requests.map(({ body }) => body['tools'])).toEqual([[theirs], [theirs], [theirs]]);
    expect(seenBy(provider.requests[2]?.body)).toEqual([
      { role: 'user', content: 'Click it.' },
      calls[0],
      shown('1', 1),
      calls[1],
      shown('2', 3, { acknowledged_safety_checks: [check] }),
    ]);
    expect(ofType(events, 'tool.finished').map(({ tool: name }) => name)).toEqual(['computer', 'computer']);
    const { records } = { records: await store.read('r') };
    expect(JSON.stringify(records)).not.toContain(Buffer.from(png(1)).toString('base64'));
    expect((await replay(clerk, 'r', { store })).events).toEqual(events);
  });

  it('of the earlier kind is called by its type, and its one action is a list', async () => {
    const { actions: _, ...earlier } = { ...computerCall('1', []), action: CLICK } as Record<string, unknown>;
    await using provider = await judgingProvider((_, index) => reply([index === 0 ? earlier : say('done')]));
    const { made, done } = computer('computer_use_preview');
    const type = 'computer_use_preview';
    const clerk = agent({
      name: 'clerk',
      model: openai('computer-use-preview', { apiKey: 'k', baseURL: provider.url }),
      tools: [made],
      settings: {
        providerTools: {
          openai: [{ type, display_width: 10, display_height: 10, environment: 'browser' }],
        },
      },
    });
    await clerk.run('Click it.', { person: { approve: () => true } });
    expect(done).toEqual(['click']);
  });

  it.each([
    ['is denied', CLICK, 'it is in use'],
    ['fails', { type: 'wait' }, 'the screen is dark'],
  ])('that %s goes back with the last screenshot, and with the reason', async (_, action, reason) => {
    const calls = [computerCall('1', [LOOK]), computerCall('2', [action], [check])];
    await using provider = await judgingProvider((_seen, index) => reply([calls[index] ?? say('done')]));
    const clerk = agent({
      name: 'clerk',
      model: openai('gpt-5.5', { apiKey: 'k', baseURL: provider.url }),
      tools: [computer().made],
      settings: { providerTools: { openai: [theirs] } },
      failures: { retry: { attempts: 1 } },
    });
    const { output } = await clerk.run('Click it.', { person: { approve: () => 'it is in use' } });
    expect(output).toBe('done');
    // Nobody has acknowledged the checks of what was not done.
    expect(seenBy(provider.requests[2]?.body).slice(-2)).toEqual([
      shown('2', 1),
      { role: 'user', content: expect.stringContaining(reason) },
    ]);
  });

  it('without any picture fails with an error that says what is missing', async () => {
    await using provider = await judgingProvider(() => reply([computerCall('1', [LOOK])]));
    const blind = tool({ name: 'computer', description: 'Sees nothing.', input, execute: () => 'dark' });
    const clerk = agent({
      name: 'clerk',
      model: openai('gpt-5.5', { apiKey: 'k', baseURL: provider.url }),
      tools: [blind],
      settings: { providerTools: { openai: [theirs] } },
    });
    await expect(clerk.run('Look.')).rejects.toMatchObject({
      code: 'model.bad-request',
      message: expect.stringContaining("result of 'computer' as it has no picture"),
    });
    expect(provider.requests).toHaveLength(1);
  });
});

describe("Anthropic's computer use", () => {
  it('is carried out by the tool of that name, which is sent as Anthropic defines it', async () => {
    const defined = {
      type: 'computer_20251124',
      name: 'computer',
      display_width_px: 10,
      display_height_px: 10,
    };
    const whole = (content: readonly object[], reason: string): Reply => ({
      headers: { 'content-type': 'application/json' },
      pieces: [
        JSON.stringify({
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-5-5',
          content,
          stop_reason: reason,
          usage: { input_tokens: 3, output_tokens: 2 },
        }),
      ],
    });
    const call = { type: 'tool_use', id: 'tu_1', name: 'computer', input: { action: 'screenshot' } };
    await using provider = await judgingProvider((_, index) =>
      index === 0 ? whole([call], 'tool_use') : whole([{ type: 'text', text: 'done' }], 'end_turn'),
    );
    const look = tool({
      name: 'computer',
      description: 'Does it to the screen.',
      input: z.object({ action: z.string() }).loose(),
      execute: () => dual({ value: 1, parts: [{ type: 'image', data: png(1) }] }),
    });
    const clerk = agent({
      name: 'clerk',
      model: anthropic('claude-sonnet-5-5', { apiKey: 'k', baseURL: provider.url }),
      tools: [look],
      settings: { providerTools: { anthropic: [defined] } },
    });
    expect((await clerk.run('Look.')).output).toBe('done');
    expect(provider.requests.map(({ body }) => body['tools'])).toMatchObject([[defined], [defined]]);
    const messages = provider.requests[1]?.body['messages'] as readonly { readonly content: unknown }[];
    expect(messages.at(-1)?.content).toMatchObject([
      { type: 'tool_result', content: [{ type: 'image', source: { type: 'base64' } }] },
    ]);
  });
});

describe("a computer's tool of the AI SDK", () => {
  it('is sent once, as its package defines it, where the agent has one of its name', async () => {
    const seen: CallOptions[] = [];
    const model = {
      specificationVersion: 'v3',
      provider: 'anthropic.messages',
      modelId: 'claude',
      supportedUrls: {},
      doGenerate: (options: CallOptions) => {
        seen.push(options);
        return Promise.resolve({
          content: [{ type: 'text', text: 'done' }],
          finishReason: { unified: 'stop', raw: 'end_turn' },
          usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
          warnings: [],
        });
      },
      doStream: () => Promise.reject(new Error('not streamed here')),
    } as unknown as AiSdkLanguageModel;
    const clerk = agent({
      name: 'clerk',
      model: aiSdk(model, { stream: false }),
      tools: [
        computer().made,
        tool({ name: 'add', description: 'Adds.', input: z.object({}), execute: () => 1 }),
      ],
      settings: {
        providerTools: { anthropic: [{ id: 'anthropic.computer', args: { displayWidthPx: 10 } }] },
      },
    });
    await clerk.run('Look.');
    expect(seen[0]?.tools?.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'provider computer',
      'function add',
    ]);
  });
});
