import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { z } from 'zod';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { Model, ModelAnswer } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type { Usage } from '../../../src/contracts/models/usage.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { supervisorWorker } from '../../../src/patterns/supervisor-worker.ts';
import type { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

/** Spans that are kept in memory. */
export const tracing = () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { provider, spans: () => exporter.getFinishedSpans() };
};

export interface Point {
  readonly attributes: Attributes;
  /** Of a sum its value, of a histogram what was recorded. */
  readonly value: unknown;
}

/** Metrics that are kept in memory: by name, its points. */
export const metering = () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  const points = async (): Promise<Record<string, Point[]>> => {
    await reader.forceFlush();
    const metrics =
      exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    return Object.fromEntries(
      metrics.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        dataPoints.map(({ attributes, value }) => ({ attributes, value })),
      ]),
    );
  };
  return { provider, points, stop: () => provider.shutdown() };
};

export const msOf = ([seconds, nanos]: readonly [number, number]): number => seconds * 1_000 + nanos / 1e6;

/** A span's name, and those within it, as lines that are indented. */
export const tree = (spans: readonly ReadableSpan[], parent?: string, depth = 0): string[] =>
  spans
    .filter((span) => span.parentSpanContext?.spanId === parent)
    .toSorted((one, other) => msOf(one.startTime) - msOf(other.startTime))
    .flatMap((span) => [
      `${'  '.repeat(depth)}${span.name}`,
      ...tree(spans, span.spanContext().spanId, depth + 1),
    ]);

type Turn = Partial<ModelAnswer> | TroupeError;

/** A model that takes its time on a simulated clock, and says all that a provider would. */
export const slowModel = (clock: VirtualClock, id: string, ms: number, turns: readonly Turn[]): Model => {
  let next = 0;
  const usage: Usage = { input: 100, output: 10, cached: 40, reasoning: 3 };
  return {
    provider: 'example',
    id,
    answer: async (_request, { delta }) => {
      const turn = turns[next] ?? { text: 'Nothing more.' };
      next += 1;
      await new Promise<void>((resolve) => clock.setTimeout(resolve, ms / 2));
      if (!(turn instanceof TroupeError) && turn.text !== undefined) delta({ type: 'text', text: turn.text });
      await new Promise<void>((resolve) => clock.setTimeout(resolve, ms / 2));
      if (turn instanceof TroupeError) throw turn;
      return modelAnswer({ usage, ...turn });
    },
  };
};

export const slowTool = (clock: VirtualClock, name: string, ms: number) =>
  tool({
    name,
    description: `Does ${name}.`,
    input: z.object({ what: z.string() }),
    execute: async ({ what }) => {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
      return `${name} of ${what}`;
    },
  });

export const call = (name: string, what: string): Turn => ({
  text: '',
  calls: [{ id: `${name}-${what}`, name, input: { what } }],
});

export const down = (): TroupeError =>
  new TroupeError('model.unavailable', 'Cannot answer as the service is down: sk-secret-0001', {
    retryable: 'yes',
  });

/** A pipeline in a supervised team, with tools, and a model that has to be asked twice. */
export const desk = (clock: VirtualClock) => {
  const researcher = agent({
    name: 'researcher',
    description: 'Finds out.',
    model: slowModel(clock, 'large', 400, [
      call('search', 'lighthouses'),
      down(),
      { text: 'Built in 1871.' },
    ]),
    tools: [slowTool(clock, 'search', 250)],
  });
  const writer = agent({
    name: 'writer',
    description: 'Writes.',
    model: slowModel(clock, 'small', 100, [{ text: 'It was built in 1871.' }]),
  });
  const line = pipeline({ name: 'line', description: 'Finds out and writes.', stages: [researcher, writer] });
  return supervisorWorker({
    name: 'desk',
    supervisor: {
      instructions: 'Give the question to the line.',
      model: slowModel(clock, 'large', 100, [
        { text: JSON.stringify({ assignments: [{ worker: 'line', task: 'When?' }], answer: null }) },
        { text: JSON.stringify({ assignments: [], answer: 'In 1871.' }) },
      ]),
    },
    workers: { line },
  });
};
