import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from '@opentelemetry/api';
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, test } from 'vitest';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import { openTelemetry } from '../../../src/inspect/telemetry/spans/open-telemetry.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { awaitDelegates, createGlobalEngine, delegate } from '../../../src/index.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { letTimePass, settled, start } from '../../support/runs.ts';
import { call, desk, msOf, slowModel, slowTool, tracing, tree } from './telemetry-kit.ts';

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined)
    throw new Error(`no span is called ${name}: ${spans.map((span) => span.name).join(', ')}`);
  return found;
};

const parentOf = (spans: readonly ReadableSpan[], span: ReadableSpan): string | undefined =>
  spans.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)?.name;

/** What the conventions require of a span, by its operation, with the types that they give. */
const required: Record<string, Record<string, string>> = {
  invoke_workflow: { 'gen_ai.workflow.name': 'string' },
  invoke_agent: {
    'gen_ai.provider.name': 'string',
    'gen_ai.agent.name': 'string',
    'gen_ai.agent.id': 'string',
  },
  chat: { 'gen_ai.provider.name': 'string', 'gen_ai.request.model': 'string' },
  execute_tool: {
    'gen_ai.tool.name': 'string',
    'gen_ai.tool.call.id': 'string',
    'gen_ai.tool.type': 'string',
  },
};
const subject: Record<string, string> = {
  invoke_workflow: 'gen_ai.workflow.name',
  invoke_agent: 'gen_ai.agent.name',
  chat: 'gen_ai.request.model',
  execute_tool: 'gen_ai.tool.name',
};

test('[TENEX-79] [M52] the spans of a nested team are a tree by its addresses, named by the conventions', async () => {
  const { provider, spans } = tracing();
  const clock = virtualClock();
  const traced = await openTelemetry({ tracerProvider: provider, chunks: true });
  const handle = start(desk(clock), 'When?', { clock, hooks: [traced], runId: 'r1', thread: 'talk-1' });
  await letTimePass(clock, handle.result, 50);
  const all = spans();
  expect(tree(all)).toEqual([
    'invoke_workflow desk',
    '  invoke_agent desk-supervisor',
    '    chat large',
    '  invoke_workflow line',
    '    invoke_agent researcher',
    '      chat large',
    '      execute_tool search',
    '      chat large',
    '      chat large',
    '    invoke_agent writer',
    '      chat small',
    '  invoke_agent desk-supervisor',
    '    chat large',
  ]);
  for (const { name, kind, attributes } of all) {
    const operation = String(attributes['gen_ai.operation.name']);
    expect(name).toBe(`${operation} ${String(attributes[subject[operation] ?? ''])}`);
    expect(kind).toBe(operation === 'chat' ? SpanKind.CLIENT : SpanKind.INTERNAL);
    for (const [key, type] of Object.entries(required[operation] ?? { none: 'such' }))
      expect(typeof attributes[key], `${name}: ${key}`).toBe(type);
    expect(attributes['gen_ai.conversation.id']).toBe('talk-1');
    expect(attributes['troupe.run.id']).toBe('r1');
  }
  expect(named(all, 'execute_tool search').attributes).toMatchObject({
    'gen_ai.tool.call.id': 'call_0_0',
    'gen_ai.agent.name': 'researcher',
    'troupe.phase': 'ACT',
  });
  expect(named(all, 'chat small').attributes).toMatchObject({
    'gen_ai.provider.name': 'example',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 10,
    'gen_ai.usage.cache_read.input_tokens': 40,
    'gen_ai.usage.reasoning.output_tokens': 3,
    'gen_ai.response.time_to_first_chunk': 0.05,
  });
  expect(named(all, 'invoke_agent researcher').attributes).toMatchObject({
    'gen_ai.provider.name': 'example',
    'gen_ai.usage.input_tokens': 200,
    'gen_ai.usage.cache_read.input_tokens': 80,
    'troupe.status': 'completed',
  });
});

test('a failed attempt is a span with an error, and the retry an event of the agent', async () => {
  const { provider, spans } = tracing();
  const clock = virtualClock();
  const traced = await openTelemetry({ tracerProvider: provider });
  const handle = start(desk(clock), 'When?', { clock, hooks: [traced] });
  await letTimePass(clock, handle.result, 50);
  const failed = spans().filter(({ status }) => status.code === SpanStatusCode.ERROR);
  expect(
    failed.map(({ name, attributes, status }) => [
      name,
      attributes['error.type'],
      attributes['troupe.attempt'],
      status.message,
    ]),
  ).toEqual([['chat large', 'model.unavailable', 1, 'model.unavailable']]);
  const [retry] = named(spans(), 'invoke_agent researcher').events.filter(({ name }) =>
    name.startsWith('troupe.model'),
  );
  expect(retry).toMatchObject({
    name: 'troupe.model.retrying',
    attributes: { 'troupe.attempt': 2, 'error.type': 'model.unavailable' },
  });
});

