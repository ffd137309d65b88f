import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import { openTelemetry } from '../../../src/inspect/telemetry/spans/open-telemetry.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { letTimePass, settled, start } from '../../support/runs.ts';
import { desk, slowModel, slowTool, tracing } from './telemetry-kit.ts';

/**
 * What Langfuse reads of a span that no SDK of its own has made, as its documentation ("Property Mapping" of
 * https://langfuse.com/integrations/native/opentelemetry) and its source say: `OtelIngestionProcessor.ts` and
 * `ObservationTypeMapper.ts` in `packages/shared/src/server/otel` of github.com/langfuse/langfuse, with their tests of usage, model parameters and
 * system instructions. Its reader is not published as a package. Of several attributes the first that is there counts.
 */
const reads = {
  /** By `gen_ai.operation.name`; any other is a SPAN. */
  types: { chat: 'GENERATION', invoke_agent: 'AGENT', execute_tool: 'TOOL' } as Record<string, string>,
  model: ['gen_ai.response.model', 'gen_ai.request.model'],
  session: ['gen_ai.conversation.id'],
  /** The first pair of which either is there. */
  content: [
    ['gen_ai.input.messages', 'gen_ai.output.messages'],
    ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result'],
  ],
  /** All below it, without the model. */
  parameters: 'gen_ai.request.',
  /** All below it, by these names where they have one. */
  usage: 'gen_ai.usage.',
  usageNames: {
    input_tokens: 'input',
    output_tokens: 'output',
    'cache_read.input_tokens': 'input_cached_tokens',
    'cache_creation.input_tokens': 'input_cache_creation',
    'reasoning.output_tokens': 'output_reasoning_tokens',
  } as Record<string, string>,
  /** It reads these before those above: a span that has one shows something else. */
  before:
    /^(?:langfuse\.|ai\.|llm\.|lk\.|mlflow\.|traceloop\.|gcp\.vertex\.|openinference\.|gen_ai\.(?:prompt|completion|system$)|(?:input|output|prompt|model|events|all_messages_events|tool_arguments|tool_response)(?:\.value)?$)/,
};

/** An observation of Langfuse. */
interface Observation {
  readonly name: string;
  readonly type: string;
  readonly model: unknown;
  readonly session: unknown;
  readonly isError: boolean;
  readonly input: unknown;
  readonly output: unknown;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly usage: Readonly<Record<string, unknown>>;
}

const below = (attributes: ReadableSpan['attributes'], prefix: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    ),
  );

const parsed = (text: unknown): unknown => {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

const observed = ({ name, attributes, status }: ReadableSpan): Observation => {
  const first = (names: readonly string[]) => names.map((each) => attributes[each]).find(Boolean);
  const [input = '', output = ''] = reads.content.find((pair) => first(pair) !== undefined) ?? [];
  const { model, ...parameters } = below(attributes, reads.parameters);
  const usage = Object.entries(below(attributes, reads.usage));
  return {
    name: String(first(['gen_ai.tool.name']) ?? name),
    type: reads.types[String(attributes['gen_ai.operation.name'])] ?? 'SPAN',
    model: first(reads.model) ?? model,
    session: first(reads.session),
    isError: status.code === SpanStatusCode.ERROR,
    input: parsed(attributes[input]),
    output: parsed(attributes[output]),
    parameters,
    usage: Object.fromEntries(usage.map(([key, value]) => [reads.usageNames[key] ?? key, value])),
  };
};

const spansOf = async (work: (clock: ReturnType<typeof virtualClock>) => Parameters<typeof start>[0]) => {
  const { provider, spans } = tracing();
  const clock = virtualClock();
  const hook = await openTelemetry({ tracerProvider: provider, spans: 'full' });
  const handle = start(work(clock), 'When?', { clock, hooks: [hook], thread: 'talk-1' });
  const { totals } = await letTimePass(clock, settled(handle), 50);
  return { spans: spans(), totals, observations: spans().map(observed) };
};

const messages = expect.arrayContaining([
  expect.objectContaining({ role: expect.any(String), parts: expect.any(Array) }),
]);

describe('Langfuse, by its mapping of attributes,', () => {
  test('finds every observation of a nested team with its type, session, input and output', async () => {
    const { observations } = await spansOf(desk);
    const found = observations.map(
      ({ name, type, isError }) => `${type} ${name}${isError ? ' (failed)' : ''}`,
    );
    expect(found.toSorted()).toEqual(
      [
        'AGENT invoke_agent desk-supervisor',
        'AGENT invoke_agent desk-supervisor',
        'AGENT invoke_agent researcher',
        'AGENT invoke_agent writer',
        'GENERATION chat large',
        'GENERATION chat large',
        'GENERATION chat large',
        'GENERATION chat large',
        'GENERATION chat large (failed)',
        'GENERATION chat small',
        'SPAN invoke_workflow desk',
        'SPAN invoke_workflow line',
        'TOOL search',
      ].toSorted(),
    );
    for (const { type, session, input, output, isError } of observations) {
      expect(session).toBe('talk-1');
      expect(input).toEqual(type === 'TOOL' ? { what: 'lighthouses' } : messages);
      const answered = type === 'TOOL' ? 'search of lighthouses' : messages;
      expect(output).toEqual(isError ? undefined : answered);
    }
  });

  test('finds the model, the parameters, the calls and the tokens of each generation', async () => {
    const { observations, totals } = await spansOf((clock) =>
      agent({
        name: 'researcher',
        settings: { temperature: 0.5, topP: 0.9, maxOutputTokens: 100, stop: ['END'], seed: 7 },
        model: slowModel(clock, 'large', 10, [
          {
            text: '',
            calls: [{ id: 'search-1', name: 'search', input: { what: 'lighthouses' } }],
            model: 'large-2026-11-01',
          },
          { text: 'Built in 1871.', model: 'large-2026-11-01' },
        ]),
        tools: [slowTool(clock, 'search', 10)],
      }),
    );
    const generations = observations.filter(({ type }) => type === 'GENERATION');
    expect(generations).toHaveLength(totals.modelCalls);
    for (const { model, parameters, usage } of generations) {
      expect(model).toBe('large-2026-11-01');
      expect(parameters).toEqual({
        temperature: 0.5,
        top_p: 0.9,
        max_tokens: 100,
        stop_sequences: ['END'],
        seed: 7,
      });
      expect(usage).toEqual({ input: 100, output: 10, input_cached_tokens: 40, output_reasoning_tokens: 3 });
    }
    expect(generations[0]?.output).toMatchObject([
      { parts: [{ type: 'tool_call', id: 'call_0_0', name: 'search', arguments: { what: 'lighthouses' } }] },
    ]);
  });

  test('finds no attribute or event that it would read in place of those', async () => {
    const { spans } = await spansOf(desk);
    const names = spans.flatMap(({ attributes, events }) => [
      ...Object.keys(attributes),
      ...events.map((event) => event.name),
    ]);
    expect(names.filter((name) => reads.before.test(name))).toEqual([]);
    expect(spans.flatMap(({ events }) => events.filter(({ name }) => name.startsWith('gen_ai.')))).toEqual(
      [],
    );
  });
});
