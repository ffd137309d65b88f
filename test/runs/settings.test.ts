import { describe, expect, it, test } from 'vitest';
import type { AgentOptions } from '../../src/contracts/agents/agent.ts';
import {
  type Model,
  modelAnswer,
  type ModelRequest,
  type ModelSettings,
} from '../../src/contracts/models/model.ts';
import type { Hook } from '../../src/contracts/events/event.ts';
import { activityOf } from '../../src/events/progress/activity.ts';
import { jsonParser } from '../../src/models/parsers/json-parser.ts';
import { withTextTools } from '../../src/models/parsers/with-text-tools.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { fork } from '../../src/runtime/journal/resume/fork.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { othersOptions } from '../../src/models/wire/others-options.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { PlainStore } from '../support/plain-store.ts';
import { echo, ofType } from '../support/runs.ts';

/** A model that calls `echo` twice, answers, and has no word for `topK`. */
const picky = (asked: ModelRequest[] = []): Model => ({
  provider: 'picky',
  id: 'one',
  answer: (request) => {
    asked.push(request);
    const results = request.messages.toArray().filter(({ role }) => role === 'tool').length;
    return modelAnswer({
      ...(results < 2
        ? { calls: [{ id: 'c', name: 'echo', input: { text: `${results}` } }] }
        : { text: 'Done.' }),
      ...(request.settings?.topK === undefined ? {} : { omitted: { topK: 'it has no word for it' } }),
    });
  },
});

const settings: ModelSettings = { topK: 5, stop: ['END'], reasoning: { effort: 'low', budgetTokens: 9 } };
const desk = (more: Partial<AgentOptions> = {}, asked?: ModelRequest[]) =>
  agent({ name: 'desk', model: picky(asked), settings, tools: [echo], ...more } as AgentOptions);

const omissions = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, 'model.answered').map(({ omitted }) => omitted);
const ONCE = [{ topK: 'it has no word for it' }, undefined, undefined];

describe('options for a provider', () => {
  /** A model that omits what an adapter of its provider would. */
  const modelOf = (provider: string): Model => ({
    provider,
    id: 'one',
    answer: ({ settings: given }) =>
      Promise.resolve(modelAnswer({ text: 'Done.', omitted: othersOptions(given, provider) })),
  });
  const omittedBy = async (models: readonly Model[], providerOptions: ModelSettings['providerOptions']) => {
    const made = agent({ name: 'desk', model: models, settings: { providerOptions } });
    return omissions((await made.run('go')).events);
  };

  it('are reported as omitted where no model of the agent is of it', async () => {
    const [openai, anthropic] = [modelOf('openai'), modelOf('anthropic')];
    const options = { openai: { user: 'ann' }, anthropic: { metadata: {} } };
    expect(await omittedBy([openai, anthropic], options)).toEqual([undefined]);
    const reason = "its provider is 'openai'";
    expect(await omittedBy([openai], options)).toEqual([{ 'providerOptions.anthropic': reason }]);
    const made = agent({ name: 'desk', settings: { providerOptions: { opnai: {} } } });
    expect(omissions((await made.run('go', { model: openai })).events)).toEqual([
      { 'providerOptions.opnai': `${reason}: did you mean that?` },
    ]);
  });

  it('are refused under a name that is nearly that of the provider of one of the agent', () => {
    const given = (model: AgentOptions['model'], ...names: readonly string[]) =>
      agent({
        name: 'desk',
        ...(model === undefined ? {} : { model }),
        settings: { providerOptions: Object.fromEntries(names.map((name) => [name, {}])) },
      });
    const refusal = /settings is not for its models: `providerOptions\.opnai`, did you mean `openai`\?/;
    expect(() => given('openai:gpt-5.5', 'opnai')).toThrow(refusal);
    expect(() => given([modelOf('anthropic'), modelOf('openai')], 'anthropic', 'opnai')).toThrow(refusal);
    for (const names of [['openai'], ['anthropic', 'mistral'], ['openai', 'opnai']])
      expect(() => given('openai:gpt-5.5', ...names)).not.toThrow();
    expect(() => given(undefined, 'opnai')).not.toThrow();
    expect(() => given({ answer: () => modelAnswer({}) } as unknown as Model, 'opnai')).not.toThrow();
  });
});