test('times of spans are those of the run’s clock, not of the machine’s', async () => {
  const { provider, spans } = tracing();
  const clock = virtualClock(5);
  const traced = await openTelemetry({ tracerProvider: provider });
  await letTimePass(clock, start(desk(clock), 'When?', { clock, hooks: [traced] }).result, 50);
  const tool = named(spans(), 'execute_tool search');
  expect([msOf(tool.startTime), msOf(tool.endTime)]).toEqual([505, 755]);
  const whole = named(spans(), 'invoke_workflow desk');
  expect(msOf(whole.startTime)).toBe(5);
  const times = spans().flatMap(({ startTime, endTime, events }) => [
    startTime,
    endTime,
    ...events.map(({ time }) => time),
  ]);
  expect(Math.max(...times.map(msOf))).toBe(msOf(whole.endTime));
  expect(msOf(whole.endTime)).toBeLessThan(10_000);
});

test('ten members at work at the same time each have the spans that are theirs', async () => {
  const { provider, spans } = tracing();
  const clock = virtualClock();
  const numbers = Array.from({ length: 10 }, (_, index) => index);
  const members = Object.fromEntries(
    numbers.map((number) => [
      `m${number}`,
      agent({
        name: `m${number}`,
        model: slowModel(clock, `model-${number}`, 100 - number, [
          call('look', String(number)),
          { text: 'done' },
        ]),
        tools: [slowTool(clock, 'look', 10 * number + 10)],
      }),
    ]),
  );
  const traced = await openTelemetry({ tracerProvider: provider, spans: 'full' });
  const crowd = parallel({ name: 'crowd', members });
  await letTimePass(clock, start(crowd, 'Go.', { clock, hooks: [traced] }).result, 10);
  const all = spans();
  expect(all).toHaveLength(1 + 10 * 4);
  for (const number of numbers) {
    const member = named(all, `invoke_agent m${number}`);
    expect(parentOf(all, member)).toBe('invoke_workflow crowd');
    const own = all.filter((span) => span.parentSpanContext?.spanId === member.spanContext().spanId);
    expect(own.map(({ name }) => name)).toEqual([
      `chat model-${number}`,
      'execute_tool look',
      `chat model-${number}`,
    ]);
    expect(own[1]?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': JSON.stringify({ what: String(number) }),
      'gen_ai.tool.call.result': `look of ${number}`,
    });
  }
  expect(new Set(all.map((span) => span.spanContext().traceId)).size).toBe(1);
});

test('an aborted run leaves no span open, and what it called off says so', async () => {
  const { provider, spans } = tracing();
  const clock = virtualClock();
  const traced = await openTelemetry({ tracerProvider: provider });
  const handle = start(desk(clock), 'When?', { clock, hooks: [traced], runId: 'r1' });
  await clock.advance(600);
  expect(traced.spanContext({ runId: 'r1', path: 'desk' })).toBeDefined();
  handle.abort('enough');
  await settled(handle);
  const all = spans();
  expect(tree(all)).toEqual([
    'invoke_workflow desk',
    '  invoke_agent desk-supervisor',
    '    chat large',
    '  invoke_workflow line',
    '    invoke_agent researcher',
    '      chat large',
    '      execute_tool search',
  ]);
  expect(named(all, 'invoke_workflow desk').attributes).toMatchObject({
    'troupe.status': 'aborted',
    'troupe.unfinished': true,
  });
  expect(all.every(({ endTime }) => msOf(endTime) <= 600)).toBe(true);
  expect(traced.spanContext({ runId: 'r1', path: 'desk' })).toBeUndefined();
});

