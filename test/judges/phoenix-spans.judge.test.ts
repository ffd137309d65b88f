import { convertGenAISpanAttributesToOpenInferenceSpanAttributes } from '@arizeai/openinference-genai';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Model, ModelAnswer } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { openTelemetry } from '../../src/inspect/telemetry/spans/open-telemetry.ts';
import type { OpenTelemetryOptions } from '../../src/inspect/telemetry/spans/open-telemetry.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { desk, tracing } from '../inspect/telemetry/telemetry-kit.ts';
import { letTimePass, settled, start } from '../support/runs.ts';

/** A span as Phoenix reads it. */
interface Read {
  readonly name: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

const readBy = (spans: readonly ReadableSpan[]): readonly Read[] =>
  spans.map(({ name, attributes }) => {
    const facts = convertGenAISpanAttributesToOpenInferenceSpanAttributes(attributes);
    if (facts === null) throw new Error(`the reader gave up on ${name}`);
    return { name, facts };
  });

const named = (read: readonly Read[], name: string): readonly Read[] =>
  read.filter((span) => span.name === name);

/** The messages of a span, each as its role and all that it says, calls included. */
const messagesIn = ({ facts }: Read, side: 'input' | 'output'): readonly string[] => {
  const found = new Map<number, string>();
  for (const [name, value] of Object.entries(facts)) {
    const index = new RegExp(`^llm\\.${side}_messages\\.(\\d+)\\.`).exec(name)?.[1];
    if (index === undefined || name.endsWith('.type')) continue;
    const before = found.get(Number(index));
    found.set(Number(index), before === undefined ? String(value) : `${before} ${String(value)}`);
  }
  return [...found].toSorted(([one], [other]) => one - other).map(([, said]) => said);
};

const tokensIn = (read: readonly Read[], name: string): number =>
  read
    .filter(({ facts }) => facts['openinference.span.kind'] === 'LLM')
    .reduce((sum, { facts }) => sum + Number(facts[`llm.token_count.${name}`] ?? 0), 0);

/** A model that makes its answers of the number of the call. */
const answering = (answerOf: (call: number) => Partial<ModelAnswer>): Model => {
  let call = 0;
  return {
    provider: 'example',
    id: 'large',
    answer: () => {
      const given = answerOf(call);
      call += 1;
      return modelAnswer({ usage: { input: 100, output: 10 }, model: 'large-2026-11-01', ...given });
    },
  };
};

const hookOn = async (options: Omit<OpenTelemetryOptions, 'tracerProvider'> = {}) => {
  const { provider, spans } = tracing();
  const hook = await openTelemetry({ tracerProvider: provider, spans: 'full', ...options });
  return { hook, read: () => readBy(spans()) };
};

test('Phoenix’s reader finds every member, message, tool call, model and token of a nested team', async () => {
  const { hook, read } = await hookOn();
  const clock = virtualClock();
  const { totals } = await letTimePass(
    clock,
    settled(start(desk(clock), 'When?', { clock, hooks: [hook] })),
    50,
  );
  const all = read();
  expect(all.map(({ name, facts }) => [name, facts['openinference.span.kind']])).toEqual(
    expect.arrayContaining([
      ['invoke_workflow desk', 'CHAIN'],
      ['invoke_workflow line', 'CHAIN'],
      ['invoke_agent desk-supervisor', 'AGENT'],
      ['invoke_agent researcher', 'AGENT'],
      ['invoke_agent writer', 'AGENT'],
      ['chat large', 'LLM'],
      ['chat small', 'LLM'],
      ['execute_tool search', 'TOOL'],
    ]),
  );
  for (const { name, facts } of all) expect(facts['input.value'], name).toBeTruthy();
  const actors = all.filter(({ name }) => name.startsWith('invoke_'));
  expect(actors.map(({ facts }) => facts['output.mime_type'])).toEqual(actors.map(() => 'application/json'));
  const chats = all.filter(({ facts }) => facts['openinference.span.kind'] === 'LLM');
  expect(chats).toHaveLength(totals.modelCalls);
  expect(chats.map(({ facts }) => facts['llm.model_name'])).toEqual(
    chats.map(({ name }) => name.slice('chat '.length)),
  );
  const [asks] = chats.flatMap((chat) =>
    messagesIn(chat, 'output').filter((said) => said.includes('search')),
  );
  expect(asks).toBe('assistant call_0_0 search {"what":"lighthouses"}');
  const [tool] = named(all, 'execute_tool search');
  expect(tool?.facts).toMatchObject({
    'tool.name': 'search',
    'tool_call.id': 'call_0_0',
    'input.value': '{"what":"lighthouses"}',
    'output.value': 'search of lighthouses',
  });
  expect(named(all, 'invoke_agent writer').flatMap((span) => messagesIn(span, 'output'))).toEqual([
    'assistant It was built in 1871.',
  ]);
  expect(tokensIn(all, 'prompt')).toBe(totals.inputTokens);
  expect(tokensIn(all, 'completion')).toBe(totals.outputTokens);
});

test('Phoenix’s reader finds every message and call of a chat of 200 turns, with the models and settings', async () => {
  const { hook, read } = await hookOn();
  const note = tool({
    name: 'note',
    description: 'Notes it.',
    input: z.object({ turn: z.number() }),
    execute: ({ turn }) => `noted ${turn}`,
  });
  const talker = agent({
    name: 'talker',
    instructions: 'Talk.',
    tools: [note],
    settings: { temperature: 0.2, maxOutputTokens: 500, stop: ['END'] },
    limits: { budget: { steps: 300 } },
    conversation: { compaction: false },
    model: answering((call) =>
      call < 199
        ? { text: '', finish: 'tool-calls', calls: [{ id: `t${call}`, name: 'note', input: { turn: call } }] }
        : { text: 'Done.' },
    ),
  });
  const { totals, status } = await settled(start(talker, `Go. ${'x'.repeat(50_000)}`, { hooks: [hook] }));
  expect(status).toBe('completed');
  const chats = named(read(), 'chat large');
  expect(chats).toHaveLength(200);
  const isCut: boolean[] = [];
  for (const [index, chat] of chats.entries()) {
    const sent = messagesIn(chat, 'input');
    const [system, first = '', ...rounds] = sent;
    expect(system).toBe('system Talk.');
    expect(first.slice(0, 12)).toBe('user Go. xxx');
    isCut.push(/… \[\d+ more characters\]$/.test(first));
    expect(rounds, `call ${index}`).toEqual(
      Array.from({ length: index }, (_, turn) => [
        `assistant call_${turn}_0 note {"turn":${turn}}`,
        `tool call_${turn}_0 noted ${turn}`,
      ]).flat(),
    );
    expect(messagesIn(chat, 'output')).toEqual([
      index < 199 ? `assistant call_${index}_0 note {"turn":${index}}` : 'assistant Done.',
    ]);
    expect(chat.facts).toMatchObject({
      'llm.model_name': 'large-2026-11-01',
      'llm.finish_reason': index < 199 ? 'tool_call' : 'stop',
      'llm.token_count.prompt': 100,
      'llm.token_count.completion': 10,
    });
    expect(JSON.parse(String(chat.facts['llm.invocation_parameters']))).toMatchObject({
      temperature: 0.2,
      max_completion_tokens: 500,
      stop_sequences: ['END'],
    });
    expect(JSON.parse(String(chat.facts['llm.tools.0.tool.json_schema']))).toMatchObject({
      type: 'function',
      function: {
        name: 'note',
        description: 'Notes it.',
        parameters: { properties: { turn: { type: 'number' } } },
      },
    });
  }
  expect([isCut[0], isCut[199]]).toEqual([false, true]);
  expect(tokensIn(read(), 'prompt')).toBe(totals.inputTokens);
});

test('Phoenix’s reader finds all around a result of 1 MB, and is told how much of it is missing', async () => {
  const { hook, read } = await hookOn();
  const rows = Array.from({ length: 6_000 }, (_, id) => ({ id, note: 'n'.repeat(160) }));
  const results: Readonly<Record<string, unknown>> = { text: 'y'.repeat(1_048_576), rows };
  const dump = tool({
    name: 'dump',
    description: 'Returns much.',
    input: z.object({ kind: z.string() }),
    execute: ({ kind }) => results[kind],
  });
  const model = answering((call) => {
    const kind = ['text', 'rows'][call];
    return kind === undefined
      ? { text: 'Read.' }
      : { text: '', finish: 'tool-calls', calls: [{ id: kind, name: 'dump', input: { kind } }] };
  });
  const conversation = { compaction: false, maxTextBytes: 4_194_304 } as const;
  const reader = agent({ name: 'reader', tools: [dump], conversation, model });
  await settled(start(reader, 'Go.', { hooks: [hook] }));
  const all = read();
  const [text, table] = named(all, 'execute_tool dump');
  expect(text?.facts['output.value']).toMatch(/^y{65000,}… \[\d+ more characters\]$/);
  expect(table?.facts['output.mime_type']).toBe('application/json');
  expect(JSON.parse(String(table?.facts['output.value']))).toContainEqual(
    expect.objectContaining({ id: 5_999 }),
  );
  const [, , last] = named(all, 'chat large');
  if (last === undefined) throw new Error('there are three calls');
  const sent = messagesIn(last, 'input').map((said) => said.slice(0, 40));
  expect(sent).toEqual([
    expect.stringMatching(/^system/),
    'user Go.',
    'assistant call_0_0 dump {"kind":"text"}',
    expect.stringMatching(/^tool call_0_0 y+/),
    'assistant call_1_0 dump {"kind":"rows"}',
    expect.stringMatching(/^tool call_1_0 \[/),
  ]);
  expect(messagesIn(last, 'output')).toEqual(['assistant Read.']);
});
