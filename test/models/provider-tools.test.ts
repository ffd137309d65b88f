import { describe, expect, it, test } from 'vitest';
import type { Model, ModelRequest } from '../../src/contracts/models/model.ts';
import { callLines, storedCall } from '../../src/cli/stored/call-lines.ts';
import { plainText } from '../../src/cli/terminal/paint.ts';
import { activityOf } from '../../src/events/progress/activity.ts';
import { parseEvent } from '../../src/events/parse-event.ts';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { AiSdkLanguageModel, CallOptions } from '../../src/models/ai-sdk/language-model.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { modelAnswer } from '../../src/models/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { ask, question, weather } from '../support/ask-model.ts';
import { describeWithFixtures } from '../support/fixtures.ts';
import { mockProvider } from '../support/mock-provider.ts';
import { modelFor, streamFetch, type WireKind, wireEvents } from '../support/provider-streams.ts';
import { ofType } from '../support/runs.ts';
import { goOn } from '../support/stored-runs.ts';
import { says } from '../support/wire-answers.ts';

const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 };
const browse = { type: 'web_search' };
const settings = {
  providerTools: { anthropic: [search], openai: [browse], groq: [{ type: 'browser_search' }] },
};

const models: readonly (readonly [WireKind, object, (baseURL: string) => Model])[] = [
  ['anthropic', search, (baseURL) => anthropic('claude-sonnet-5-5', { apiKey: 'k', baseURL })],
  ['openai-responses', browse, (baseURL) => openai('gpt-5.5', { apiKey: 'k', baseURL })],
  [
    'openai-chat',
    { type: 'browser_search' },
    (baseURL) => openaiChat('gpt-oss', { apiKey: 'k', baseURL, profile: 'groq' }),
  ],
];

const sent = async (
  kind: WireKind,
  make: (url: string) => Model,
  more: Partial<ModelRequest>,
): Promise<Record<string, unknown>> => {
  await using provider = await mockProvider(says(kind, 'Hello.'));
  await ask(make(provider.url), question({ settings, ...more })).answer;
  return provider.requests[0]?.body as Record<string, unknown>;
};

describe.each(models)('tools that the provider of %s runs', (kind, theirs, make) => {
  it('are sent as they were given, before those of the agent', async () => {
    const { tools } = await sent(kind, make, { tools: [weather] });
    expect(tools).toMatchObject([
      theirs,
      JSON.parse(JSON.stringify({ type: kind === 'anthropic' ? undefined : 'function' })),
    ]);
    expect(tools).toHaveLength(2);
  });

  it('are sent alone, but to a model that must not call any', async () => {
    expect(await sent(kind, make, {})).toMatchObject({ tools: [theirs] });
    expect(await sent(kind, make, { toolChoice: 'none' })).not.toHaveProperty('tools');
    expect(await sent(kind, make, { tools: [weather], toolChoice: 'none' })).toHaveProperty('tool_choice');
  });
});

it('are left out where a tool of the agent is forced by being the only one', async () => {
  const make = (baseURL: string) => openaiChat('some', { apiKey: 'k', baseURL, profile: 'ollama' });
  const more = { tools: [weather], settings: { providerTools: { ollama: [{ type: 'web_search' }] } } };
  expect((await sent('openai-chat', make, more))['tools']).toHaveLength(2);
  const forced = await sent('openai-chat', make, { ...more, toolChoice: { name: 'weather' } });
  expect(forced).toMatchObject({ tool_choice: 'required', tools: [{ function: { name: 'weather' } }] });
});

describe('tools of a vendor of the AI SDK', () => {
  const given = async (version: 'v2' | 'v3'): Promise<CallOptions['tools']> => {
    const asked: CallOptions[] = [];
    const model = {
      specificationVersion: version,
      provider: 'openai.responses',
      modelId: 'gpt-5.5',
      supportedUrls: {},
      doStream: () => Promise.reject(new Error('is not streamed')),
      doGenerate: (options: CallOptions) => {
        asked.push(options);
        return Promise.resolve({
          content: [
            {
              type: 'tool-call',
              toolCallId: 'w',
              toolName: 'web_search',
              input: '{"query":"x"}',
              providerExecuted: true,
            },
            {
              type: 'tool-result',
              toolCallId: 'w',
              toolName: 'web_search',
              result: { message: 'too often' },
              isError: true,
            },
            { type: 'text', text: 'Hello.' },
          ],
          finishReason: 'stop',
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
          warnings: [],
        });
      },
    } as unknown as AiSdkLanguageModel;
    const tools = {
      openai: [{ id: 'openai.web_search', args: { searchContextSize: 'low' } }, browse],
      anthropic: [search],
    };
    const answer = await ask(
      aiSdk(model, { stream: false }),
      question({ tools: [weather], settings: { providerTools: tools } }),
    ).answer;
    expect(answer).toMatchObject({
      text: 'Hello.',
      calls: [],
      providerCalls: [{ tool: 'web_search', input: { query: 'x' }, problem: 'too often' }],
      omitted: {
        'providerTools.anthropic': "its provider is 'openai'",
        'providerTools.openai': "those of its package are `{ id: 'vendor.tool', args }`",
      },
    });
    return asked[0]?.tools;
  };

  it('are named as each version of its specification names them', async () => {
    const tool = { id: 'openai.web_search', name: 'web_search', args: { searchContextSize: 'low' } };
    expect((await given('v2'))?.[0]).toEqual({ type: 'provider-defined', ...tool });
    expect(await given('v3')).toMatchObject([{ type: 'provider', ...tool }, { name: 'weather' }]);
  });
});