test('work that is given away is linked to the call that gave it, a follow-up to what it follows', async () => {
  const { provider, spans } = tracing();
  const archivist = agent({
    name: 'archivist',
    description: 'Knows.',
    model: scriptedModel(['1871.', 'Mrs Lund.']),
  });
  const wait = { name: 'await_delegates', input: {} };
  const editor = agent({
    name: 'editor',
    tools: [delegate({ to: [archivist], mode: 'background', followUps: true, gatherMs: 0 }), awaitDelegates],
    model: scriptedModel([
      calls({ name: 'delegate', input: { to: 'archivist', task: 'When?' } }, wait),
      calls({ name: 'delegate', input: { to: 'archivist', task: 'Who?', id: 'archivist-0_0' } }, wait),
      'In 1871, Mrs Lund.',
    ]),
  });
  const traced = await openTelemetry({ tracerProvider: provider });
  await settled(start(editor, 'Ask.', { hooks: [traced] }));
  const all = spans();
  const [first, second] = all.filter(({ name }) => name === 'invoke_agent archivist');
  const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;
  const gives = all.filter(({ name }) => name === 'execute_tool delegate');
  expect(first?.links.map((link) => [link.context.spanId, link.attributes?.['troupe.link']])).toEqual([
    [idOf(gives[0]), 'delegation'],
  ]);
  expect(second?.links.map((link) => [link.context.spanId, link.attributes?.['troupe.link']])).toEqual([
    [idOf(gives[1]), 'delegation'],
    [idOf(first), 'follow-up'],
  ]);
  expect(first === undefined ? '' : parentOf(all, first)).toBe('invoke_agent editor');
});

test('a call that was not approved was not executed: who was asked, and what they said, are events of the agent', async () => {
  const { provider, spans } = tracing();
  const clock = virtualClock();
  const careful = agent({
    name: 'careful',
    tools: [{ ...slowTool(clock, 'shred', 10), needsApproval: () => true }],
    decide: ({ step }) => (step === 0 ? act({ name: 'shred', input: { what: 'it' } }) : answer('left alone')),
  });
  const traced = await openTelemetry({ tracerProvider: provider });
  const person = { approve: () => 'not this one' };
  await settled(start(careful, 'Go.', { clock, hooks: [traced], person }));
  expect(tree(spans())).toEqual(['invoke_agent careful']);
  const told = named(spans(), 'invoke_agent careful').events;
  expect(told.map(({ name, attributes }) => [name, attributes?.['troupe.tool']])).toEqual([
    ['troupe.tool.approval-requested', 'shred'],
    ['troupe.tool.denied', 'shred'],
  ]);
});

describe('what spans say', () => {
  const run = async (spans: 'names' | 'full' | 'off') => {
    const kept = tracing();
    const clock = virtualClock();
    const traced = await openTelemetry({
      tracerProvider: kept.provider,
      spans,
      redact: (text) => text.replaceAll('sk-secret-0001', '[redacted]').replaceAll('1871', '[year]'),
    });
    await letTimePass(clock, start(desk(clock), 'When?', { clock, hooks: [traced] }).result, 50);
    return kept.spans();
  };

  test('[QITOS-97] without data: the names are there, and nothing that anybody said', async () => {
    const all = await run('names');
    expect(all.map(({ name }) => name)).toContain('execute_tool search');
    const text = JSON.stringify(
      all.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    );
    for (const said of ['lighthouses', '1871', 'When?', 'sk-secret', 'service is down'])
      expect(text).not.toContain(said);
    expect(Object.keys(named(all, 'execute_tool search').attributes)).not.toContain(
      'gen_ai.tool.call.arguments',
    );
  });

  test('[QITOS-97] on: arguments, results, answers, input and output, with secrets taken out', async () => {
    const all = await run('full');
    expect(named(all, 'execute_tool search').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"what":"lighthouses"}',
      'gen_ai.tool.call.result': 'search of lighthouses',
    });
    expect(JSON.parse(String(named(all, 'chat small').attributes['gen_ai.output.messages']))).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'text', content: 'It was built in [year].' }],
        finish_reason: 'stop',
      },
    ]);
    expect(named(all, 'invoke_workflow desk').attributes).toMatchObject({
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"When?"}]}]',
    });
    const failed = all.find(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed?.status.message).toBe('Cannot answer as the service is down: [redacted]');
  });

  test('[FIND-71] what a model was sent is in its span where content is wanted, and nowhere else', async () => {
    const sent = ['gen_ai.system_instructions', 'gen_ai.tool.definitions', 'gen_ai.input.messages'];
    const { attributes } = named(await run('full'), 'chat small');
    const [, , messages] = sent.map((name) => JSON.parse(String(attributes[name])) as unknown);
    expect(messages).toContainEqual(expect.objectContaining({ role: 'user' }));
    expect(Object.keys(named(await run('names'), 'chat small').attributes)).not.toEqual(
      expect.arrayContaining(sent.slice(0, 1)),
    );
  });

  test('[QITOS-97] off: not one span', async () => {
    expect(await run('off')).toEqual([]);
  });
});

