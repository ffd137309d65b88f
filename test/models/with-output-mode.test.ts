import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { withOutputMode } from '../../src/models/schemas/with-output-mode.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { mockProvider, type Reply } from '../support/mock-provider.ts';
import type { WireKind } from '../support/provider-streams.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, ofType, settled } from '../support/runs.ts';
import { says } from '../support/wire-answers.ts';

const models: readonly (readonly [WireKind, (baseURL: string) => Model])[] = [
  ['openai-responses', (baseURL) => openai('gpt-5.5', { apiKey: 'k', baseURL })],
  ['openai-chat', (baseURL) => openaiChat('some', { apiKey: 'k', baseURL })],
  ['anthropic', (baseURL) => anthropic('claude-sonnet-5-5', { apiKey: 'k', baseURL })],
];

const bill = z.object({ total: z.number(), items: z.array(z.string()) });
const BILL = { total: 42, items: ['tea', 'cake'] };

const giving = (kind: WireKind, input: unknown, more: readonly { name: string; arguments: string }[] = []) =>
  says(kind, { calls: [...more, { name: 'final_answer', arguments: JSON.stringify(input) }] });

/** Runs a clerk whose model answers with those replies; what was sent, as the provider read it. */
const running = async (
  kind: WireKind,
  make: (url: string) => Model,
  replies: readonly Reply[],
  options: { output?: z.ZodType; tools?: boolean; mode?: 'tool' | 'text'; toolChoice?: 'auto' | 'none' } = {},
) => {
  const { output = bill, tools = true, mode = 'tool', toolChoice } = options;
  await using provider = await mockProvider(...replies);
  const clerk = agent({
    name: 'clerk',
    model: withOutputMode(make(provider.url), mode),
    output,
    ...(tools ? { tools: [echo] } : {}),
    settings: { toolChoice },
  });
  const store = memoryStore();
  const handle = clerk.stream('Add up.', { store });
  let text = '';
  handle.events$.subscribe((event) => {
    if (event.type === 'model.delta' && event.delta.type === 'text') text += event.delta.text;
  });
  const result = await handle.result;
  const replayed = await replay(clerk, handle.runId, { store });
  expect(replayed.events).toEqual(result.events);
  return { result, text, sent: provider.requests.map(({ body }) => body as Record<string, unknown>) };
};

const FORCED = {
  any: { 'openai-responses': 'required', 'openai-chat': 'required', anthropic: { type: 'any' } },
  one: {
    'openai-responses': { type: 'function', name: 'final_answer' },
    'openai-chat': { type: 'function', function: { name: 'final_answer' } },
    anthropic: { type: 'tool', name: 'final_answer' },
  },
} as const;

