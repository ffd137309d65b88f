import { expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { JsonLogOptions } from '../../../src/inspect/telemetry/json-log.ts';
import { jsonLog } from '../../../src/inspect/telemetry/json-log.ts';
import { openTelemetry } from '../../../src/inspect/telemetry/spans/open-telemetry.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { router } from '../../../src/patterns/router.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { letTimePass, settled, start } from '../../support/runs.ts';
import { desk, slowTool, tracing } from './telemetry-kit.ts';

type Line = Readonly<Record<string, unknown>>;

const logging = (options?: JsonLogOptions) => {
  const texts: string[] = [];
  const log = jsonLog((line) => void texts.push(line), options);
  return { log, texts, lines: () => texts.map((text) => JSON.parse(text) as Line) };
};

test('[TENEX-78] one run through a router tells of calls, results, phases, routing, and how it began and ended', async () => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const { log, lines } = logging({ level: 'debug' });
  const worker = agent({
    name: 'worker',
    description: 'Looks.',
    tools: [slowTool(clock, 'look', 40)],
    decide: ({ step }) => (step === 0 ? act({ name: 'look', input: { what: 'x' } }) : answer('seen')),
  });
  const desk = router({ name: 'desk', members: { worker }, strategy: 'round-robin' });
  const handle = start(desk, 'Look.', { clock, hooks: [log], runId: 'r1', thread: 'talk-1' });
  await letTimePass(clock, handle.result, 10);
  const all = lines();
  const of = (type: string): Line | undefined => all.find((line) => line['type'] === type);
  expect(of('tool.started')).toMatchObject({
    level: 'info',
    tool: 'look',
    callId: 'call_0_0',
    agent: 'worker',
    phase: 'ACT',
  });
  expect(of('tool.finished')).toMatchObject({ ok: true, durationMs: 40 });
  expect(of('phase.entered')).toMatchObject({ level: 'debug' });
  expect(of('route.chosen')).toMatchObject({ level: 'info', member: 'worker', strategy: 'round-robin' });
  expect(of('run.started')).toMatchObject({
    time: '2026-01-01T00:00:00.000Z',
    runId: 'r1',
    thread: 'talk-1',
    path: 'desk',
  });
  expect(of('run.ended')).toMatchObject({ level: 'info', status: 'completed', 'totals.toolCalls': 1 });
});

test('[KAIZEN-77] lines have levels, and the least of them can be set', async () => {
  const levels = async (level: JsonLogOptions['level']) => {
    const clock = virtualClock();
    const { log, lines } = logging({ level });
    await letTimePass(clock, start(desk(clock), 'When?', { clock, hooks: [log] }).result, 50);
    return new Set(lines().map((line) => line['level']));
  };
  expect(await levels('debug')).toEqual(new Set(['debug', 'info', 'warn']));
  expect(await levels('info')).toEqual(new Set(['info', 'warn']));
  expect(await levels('warn')).toEqual(new Set(['warn']));
  expect(await levels('error')).toEqual(new Set([]));
  const { log, lines } = logging({ level: 'error' });
  const doomed = agent({
    name: 'doomed',
    decide: () => {
      throw new TroupeError('internal', 'it broke');
    },
  });
  await settled(start(doomed, 'go', { hooks: [log] }));
  expect(lines().at(-1)).toMatchObject({
    level: 'error',
    type: 'run.ended',
    status: 'failed',
    'error.code': 'internal',
  });
});

test('[KAIZEN-77] nothing that anybody said is in a line, unless it is asked for, and then without secrets', async () => {
  const text = async (options: JsonLogOptions) => {
    const clock = virtualClock();
    const { log, texts } = logging({ level: 'debug', ...options });
    await letTimePass(clock, start(desk(clock), 'When?', { clock, hooks: [log] }).result, 50);
    return texts.join('\n');
  };
  const names = await text({});
  for (const said of ['lighthouses', '1871', 'When?', 'sk-secret', 'service is down'])
    expect(names).not.toContain(said);
  const full = await text({
    content: 'full',
    redact: (line) => line.replaceAll('sk-secret-0001', '[redacted]'),
  });
  for (const said of ['lighthouses', '1871', 'When?', 'service is down: [redacted]'])
    expect(full).toContain(said);
  expect(full).not.toContain('sk-secret');
});

test('[FIND-33] [DODO-41] previews have the split of tokens and the beginning of what was said, cut at the limit, and no part of a secret', async () => {
  const secret = 'sk-secret-0001';
  const long = `${'It is. '.repeat(26)}The key is ${secret}, and ${'so on '.repeat(100)}`;
  const model = scriptedModel([calls({ name: 'look', input: { what: 'w'.repeat(500) } }), long]);
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({ what: z.string() }),
    execute: () => `seen\n${'👀'.repeat(300)}`,
  });
  const previewed = async (previewLength?: number) => {
    const { log, texts, lines } = logging({
      level: 'debug',
      content: 'previews',
      previewLength,
      redact: (line) => line.replaceAll(secret, '[redacted]'),
    });
    await settled(start(agent({ name: 'a', model, tools: [look] }), 'Look.', { hooks: [log] }));
    expect(texts.join('\n')).not.toContain('sk-');
    return (type: string) => lines().findLast((line) => line['type'] === type);
  };
  const of = await previewed();
  expect(of('run.started')).toMatchObject({ input: 'Look.' });
  expect(of('model.answered')).toMatchObject({
    'usage.input': expect.any(Number),
    'usage.output': expect.any(Number),
  });
  const said = String(of('model.answered')?.['text']);
  expect(said).toHaveLength(200);
  expect(said).toMatch(/^It is\. .*The key is \[redac…$/);
  expect(String(of('tool.requested')?.['input'])).toMatch(/^\{"what":"w{190}…$/);
  expect(String(of('tool.finished')?.['text'])).toMatch(/^seen 👀+…$/u);
  expect(Object.keys(of('run.ended') ?? {})).not.toContain('totals');
});

test('[DODO-41] a preview of no length is refused', () => {
  expect(() => jsonLog(() => undefined, { previewLength: 0 })).toThrow(
    'previewLength is not a whole number from 1: found 0',
  );
});

test('[KAIZEN-77] a line has the ids of its trace, where it is asked for them', async () => {
  const { provider, spans } = tracing();
  const traced = await openTelemetry({ tracerProvider: provider });
  const { log, lines } = logging({
    on: ['tool.finished', 'model.answered'],
    fields: (event) => {
      const { traceId, spanId } = traced.spanContext(event) ?? {};
      return { traceId, spanId };
    },
  });
  const clock = virtualClock();
  await letTimePass(clock, start(desk(clock), 'When?', { clock, hooks: [log, traced] }).result, 50);
  const known = new Set(spans().map((span) => span.spanContext().spanId));
  expect(lines()).toHaveLength(6);
  expect(lines().every((line) => known.has(String(line['spanId'])))).toBe(true);
  expect(new Set(lines().map((line) => line['type']))).toEqual(new Set(['tool.finished', 'model.answered']));
});
