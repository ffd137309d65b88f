import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type { Model, ModelAnswer } from '../../../src/contracts/models/model.ts';
import { isJsonObject } from '../../../src/base/json/json.ts';
import type { OpenTelemetryOptions } from '../../../src/inspect/telemetry/spans/open-telemetry.ts';
import { openTelemetry } from '../../../src/inspect/telemetry/spans/open-telemetry.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { deferred, letTimePass, never, settled, start } from '../../support/runs.ts';
import { desk, tracing } from './telemetry-kit.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A model that answers with these, one after the other, and says all that a provider would. */
const saying = (answers: readonly Partial<ModelAnswer>[], id = 'large'): Model => {
  let next = 0;
  return {
    provider: 'example',
    id,
    takes: { media: ['image/png', 'image/jpeg'], links: ['image/jpeg'] },
    answer: () => {
      const given = answers[Math.min(next, answers.length - 1)] ?? {};
      next += 1;
      return modelAnswer({ usage: { input: 10, output: 5 }, ...given });
    },
  };
};

const traced = async (
  work: Parameters<typeof start>[0],
  input: Parameters<typeof start>[1],
  options: Omit<OpenTelemetryOptions, 'tracerProvider'> = {},
  run: object = {},
): Promise<readonly ReadableSpan[]> => {
  const { provider, spans } = tracing();
  const hook = await openTelemetry({ tracerProvider: provider, spans: 'full', ...options });
  await settled(start(work, input, { hooks: [hook], ...run }));
  return spans();
};

const named = (spans: readonly ReadableSpan[], name: string): readonly ReadableSpan[] =>
  spans.filter((span) => span.name === name);

const readAs = (span: ReadableSpan | undefined, name: string): unknown =>
  JSON.parse(String(span?.attributes[name]));

/** An answer that asks for one call. */
const callOf = (word: string): Partial<ModelAnswer> => ({
  text: '',
  finish: 'tool-calls',
  calls: [{ id: 'toolu_1', name: 'look_up', input: { word } }],
});

const lookUp = tool({
  name: 'look_up',
  description: 'Looks it up.',
  input: z.object({ word: z.string().describe('The word.') }),
  execute: ({ word }) => `meaning of ${word}`,
});

