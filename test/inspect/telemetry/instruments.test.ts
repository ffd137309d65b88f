import { expect, test } from 'vitest';
import { openTelemetry } from '../../../src/inspect/telemetry/spans/open-telemetry.ts';
import { settled, letTimePass, start } from '../../support/runs.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import type { Point } from './telemetry-kit.ts';
import { desk, metering, tracing } from './telemetry-kit.ts';

const total = (points: readonly Point[] = []): number =>
  points.reduce(
    (sum, { value }) => sum + (typeof value === 'number' ? value : (value as { sum: number }).sum),
    0,
  );

const where = (points: readonly Point[] = [], attributes: Point['attributes']): Point[] =>
  points.filter((point) =>
    Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
  );

test('[M52] [TENEX-76] a run is measured by the conventions, and by names of our own', async () => {
  const { provider, points, stop } = metering();
  const clock = virtualClock();
  const measured = await openTelemetry({ meterProvider: provider, spans: 'off', chunks: true });
  await letTimePass(
    clock,
    start(desk(clock), 'When?', { clock, hooks: [measured], limits: { budget: { steps: 100 } } }).result,
    10,
  );
  const found = await points();
  const tokens = found['gen_ai.client.token.usage'];
  expect(total(where(tokens, { 'gen_ai.token.type': 'input', 'gen_ai.request.model': 'large' }))).toBe(400);
  expect(total(where(tokens, { 'gen_ai.token.type': 'output', 'gen_ai.request.model': 'small' }))).toBe(10);
  expect(
    tokens?.every(
      ({ attributes }) =>
        attributes['gen_ai.operation.name'] === 'chat' && attributes['gen_ai.provider.name'] === 'example',
    ),
  ).toBe(true);
  const calls = found['gen_ai.client.operation.duration'];
  expect(where(calls, { 'error.type': 'model.unavailable' })).toMatchObject([
    { value: { count: 1, sum: 0.4 } },
  ]);
  expect(where(calls, { 'gen_ai.request.model': 'small' })).toMatchObject([
    { value: { count: 1, sum: 0.1 } },
  ]);
  expect(
    where(found['gen_ai.client.operation.time_to_first_chunk'], { 'gen_ai.request.model': 'small' }),
  ).toMatchObject([{ value: { count: 1, sum: 0.05 } }]);
  expect(found['gen_ai.execute_tool.duration']).toMatchObject([
    {
      attributes: { 'gen_ai.tool.name': 'search', 'gen_ai.agent.name': 'researcher' },
      value: { count: 1, sum: 0.25 },
    },
  ]);
  expect(
    found['gen_ai.workflow.duration']?.map(({ attributes }) => attributes['gen_ai.workflow.name']).sort(),
  ).toEqual(['desk', 'line']);
  expect(found['gen_ai.invoke_agent.duration']).toHaveLength(3);
  expect(found['troupe.runs']).toMatchObject([{ attributes: { 'troupe.status': 'completed' }, value: 1 }]);
  expect(total(found['troupe.steps'])).toBe(5);
  expect(found['troupe.retries']).toMatchObject([{ attributes: { 'troupe.work': 'model' }, value: 1 }]);
  await stop();
});

test('[TENEX-77] what is under way is measured while it is, and is nothing at the end, also of a run that is aborted', async () => {
  const { provider, points, stop } = metering();
  const clock = virtualClock();
  const measured = await openTelemetry({ meterProvider: provider, tracerProvider: tracing().provider });
  const handle = start(desk(clock), 'When?', { clock, hooks: [measured] });
  await clock.advance(600);
  const midway = await points();
  expect(total(midway['troupe.runs.active'])).toBe(1);
  expect(where(midway['troupe.work.active'], { 'troupe.work': 'tool_call' })).toMatchObject([{ value: 1 }]);
  handle.abort();
  await settled(handle);
  const after = await points();
  expect(total(after['troupe.runs.active'])).toBe(0);
  expect(after['troupe.work.active']?.map(({ value }) => value)).toEqual(
    after['troupe.work.active']?.map(() => 0),
  );
  await stop();
});