describe('a setting that a model does not take', () => {
  it('is reported with the first answer of a run, and with none after it', async () => {
    expect(omissions((await desk().run('go')).events)).toEqual(ONCE);
  });

  it('is reported once, from whatever record the run is resumed, replayed or forked', async () => {
    const store = new PlainStore();
    await desk().run('go', { store, runId: 'r' });
    const { records } = await recordsIn(store, 'r');
    for (let length = 1; length <= records.length; length += 1) {
      const cut = PlainStore.with('r', records.slice(0, length));
      const { events } = await (await resume(desk(), 'r', { store: cut })).result;
      // A call whose answer was not on record yet is made again.
      expect(omissions(events).filter((omitted) => omitted !== undefined)).toEqual([ONCE[0]]);
    }
    expect(omissions((await replay(desk(), 'r', { store })).events)).toEqual(ONCE);
    const other = await fork(desk(), 'r', { store, at: { step: 1 } });
    expect(omissions((await other.result).events)).toEqual(ONCE);
  });

  it('is in the words for people', async () => {
    const { events } = await desk().run('go');
    const lines = events.flatMap((event) => activityOf(event)?.line ?? []);
    expect(lines.filter((line) => line.includes('without'))).toEqual([
      'desk · DECIDE · Asked picky:one without topK (it has no word for it)',
    ]);
  });

  it('is dropped from an answer where it is not what it should be', async () => {
    const odd = {
      provider: 'odd',
      id: 'one',
      answer: () => modelAnswer({ text: 'Hi.', omitted: { topK: 7 } as never }),
    };
    const { events, output } = await desk({ model: odd }).run('go');
    expect([output, ...omissions(events)]).toEqual(['Hi.', undefined]);
  });
});

describe('a choice of tools', () => {
  const choices = async (toolChoice: ModelSettings['toolChoice'], more: Partial<AgentOptions> = {}) => {
    const asked: ModelRequest[] = [];
    await desk({ settings: { toolChoice }, ...more }, asked).run('go');
    return asked.map((request) => request.toolChoice);
  };

  it.each([
    ['required', ['required', undefined, undefined]],
    [{ name: 'echo' }, [{ name: 'echo' }, undefined, undefined]],
    ['auto', ['auto', 'auto', 'auto']],
    [undefined, [undefined, undefined, undefined]],
  ] as const)(
    '%j is forced until a tool was called, so that the agent may answer',
    async (choice, expected) => {
      expect(await choices(choice)).toEqual(expected);
    },
  );

  it('"none" holds though the model calls a tool: it is not run, and the third time fails the run', async () => {
    const asked: ModelRequest[] = [];
    const run = desk({ settings: { toolChoice: 'none' } }, asked).stream('go');
    await expect(run.result).rejects.toMatchObject({
      code: 'model.malformed',
      message: expect.stringContaining("`settings.toolChoice: 'none'` rules out") as string,
    });
    expect(asked.map(({ toolChoice }) => toolChoice)).toEqual(['none', 'none', 'none']);
  });

  it.each([
    [{ name: 'ecko' }, [echo], /did you mean 'echo'/],
    ['required', [], /it has no tools/],
  ] as const)(
    '%j that cannot be met ends the run before the model is asked',
    async (toolChoice, tools, message) => {
      const asked: ModelRequest[] = [];
      const run = desk({ settings: { toolChoice }, tools }, asked).run('go');
      await expect(run).rejects.toMatchObject({
        code: 'tool.unknown',
        message: expect.stringMatching(message) as string,
      });
      expect(asked).toEqual([]);
    },
  );

  it('is put in words for a model that calls tools in text', async () => {
    const replies = ['{"calls":[{"tool":"echo","input":{"text":"x"}}]}', '{"answer":"Done."}'];
    const model = scriptedModel(replies);
    const { events } = await desk({
      settings: { toolChoice: 'required', parallelCalls: false },
      model: withTextTools(model, jsonParser),
    }).run('go');
    expect(omissions(events)).toEqual([{ parallelCalls: 'its calls are text' }, undefined]);
    const last = model.requests.map(({ messages }) => messages.at(-1)?.text);
    expect(last).toEqual(['Call a tool in your next reply.', expect.stringContaining('x') as string]);
    expect(model.requests[1]?.instructions).toBe(model.requests[0]?.instructions);
  });
});