describe.each(models)('an output by a tool, asked of %s', (kind, make) => {
  it('is the arguments of a call that is forced, streamed as they arrive, and nothing else asks for it', async () => {
    const { result, text, sent } = await running(kind, make, [giving(kind, BILL)]);
    expect(result.output).toEqual(BILL);
    expect(JSON.parse(text)).toEqual(BILL);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ tool_choice: FORCED.any[kind] });
    expect(sent[0]?.['tools']).toHaveLength(2);
    for (const field of ['response_format', 'text', 'output_config', 'output_format'])
      expect(sent[0]?.[field] ?? {}).not.toHaveProperty('format');
    expect(ofType(result.events, 'model.answered')).toMatchObject([{ text: JSON.stringify(BILL) }]);
  });

  it('is the only tool of an agent without tools, and of one that may not call its own', async () => {
    const alone = await running(kind, make, [giving(kind, BILL)], { tools: false });
    const ruled = await running(kind, make, [giving(kind, BILL)], { toolChoice: 'none' });
    for (const { result, sent } of [alone, ruled]) {
      expect(result.output).toEqual(BILL);
      expect(sent[0]).toMatchObject({ tool_choice: FORCED.one[kind] });
    }
  });

  it('is a value that is no object, unwrapped as it streams', async () => {
    const { result, text } = await running(kind, make, [giving(kind, { value: [1, 2] })], {
      output: z.array(z.number()),
    });
    expect(result.output).toEqual([1, 2]);
    expect(text).toBe('[1,2]');
  });

  it('waits for the calls beside it, and is asked for again', async () => {
    const beside = giving(kind, { total: 0, items: [] }, [{ name: 'echo', arguments: '{"text":"tea"}' }]);
    const { result, sent } = await running(kind, make, [beside, giving(kind, BILL)]);
    expect(result.output).toEqual(BILL);
    expect(result.records[0]?.results).toMatchObject([{ ok: true, text: 'tea' }]);
    // The call that has no result is not in the conversation, nor what it gave.
    const conversation = JSON.stringify(sent[1]?.['messages'] ?? sent[1]?.['input']);
    expect(conversation).not.toMatch(/final_answer|items/);
  });

  it('that does not fit is asked for again, and one that is text is taken where it may be', async () => {
    const unfit = await running(kind, make, [giving(kind, { total: 'much' }), giving(kind, BILL)]);
    expect(unfit.result.output).toEqual(BILL);
    expect(JSON.stringify(unfit.sent[1])).toContain('total');
    const free = await running(kind, make, [says(kind, JSON.stringify(BILL))], { toolChoice: 'auto' });
    expect(free.result.output).toEqual(BILL);
    expect(free.text).toBe(JSON.stringify(BILL));
  });

  it('by text is asked for in the instructions, and repaired', async () => {
    const { result, sent } = await running(
      kind,
      make,
      [says(kind, "Here it is:\n```json\n{'total': 42, items: ['tea', 'cake'],}\n```")],
      { mode: 'text' },
    );
    expect(result.output).toEqual(BILL);
    expect(sent[0]?.['tools']).toHaveLength(1);
    expect(JSON.stringify(sent[0])).toContain('valid by this JSON Schema');
    expect(sent[0]).not.toHaveProperty('response_format');
  });
});

test.each([
  'First draft: {"total": 3, "items": []}. That forgets the cake: {"total": 42, "items": ["cake"]}',
  'Which bill do you mean? I would answer like {"total": 0, "items": []}.',
  '{"total": 3, "items": []} or {"total": 4, "items": []}',
])('JSON amid prose is not taken for the answer, which is asked for again: %s', async (text) => {
  const model = scriptedModel([text, JSON.stringify(BILL)]);
  const { output } = await agent({ name: 'clerk', model: withOutputMode(model, 'text'), output: bill }).run(
    'go',
  );
  expect(output).toEqual(BILL);
});

test('[FIND-24] a text that broke off is continued, and read as a whole', async () => {
  const whole = JSON.stringify(BILL);
  let asked = 0;
  const breaking: Model = {
    provider: 'test',
    id: 'breaking',
    answer: (_, call) => {
      asked += 1;
      if (asked === 2) return modelAnswer({ text: whole.slice(20) });
      call.delta({ type: 'text', text: whole.slice(0, 20) });
      throw new TroupeError('model.network', 'Cannot read on as the line broke', { retryable: 'yes' });
    },
  };
  const model = withOutputMode(breaking, 'text');
  const clerk = agent({ name: 'clerk', model, output: bill, failures: { retry: { onBreak: 'continue' } } });
  const clock = virtualClock(0);
  const { output } = await letTimePass(clock, settled(clerk.stream('go', { clock })));
  expect(output).toEqual(BILL);
  expect(asked).toBe(2);
});

test('a tool that has to be called first is: the output is no way around it', async () => {
  const model = scriptedModel([
    calls({ name: 'echo', input: { text: 'tea' } }),
    calls({ name: 'final_answer', input: BILL }),
  ]);
  const clerk = agent({
    name: 'clerk',
    model: withOutputMode(model, 'tool'),
    output: bill,
    tools: [echo],
    settings: { toolChoice: 'required' },
  });
  expect((await clerk.run('go')).output).toEqual(BILL);
  const names = model.requests.map(({ tools }) => tools.map(({ name }) => name));
  expect(names).toEqual([['echo'], ['echo', 'final_answer']]);
  expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['required', 'required']);
});