describe('what a model answered is in its span', () => {
  test('with the calls that it asks for, under the ids by which they are made and answered', async () => {
    const spans = await traced(
      agent({
        name: 'reader',
        tools: [lookUp],
        model: saying([
          {
            text: 'Both.',
            finish: 'tool-calls',
            calls: [
              { id: 'toolu_1', name: 'look_up', input: { word: 'keel' } },
              { id: 'toolu_2', name: 'look_up', input: { word: 'bow' } },
            ],
          },
          { text: 'A ship.' },
        ]),
      }),
      'What?',
    );
    const [first, second] = named(spans, 'chat large');
    expect(readAs(first, 'gen_ai.output.messages')).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'Both.' },
          { type: 'tool_call', id: 'call_0_0', name: 'look_up', arguments: { word: 'keel' } },
          { type: 'tool_call', id: 'call_0_1', name: 'look_up', arguments: { word: 'bow' } },
        ],
        finish_reason: 'tool_call',
      },
    ]);
    expect(readAs(second, 'gen_ai.input.messages')).toMatchObject([
      { role: 'user' },
      { role: 'assistant', parts: [{}, { id: 'call_0_0' }, { id: 'call_0_1' }] },
      { role: 'tool', parts: [{ id: 'call_0_0', response: 'meaning of keel' }] },
      { role: 'tool', parts: [{ id: 'call_0_1', response: 'meaning of bow' }] },
    ]);
    const ids = named(spans, 'execute_tool look_up').map(
      ({ attributes }) => attributes['gen_ai.tool.call.id'],
    );
    expect(ids).toEqual(['call_0_0', 'call_0_1']);
    expect(readAs(first, 'gen_ai.tool.definitions')).toEqual([
      {
        type: 'function',
        name: 'look_up',
        description: 'Looks it up.',
        parameters: expect.objectContaining({
          properties: { word: { type: 'string', description: 'The word.' } },
        }),
      },
    ]);
  });

  test('with its media by their hashes, as those that it was sent, and links by their addresses', async () => {
    const spans = await traced(
      agent({
        name: 'painter',
        model: saying([{ text: 'Here.', media: [{ type: 'image', data: PIXEL, name: 'dot.png' }] }]),
      }),
      [
        { type: 'text', text: 'One like this.' },
        { type: 'image', data: PIXEL },
        { type: 'image', data: 'https://example.com/cat.jpg', mediaType: 'image/jpeg' },
      ],
    );
    const [chat] = named(spans, 'chat large');
    const file = {
      type: 'file',
      modality: 'image',
      mime_type: 'image/png',
      file_id: expect.stringMatching(/^\w{64}$/),
    };
    expect(readAs(chat, 'gen_ai.input.messages')).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'One like this.' },
          file,
          { type: 'uri', modality: 'image', mime_type: 'image/jpeg', uri: 'https://example.com/cat.jpg' },
        ],
      },
    ]);
    expect(readAs(chat, 'gen_ai.output.messages')).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'Here.' },
          { ...file, name: 'dot.png' },
        ],
        finish_reason: 'stop',
      },
    ]);
    const [painter] = named(spans, 'invoke_agent painter');
    expect(readAs(painter, 'gen_ai.input.messages')).toEqual(readAs(chat, 'gen_ai.input.messages'));
  });

  test('with the model that answered, where the provider names it, also without content', async () => {
    const one = agent({ name: 'one', model: saying([{ text: 'hi', model: 'large-2026-11-01' }]) });
    const other = agent({ name: 'other', model: saying([{ text: 'hi' }]) });
    const modelIn = async (work: typeof one, spans: 'names' | 'full') => {
      const [chat] = named(await traced(work, 'hi', { spans }), 'chat large');
      return [chat?.attributes['gen_ai.request.model'], chat?.attributes['gen_ai.response.model']];
    };
    expect(await modelIn(one, 'names')).toEqual(['large', 'large-2026-11-01']);
    expect(await modelIn(one, 'full')).toEqual(['large', 'large-2026-11-01']);
    expect(await modelIn(other, 'full')).toEqual(['large', undefined]);
  });

  test('with the settings of its request, without those that the model does not take', async () => {
    const settings = {
      temperature: 0.2,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 500,
      stop: ['END'],
      seed: 7,
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
      headers: { 'x-key': 'sk-secret-0001' },
    };
    const model = saying([
      { ...callOf('keel'), omitted: { topK: 'the model takes none' } },
      { text: 'done' },
    ]);
    const spans = await traced(agent({ name: 'one', model, settings, tools: [lookUp] }), 'hi');
    const requestIn = ({ attributes }: ReadableSpan) =>
      Object.entries(attributes).filter(
        ([name]) => name.startsWith('gen_ai.request.') && name !== 'gen_ai.request.model',
      );
    const chats = named(spans, 'chat large');
    expect(chats).toHaveLength(2);
    for (const chat of chats)
      expect(Object.fromEntries(requestIn(chat))).toEqual({
        'gen_ai.request.temperature': 0.2,
        'gen_ai.request.top_p': 0.9,
        'gen_ai.request.max_tokens': 500,
        'gen_ai.request.stop_sequences': ['END'],
        'gen_ai.request.seed': 7,
        'gen_ai.request.presence_penalty': 0.5,
        'gen_ai.request.frequency_penalty': -0.5,
      });
  });
});

describe('what agents and teams were given and answered is in their spans', () => {
  const spansOfDesk = async (spans: 'names' | 'full') => {
    const { provider, spans: made } = tracing();
    const clock = virtualClock();
    const hook = await openTelemetry({ tracerProvider: provider, spans });
    await letTimePass(clock, start(desk(clock), 'When?', { clock, hooks: [hook] }).result, 50);
    return made();
  };

  test('of every member of a nested team, in words of their own', async () => {
    const spans = await spansOfDesk('full');
    const findSaid = (name: string) =>
      named(spans, name).map((span) =>
        ['gen_ai.input.messages', 'gen_ai.output.messages'].map((attribute) => {
          const [message] = readAs(span, attribute) as [{ role: string; parts: [{ content: string }] }];
          return `${message.role}: ${message.parts[0].content}`;
        }),
      );
    expect(findSaid('invoke_workflow desk')).toEqual([['user: When?', 'assistant: In 1871.']]);
    expect(findSaid('invoke_workflow line')).toEqual([
      [expect.stringContaining('When?'), 'assistant: It was built in 1871.'],
    ]);
    expect(findSaid('invoke_agent researcher')).toEqual([
      [expect.stringContaining('When?'), 'assistant: Built in 1871.'],
    ]);
    expect(findSaid('invoke_agent writer')).toEqual([
      [expect.stringContaining('Built in 1871.'), 'assistant: It was built in 1871.'],
    ]);
    expect(findSaid('invoke_agent desk-supervisor')).toHaveLength(2);
  });

  test('and nothing of it where only names are wanted', async () => {
    for (const { attributes } of await spansOfDesk('names'))
      expect(Object.keys(attributes).filter((name) => name.includes('messages'))).toEqual([]);
  });

  test('of a resumed run also what was said before', async () => {
    const store = memoryStore();
    const reached = deferred<void>();
    const team = (second: Model) =>
      pipeline({
        name: 'line',
        stages: [
          agent({ name: 'one', tools: [lookUp], model: saying([callOf('keel'), { text: 'first' }]) }),
          agent({ name: 'two', model: second }),
        ],
      });
    const stuck: Model = {
      ...saying([]),
      answer: () => {
        reached.resolve();
        return never();
      },
    };
    const handle = start(team(stuck), 'Go.', { store, runId: 'r' });
    const left = handle.result.catch((error: unknown) => error);
    await reached.promise;
    await handle.suspend({ withinMs: 0 });
    expect(await left).toMatchObject({ code: 'run.suspended' });
    const { provider, spans } = tracing();
    const hook = await openTelemetry({ tracerProvider: provider, spans: 'full' });
    await settled(await resume(team(saying([{ text: 'second' }])), 'r', { store, hooks: [hook] }));
    const said = (name: string) =>
      named(spans(), name).map((span) => [
        readAs(span, 'gen_ai.input.messages'),
        readAs(span, 'gen_ai.output.messages'),
      ]);
    const text = (content: unknown) => [expect.objectContaining({ parts: [{ type: 'text', content }] })];
    expect(said('invoke_agent one')).toEqual([[text('Go.'), text('first')]]);
    expect(said('invoke_agent two')).toEqual([[text(expect.stringContaining('first')), text('second')]]);
    expect(said('invoke_workflow line')).toEqual([[text('Go.'), text('second')]]);
  });

  test('without the secrets of the run, in which nobody but the run knows them', async () => {
    const line = pipeline({
      name: 'line',
      stages: [
        agent({ name: 'one', model: saying([{ text: 'The key is swordfish-1871.' }]) }),
        agent({ name: 'two', model: saying([{ text: 'I was given swordfish-1871.' }]) }),
      ],
    });
    const spans = await traced(line, 'Use swordfish-1871.', {}, { secrets: { DOOR: 'swordfish-1871' } });
    const said = JSON.stringify(spans.map(({ attributes }) => attributes));
    expect(said).not.toContain('swordfish');
    const [two] = named(spans, 'invoke_agent two');
    expect(two?.attributes['gen_ai.input.messages']).toContain('[redacted DOOR]');
    expect(two?.attributes['gen_ai.output.messages']).toContain('[redacted DOOR]');
  });
});

