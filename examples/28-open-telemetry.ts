// Telemetry for operating runs: spans, metrics, a profile and a log. Nothing leaves this process here: spans stay in memory.
//
//   npx tsx examples/28-open-telemetry.ts
//
// When not to use it: to look at one run during development. `handle.events$` and an inspector show more.
// Its chart: docs/diagrams/agent.mmd; spans are derived from the machines' events
import assert from 'node:assert/strict';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { act, agent, answer, tool } from 'troupe';
import { pipeline } from 'troupe/patterns';
import {
  formatProfile,
  jsonLog,
  metrics,
  openTelemetry,
  profile,
  snapshotAsPrometheus,
} from 'troupe/telemetry';
import { scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ what: z.string() }),
  execute: async ({ what }) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return `${what}: 1871`;
  },
});
const researcher = agent({
  name: 'researcher',
  tools: [look],
  decide: ({ results: [found] }) =>
    found === undefined ? act({ name: 'look', input: { what: 'lighthouse' } }) : answer(found.text),
});
const writer = agent({ name: 'writer', model: scriptedModel(['It was built in 1871.', 'In 1871.']) });
const desk = pipeline({ name: 'desk', stages: [researcher, writer] });

// 1. Spans by the conventions for generative AI, to the registered provider: here one in memory.
const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const traced = await openTelemetry({ tracerProvider }); // `spans: 'full'` also tells what was said

// 2. Counts and percentiles without any other package, and 3. a log whose lines have trace ids.
const counted = metrics();
const log = jsonLog((line) => console.log('3.', line), {
  on: ['tool.finished', 'run.ended'],
  fields: (event) => ({ trace: traced.spanContext(event)?.traceId }),
});

const { events, output } = await desk.run('When was it built?', {
  hooks: [traced, counted, log],
  thread: 'talk-1',
});
assert.equal(output, 'It was built in 1871.');

const spans = exporter.getFinishedSpans();
for (const { name, attributes } of spans) console.log(`1. ${name} (${String(attributes['troupe.path'])})`);
assert.deepEqual(
  spans.map(({ name }) => name),
  [
    'execute_tool look',
    'invoke_agent researcher',
    'chat script',
    'invoke_agent writer',
    'invoke_workflow desk',
  ],
);
assert(spans.every(({ attributes }) => attributes['gen_ai.conversation.id'] === 'talk-1'));
assert(!JSON.stringify(spans.map(({ attributes }) => attributes)).includes('1871'));

const { tools, now } = counted.snapshot();
console.log(`2. look took ${tools[0]?.durationMs.p50.toFixed(0)} ms; ${now.runs} runs under way`);
assert.equal(tools[0]?.done, 1);
assert.match(snapshotAsPrometheus(counted.snapshot()), /troupe_runs_total\{status="completed"\} 1/);

// 4. The profile of one run, from its events: as a table, and for a flame graph.
const profiled = profile(events);
assert(profiled !== undefined);
console.log(formatProfile(profiled));
console.log(formatProfile(profiled, 'stacks'));
assert.match(formatProfile(profiled, 'stacks'), /desk;working;researcher;ACT;look \d+/);