test('a header that is named like a secret is in no event, request or journal, and others are', async () => {
  const store = new PlainStore();
  const headers = { Authorization: 'Bearer hunter-2-hunter', 'X-Api-Key': 'k-123456', 'x-team': 'the-desk' };
  const seen: unknown[] = [];
  const hook: Hook = {
    name: 'reader',
    wantsRequests: true,
    handle: (event, { sent }) => {
      if (event.type === 'model.asked') seen.push(sent?.requestOf(event.key));
    },
  };
  await desk({ settings: { headers }, hooks: [hook] }).run('say k-123456 and hunter-2-hunter', {
    store,
    runId: 'r',
  });
  const { records } = await recordsIn(store, 'r');
  for (const place of [JSON.stringify(seen), JSON.stringify(records)]) {
    expect(place).toContain('the-desk');
    expect(place).not.toMatch(/hunter-2|k-123456/);
  }
});

describe('settings are checked when the agent is defined', () => {
  const problem = (given: unknown): string => {
    try {
      agent({ name: 'desk', settings: given as ModelSettings });
    } catch (error) {
      return String(error);
    }
    return 'none';
  };

  it.each([
    [{ topP: 0 }, /settings\.topP.*above 0/],
    [{ topK: 1.5 }, /settings\.topK.*whole number/],
    [{ stop: 'END' }, /settings\.stop.*\[ … \]/],
    [{ stop: [''] }, /settings\.stop.*non-empty/],
    [{ seed: 0.5 }, /settings\.seed.*whole number/],
    [{ presencePenalty: 3 }, /settings\.presencePenalty.*-2 to 2/],
    [{ frequencyPenalty: -3 }, /settings\.frequencyPenalty.*-2 to 2/],
    [{ parallelCalls: 1 }, /settings\.parallelCalls.*boolean/],
    [{ toolChoice: 'any' }, /settings\.toolChoice.*auto, required, none/],
    [{ toolChoice: {} }, /settings\.toolChoice\.name/],
    [{ reasoning: 'huge' }, /settings\.reasoning.*minimal/],
    [{ reasoning: { budgetTokens: 0 } }, /settings\.reasoning\.budgetTokens.*whole number from 1/],
    [{ reasoning: { budget: 9 } }, /settings\.reasoning\.budget.*budgetTokens/],
    [{ serviceTier: '' }, /settings\.serviceTier/],
    [
      { providerOptions: { openai: { stream: false } } },
      /providerOptions\.openai\.stream.*set by the adapter/,
    ],
    [{ toolChoice: 'any' }, /toolChoice.*not one of auto, required, none, \{ name \}/],
    [{ headers: { 'a b': 'c' } }, /settings\.headers\.a b.*not a header/],
    [{ headers: { a: 'b\r\nc: d' } }, /settings\.headers\.a.*not a header/],
    [{ providerOptions: { openai: 7 } }, /settings\.providerOptions\.openai.*object/],
    [{ topp: 0.5 }, /write `topP: 0\.9`/],
    [{ top_p: 0.5 }, /write `topP: 0\.9`/],
    [{ stopSequences: ['END'] }, /write `stop: \['END'\]`/],
    [{ maxTokens: 9 }, /write `maxOutputTokens: 4_000`/],
    [{ tempreature: 0 }, /did you mean `temperature`/],
    [{ thinking: {} }, /budgetTokens/],
  ])('%j', (given, message) => {
    expect(problem(given)).toMatch(message);
  });

  it.each([
    ['top_p', /settings: { topP: 0\.9 }/],
    ['stopSequences', /settings: { stop: \['END'\] }/],
    ['toolChoice', /settings: { toolChoice: 'required' }/],
    ['providerOptions', /settings: { providerOptions/],
  ])('`%s` of the agent itself is shown its place', (name, message) => {
    expect(() => agent({ name: 'desk', [name]: 1 } as never)).toThrow(message);
  });
});