describe('content is redacted before it is cut', () => {
  const secret = 'sk-secret-0001';
  const said = { text: `${'y'.repeat(300)} ${secret} 4111111111111111` };

  test('by a function for texts, which may leave no JSON of the whole', async () => {
    const redact = (text: string) =>
      text
        .replaceAll(secret, '[key]')
        .replaceAll(/\d{16}/g, '[card]')
        .replaceAll(/"pin":\s*"?\d+"?/g, '[pin]');
    const form = tool({
      name: 'fill_in',
      description: 'Fills it in.',
      input: z.object({ pin: z.number() }),
      execute: () => 'filled in',
    });
    const model = saying([
      { ...callOf(''), calls: [{ id: 'a', name: 'fill_in', input: { pin: 4711 } }] },
      said,
    ]);
    const work = agent({ name: 'teller', input: z.unknown(), tools: [form], model });
    const spans = await traced(work, { note: secret, card: 4_111_111_111_111_111, pin: 4711 }, { redact });
    const all = JSON.stringify(spans.map(({ attributes }) => attributes));
    for (const hidden of [secret, '4111', '4711']) expect(all).not.toContain(hidden);
    for (const mark of ['[key]', '[card]', '[pin]']) expect(all).toContain(mark);
    const messages = spans
      .flatMap(({ attributes }) => Object.entries(attributes))
      .filter(([name]) => name.endsWith('.messages'));
    expect(messages).toHaveLength(6);
    for (const [name, value] of messages)
      expect(JSON.parse(String(value)), name).toContainEqual(
        expect.objectContaining({ role: expect.any(String) }),
      );
  });

  test('so that no bound shows the beginning of a secret', async () => {
    for (let longest = 380; longest < 420; longest += 1) {
      const spans = await traced(agent({ name: 'teller', model: saying([said]) }), 'hi', {
        maxCharacters: longest,
        redact: (text) => text.replaceAll(secret, '[key]'),
      });
      expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain('sk-s');
    }
  });
});

test('every attribute of messages is JSON that fits, however small the bound', async () => {
  for (const maxCharacters of [2, 60, 200, 1_000]) {
    const spans = await traced(
      agent({
        name: 'reader',
        instructions: 'z'.repeat(5_000),
        tools: [lookUp],
        model: saying([callOf('w'.repeat(9_000)), { text: 'x'.repeat(9_000) }]),
      }),
      'v'.repeat(9_000),
      { maxCharacters },
    );
    for (const { attributes } of spans)
      for (const [name, value] of Object.entries(attributes)) {
        if (!/messages|instructions|definitions|arguments/.test(name)) continue;
        expect(String(value).length, name).toBeLessThanOrEqual(maxCharacters);
        const read: unknown = JSON.parse(String(value));
        expect(Array.isArray(read) || isJsonObject(read) || read === '', name).toBe(true);
      }
  }
});