test('tools that the provider runs may be used before the output', async () => {
  const settings = { providerTools: { anthropic: [{ type: 'web_search_20250305', name: 'web_search' }] } };
  await using provider = await mockProvider(giving('anthropic', BILL));
  const model = withOutputMode(
    anthropic('claude-sonnet-5-5', { apiKey: 'k', baseURL: provider.url }),
    'tool',
  );
  await agent({ name: 'clerk', model, output: bill, settings }).run('go');
  expect(provider.requests[0]?.body).toMatchObject({ tool_choice: { type: 'any' } });
});

test('what a model thought goes back with the calls that stood beside an output', async () => {
  const thinking = { text: 'I need tea.', proof: 'signed' };
  const both = [
    { name: 'echo', arguments: '{"text":"tea"}' },
    { name: 'final_answer', arguments: JSON.stringify(BILL) },
  ];
  await using provider = await mockProvider(
    says('anthropic', { thinking, calls: both }),
    giving('anthropic', BILL),
  );
  const model = withOutputMode(
    anthropic('claude-sonnet-4-5', { apiKey: 'k', baseURL: provider.url }),
    'tool',
  );
  await agent({
    name: 'clerk',
    model,
    output: bill,
    tools: [echo],
    settings: { toolChoice: 'auto', reasoning: { budgetTokens: 2_000 } },
  }).run('go');
  expect(provider.requests[1]?.body).toMatchObject({
    messages: [
      {},
      {
        content: [
          { type: 'thinking', thinking: 'I need tea.', signature: 'signed' },
          { type: 'tool_use', name: 'echo' },
        ],
      },
      {},
    ],
  });
});

test('arguments that were cut off at the length limit are no output: it is asked for again', async () => {
  await using provider = await mockProvider(
    says('openai-chat', { calls: [{ name: 'final_answer', arguments: '{"total": 4' }], finish: 'length' }),
    giving('openai-chat', BILL),
  );
  const model = withOutputMode(openaiChat('some', { apiKey: 'k', baseURL: provider.url }), 'tool');
  const { output, events } = await agent({ name: 'clerk', model, output: bill }).run('Add up.');
  expect(output).toEqual(BILL);
  expect(ofType(events, 'model.answered')).toMatchObject([{ text: '{"total": 4' }, {}]);
});

test('a tool of the same name stays what it is', async () => {
  const own = { ...echo, name: 'final_answer' };
  const model = scriptedModel([
    calls({ name: 'final_answer', input: { text: 'tea' } }),
    calls({ name: 'final_answer_', input: BILL }),
  ]);
  const clerk = agent({ name: 'clerk', model: withOutputMode(model, 'tool'), output: bill, tools: [own] });
  const { output, records } = await clerk.run('Add up.');
  expect(output).toEqual(BILL);
  expect(records[0]?.results).toMatchObject([{ text: 'tea' }]);
});

test('an agent without an output is asked as it is, a refusal stays one, an unknown mode is an error', async () => {
  const model = scriptedModel(['Hello.']);
  const { output } = await agent({ name: 'clerk', model: withOutputMode(model, 'tool') }).run('Hi');
  expect(output).toBe('Hello.');
  expect(model.requests[0]).toMatchObject({ tools: [] });
  const refusing: Model = {
    provider: 'test',
    id: 'refusing',
    answer: () => modelAnswer({ finish: 'refusal', refusal: 'I cannot.' }),
  };
  const refused = await agent({ name: 'clerk', model: withOutputMode(refusing, 'tool'), output: bill }).run(
    'Hi',
  );
  expect(refused.stopReason).toMatchObject({ kind: 'refused' });
  // @ts-expect-error a mode that there is not
  expect(() => withOutputMode(model, 'xml')).toThrow("in the mode 'xml' as there is none: tool, text");
});