describe('once', () => {
  test('a hook on the engine, the run and an agent, and another one of the same provider, make each span once', async () => {
    const { provider, spans } = tracing();
    const traced = await openTelemetry({ tracerProvider: provider });
    const another = await openTelemetry({ tracerProvider: provider });
    const echo = agent({ name: 'echo', hooks: [traced, another], model: scriptedModel(['hello']) });
    const crowd = parallel({ name: 'crowd', members: { echo } });
    const engine = createGlobalEngine({ hooks: [traced, another] });
    await engine.execute(crowd, 'hi', { hooks: [traced, another, traced] });
    await engine.shutdown();
    expect(tree(spans())).toEqual(['invoke_workflow crowd', '  invoke_agent echo', '    chat script']);
  });

  test('on a member alone, a hook makes the spans of that member', async () => {
    const { provider, spans } = tracing();
    const traced = await openTelemetry({ tracerProvider: provider });
    const echo = agent({ name: 'echo', hooks: [traced], model: scriptedModel(['hello']) });
    const other = agent({ name: 'other', model: scriptedModel(['hello']) });
    await settled(start(parallel({ name: 'crowd', members: { echo, other } }), 'hi'));
    expect(tree(spans())).toEqual(['invoke_agent echo', '  chat script']);
  });
});

describe('whose child a run is', () => {
  afterEach(() => {
    context.disable();
  });

  /** The least that a context manager has to do. */
  const contexts = () => {
    const storage = new AsyncLocalStorage<Context>();
    return {
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: <A extends unknown[], F extends (...args: A) => ReturnType<F>>(
        active: Context,
        work: F,
        self?: ThisParameterType<F>,
        ...args: A
      ) => storage.run(active, () => work.apply(self, args)),
      bind: <T>(_: Context, target: T) => target,
      enable() {
        return this;
      },
      disable() {
        return this;
      },
    };
  };
  const echo = agent({ name: 'echo', model: scriptedModel(Array.from({ length: 9 }, () => 'hello')) });

  test('the span that is active where it is run', async () => {
    context.setGlobalContextManager(contexts());
    const { provider, spans } = tracing();
    const traced = await openTelemetry({ tracerProvider: provider });
    await provider.getTracer('app').startActiveSpan('request', async (span) => {
      await echo.run('hi', { hooks: [traced] });
      span.end();
    });
    expect(tree(spans())).toEqual(['request', '  invoke_agent echo', '    chat script']);
  });

  test('or the one that its caller names', async () => {
    const { provider, spans } = tracing();
    const traced = await openTelemetry({
      tracerProvider: provider,
      parent: (scope) => (scope.context === mine ? trace.setSpan(ROOT_CONTEXT, request) : undefined),
    });
    const mine = { tenant: 'a' };
    const request = provider.getTracer('app').startSpan('request');
    await echo.run('hi', { hooks: [traced], context: mine });
    await echo.run('hi', { hooks: [traced] });
    request.end();
    expect(tree(spans()).filter((line) => !line.includes('chat'))).toEqual([
      'request',
      '  invoke_agent echo',
      'invoke_agent echo',
    ]);
  });
});

describe('whatever happens', () => {
  test('spans are ended where a processor throws at each of them', async () => {
    const { provider, spans } = tracing();
    let ended = 0;
    const broken = new BasicTracerProvider({
      spanProcessors: [
        {
          onStart: () => undefined,
          onEnd: () => {
            ended += 1;
            throw new Error('disk full');
          },
          forceFlush: () => Promise.resolve(),
          shutdown: () => Promise.resolve(),
        },
      ],
    });
    const echo = agent({ name: 'echo', model: scriptedModel(['hello']) });
    const hooks = [
      await openTelemetry({ tracerProvider: broken }),
      await openTelemetry({ tracerProvider: provider }),
    ];
    const result = await settled(start(echo, 'hi', { hooks }));
    expect(result.status).toBe('completed');
    expect(ended).toBe(2);
    expect(tree(spans())).toEqual(['invoke_agent echo', '  chat script']);
    expect(result.events.filter(({ type }) => type === 'observer.failed').length).toBeGreaterThan(0);
  });

  test('close ends what no event will end', async () => {
    const { provider, spans } = tracing();
    const clock = virtualClock();
    const traced = await openTelemetry({ tracerProvider: provider });
    const handle = start(desk(clock), 'When?', { clock, hooks: [traced] });
    await clock.advance(600);
    traced.close();
    expect(spans()).toHaveLength(7);
    expect(spans().filter(({ attributes }) => attributes['troupe.unfinished'] === true)).toHaveLength(4);
    handle.abort();
    await settled(handle);
    expect(new Set(spans().map((span) => span.spanContext().spanId)).size).toBe(spans().length);
  });
});