describeWithFixtures('calls that a provider ran, as they were recorded', 'provider-streams', () => {
  test.each([
    ['openai-responses', 'openai/responses/openai-web-search-tool.1.chunks.txt', 'web_search'],
    ['openai-responses', 'openai/responses/openai-file-search-tool.2.chunks.txt', 'file_search'],
    ['openai-responses', 'openai/responses/openai-code-interpreter-tool.1.chunks.txt', 'code_interpreter'],
    ['openai-responses', 'azure/main/azure-code-interpreter-tool.1.chunks.txt', 'code_interpreter'],
    [
      'anthropic',
      'anthropic/main/anthropic-code-execution-20250825.pptx-skill.chunks.txt',
      'text_editor_code_execution',
    ],
    [
      'anthropic',
      'anthropic/main/anthropic-tool-search-deferred-bm25.part1.chunks.txt',
      'tool_search_tool_bm25',
    ],
  ] as const)('%s, %s', async (kind, file, tool) => {
    const model = modelFor(kind, { fetch: streamFetch(wireEvents({ kind, file })) });
    const { providerCalls = [] } = await ask(model).answer;
    expect(providerCalls.map((call) => call.tool)).toContain(tool);
    expect(providerCalls.filter(({ input }) => input === undefined)).toEqual([]);
    // What a search found is no input of it.
    expect(JSON.stringify(providerCalls)).not.toContain('"sources"');
  });
});

describe('a failure of a call that a provider ran', () => {
  const wire = (...events: readonly object[]): readonly string[] =>
    events.map((data) => `event: ${String(Reflect.get(data, 'type'))}\ndata: ${JSON.stringify(data)}\n\n`);
  const block = (index: number, content: object): readonly object[] => [
    { type: 'content_block_start', index, content_block: content },
    { type: 'content_block_stop', index },
  ];

  it('is in the words of Anthropic: a code, or what its server said', async () => {
    const error = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' };
    const said = [{ type: 'text', text: 'no such repository' }];
    const events = wire(
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1 } } },
      ...block(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } }),
      ...block(1, { type: 'web_search_tool_result', tool_use_id: 's', content: error }),
      ...block(2, { type: 'mcp_tool_use', id: 'm', name: 'read', server_name: 'git', input: {} }),
      ...block(3, { type: 'mcp_tool_result', tool_use_id: 'm', is_error: true, content: said }),
      ...block(4, { type: 'text', text: 'Nothing.' }),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    );
    const { providerCalls, calls } = await ask(modelFor('anthropic', { fetch: streamFetch(events) })).answer;
    expect(calls).toEqual([]);
    expect(providerCalls).toEqual([
      { tool: 'web_search', input: { query: 'x' }, problem: 'max_uses_exceeded' },
      { tool: 'read', input: {}, problem: JSON.stringify(said) },
    ]);
  });

  it('is in the words of OpenAI: a status, or what its server said', async () => {
    const output = [
      { type: 'web_search_call', id: 'w', status: 'failed', action: { type: 'search', query: 'x' } },
      {
        type: 'mcp_call',
        id: 'm',
        name: 'read',
        server_label: 'git',
        arguments: '{"a":1}',
        error: 'no such repository',
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Nothing.' }] },
    ];
    const events = wire(
      { type: 'response.created', response: {} },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output, usage: {} } },
    );
    const { providerCalls } = await ask(modelFor('openai-responses', { fetch: streamFetch(events) })).answer;
    expect(providerCalls).toEqual([
      { tool: 'web_search', input: { type: 'search', query: 'x' }, problem: 'failed' },
      { tool: 'read', input: { a: 1 }, problem: 'no such repository' },
    ]);
  });
});

describe('a call that a provider ran', () => {
  const calls = [
    { tool: 'web_search', input: { query: 'troupe' } },
    { tool: 'web_search', problem: 'too often' },
  ];
  const answering = (providerCalls: unknown): Model => ({
    provider: 'example',
    id: 'one',
    // As foreign code may answer.
    answer: () => modelAnswer({ text: 'Done.', providerCalls: providerCalls as typeof calls }),
  });

  it('is in the log of its run, which is read, replayed and resumed with it', async () => {
    const store = memoryStore();
    const desk = agent({ name: 'desk', model: answering(calls) });
    const { events, runId } = await desk.run('go', { store });
    const [answered] = ofType(events, 'model.answered');
    expect(answered?.providerCalls).toEqual(calls);
    expect(parseEvent(JSON.parse(JSON.stringify(answered)))).toEqual(answered);
    const again = await (await goOn(store, desk, runId, {})).result;
    expect(JSON.stringify(again.events)).toBe(JSON.stringify(events));
    expect(answered && activityOf(answered)?.text).toBe('Ran web_search, Ran web_search');
    const call = storedCall({ runId, events, records: [] }, '1');
    expect(callLines(call, plainText).join('\n')).toMatch(
      /run by the provider: web_search .*troupe[^]*failed: too often/,
    );
  });

  it.each([5, [5], [{ tool: 5 }], [{ tool: 'x', problem: {} }]])(
    'that is none, %j, is dropped',
    async (odd) => {
      const { events, output } = await agent({ name: 'desk', model: answering(odd) }).run('go');
      expect(output).toBe('Done.');
      expect(ofType(events, 'model.answered')[0]).not.toHaveProperty('providerCalls');
    },
  );
});

it('is refused where it is no list of tools, or for a provider whose name is nearly that of the model', () => {
  const made = (providerTools: unknown) => () =>
    agent({ name: 'desk', model: 'openai:gpt-5.5', settings: { providerTools: providerTools as never } });
  expect(made({ openai: browse })).toThrow(/settings\.providerTools\.openai is not a list of tools/);
  expect(made({ openai: ['web_search'] })).toThrow(/providerTools/);
  expect(made({ opnai: [browse] })).toThrow(/`providerTools\.opnai`, did you mean `openai`\?/);
});
