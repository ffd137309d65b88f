import fc from 'fast-check';
import type { EventBody, RuntimeEvent } from '../../../src/contracts/events/event.ts';
import { expect, test } from 'vitest';
import { profile, profiler } from '../../../src/inspect/telemetry/profiles/profile.ts';
import type { Profile } from '../../../src/inspect/telemetry/profiles/profile-shape.ts';
import { formatProfile } from '../../../src/inspect/telemetry/profiles/profile-text.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { letTimePass, settled, start } from '../../support/runs.ts';
import { call, desk, slowModel, slowTool } from './telemetry-kit.ts';

const flatPrices = { name: 'flat', cost: () => 0.001 };
const sum = (rows: readonly { readonly ms: number }[]): number =>
  rows.reduce((total, { ms }) => total + ms, 0);

const profiled = async (): Promise<Profile> => {
  const clock = virtualClock();
  const handle = start(desk(clock), 'When?', { clock, runId: 'r1', prices: flatPrices });
  const { events } = await letTimePass(clock, handle.result, 10);
  const found = profile(events);
  if (found === undefined) throw new Error('there is no run in these events');
  return found;
};

test('[TENEX-100] the states of an actor add up to its time, and those of the root to the time of the run', async () => {
  const { ms, actors } = await profiled();
  expect(actors.map(({ path }) => path)[0]).toBe('desk');
  for (const actor of actors) expect(sum(actor.phases)).toBeCloseTo(actor.ms, 6);
  expect(actors[0]?.ms).toBe(ms);
  expect(ms).toBeGreaterThan(1_850);
});

test('[TENEX-100] it says what took how long and cost what: by agent, phase, model and tool', async () => {
  const { agents, phases, models, tools, costUsd } = await profiled();
  expect(tools).toEqual([{ name: 'search', count: 1, ms: 250, tokens: 0, costUsd: 0 }]);
  expect(models).toEqual([
    { name: 'example:large', count: 5, ms: 1_400, tokens: 440, costUsd: 0.004 },
    { name: 'example:small', count: 1, ms: 100, tokens: 110, costUsd: 0.001 },
  ]);
  expect(costUsd).toBeCloseTo(0.005, 9);
  expect(phases.find(({ name }) => name === 'DECIDE')).toMatchObject({
    count: 5,
    costUsd: 0.005,
    tokens: 550,
  });
  expect(agents.find(({ name }) => name === 'researcher')).toMatchObject({ count: 1, tokens: 220 });
});

test('of a run without members at work at the same time, its stacks add up to its time', async () => {
  const found = await profiled();
  expect(sum(found.stacks)).toBeCloseTo(found.ms, 6);
  const text = formatProfile(found, 'stacks');
  expect(text).toContain('researcher;ACT;search 250000\n');
  expect(
    text
      .split('\n')
      .slice(0, -1)
      .every((line) => /^\S+ \d+$/.test(line)),
  ).toBe(true);
});

test('tokens and money of its stacks are those of the run, also of attempts without an answer and of summaries', async () => {
  const found = await profiled();
  const spent = found.stacks.filter(({ tokens }) => tokens > 0);
  expect(spent.reduce((total, { costUsd }) => total + costUsd, 0)).toBeCloseTo(found.costUsd, 9);
  expect(spent.map(({ frames, tokens }) => `${frames.slice(-3).join('/')} ${tokens}`)).toContain(
    'researcher/DECIDE/example:large 220',
  );
  const events: RuntimeEvent[] = [];
  const tell = (body: EventBody): void => {
    const frame = { v: 1, seq: events.length, at: events.length, runId: 'r', path: 'a', agent: 'a' } as const;
    events.push({ ...frame, ...body });
  };
  const usage = { input: 8, output: 2 };
  const call = { model: 'm', key: 'k', usage, costUsd: 0.5 };
  const summary = {
    before: 9,
    after: 1,
    shown: 1,
    of: 2,
    rungs: [],
    isSummarised: true,
    usage,
    costUsd: 0.25,
  };
  tell({ type: 'run.started', input: 'go' });
  tell({ type: 'phase.entered', phase: 'DECIDE' });
  tell({ type: 'context.compacted', ...summary, summariser: 's' });
  tell({ type: 'model.asked', model: 'm', key: 'k', messages: 1, attempt: 1 });
  tell({ type: 'model.interrupted', ...call, text: 'It w' });
  tell({ type: 'model.answered', ...call, text: 'It was.', calls: 0, finish: 'stop', durationMs: 1 });
  const { stacks, costUsd, models } = profile(events) ?? {};
  expect(costUsd).toBe(1.25);
  expect(models).toMatchObject([
    { name: 'm', count: 1, tokens: 20, costUsd: 1 },
    { name: 's', count: 1, tokens: 10, costUsd: 0.25 },
  ]);
  expect(stacks?.filter(({ tokens }) => tokens > 0)).toMatchObject([
    { frames: ['a', 'DECIDE', 's'], tokens: 10, costUsd: 0.25 },
    { frames: ['a', 'DECIDE', 'm'], tokens: 20, costUsd: 1 },
  ]);
});

test('whatever its parts take, a run takes as long as its phases', async () => {
  const ms = fc.integer({ min: 0, max: 5_000 });
  await fc.assert(
    fc.asyncProperty(ms, ms, async (modelMs, toolMs) => {
      const clock = virtualClock();
      const one = agent({
        name: 'one',
        model: slowModel(clock, 'm', modelMs, [call('look', 'x'), { text: 'done' }]),
        tools: [slowTool(clock, 'look', toolMs)],
      });
      const { events } = await letTimePass(clock, start(one, 'go', { clock }).result, 5_000);
      const found = profile(events);
      expect(found?.ms).toBe(2 * modelMs + toolMs);
      expect(sum(found?.phases ?? [])).toBeCloseTo(found?.ms ?? -1, 6);
    }),
    { numRuns: 20 },
  );
});

test('members at work at the same time stand beside each other, and what they cover is not the team’s own', async () => {
  const clock = virtualClock();
  const member = (name: string, ms: number) =>
    agent({ name, model: slowModel(clock, name, ms, [{ text: 'x' }]) });
  const crowd = parallel({ name: 'crowd', members: { a: member('a', 100), b: member('b', 300) } });
  const { events } = await letTimePass(clock, start(crowd, 'go', { clock }).result, 10);
  const found = profile(events);
  expect(found?.ms).toBe(300);
  expect(Object.fromEntries(found?.stacks.map(({ frames, ms }) => [frames.join('/'), ms]) ?? [])).toEqual({
    'crowd/gathering/a/DECIDE/example:a': 100,
    'crowd/gathering/b/DECIDE/example:b': 300,
  });
});

test('a run that is under way has a profile up to now, and no events have none', async () => {
  const clock = virtualClock();
  const timed = profiler();
  const seen: Parameters<typeof timed.handle>[0][] = [];
  const handle = start(desk(clock), 'When?', {
    clock,
    hooks: [timed, { name: 'keep', handle: (event) => void seen.push(event) }],
  });
  await clock.advance(600);
  expect(profile(seen)).toMatchObject({ status: undefined, ms: 500 });
  expect(timed.profiles).toEqual([]);
  handle.abort();
  await settled(handle);
  expect(timed.profiles).toMatchObject([{ status: 'aborted', ms: 600 }]);
  expect(profile([])).toBeUndefined();
});

test('a hook keeps the last profiles', async () => {
  const timed = profiler({ keep: 2 });
  const echo = agent({ name: 'echo', decide: () => ({ kind: 'answer', answer: 'hi' }) });
  for (const runId of ['r1', 'r2', 'r3']) await echo.run('go', { runId, hooks: [timed] });
  expect(timed.profiles.map(({ runId }) => runId)).toEqual(['r2', 'r3']);
});

test('a table for people', () => {
  const row = (name: string, ms: number) => ({ name, count: 2, ms, tokens: 1_204, costUsd: 0.0031 });
  const found: Profile = {
    runId: 'r1',
    agent: 'desk',
    status: 'completed',
    startedAt: 0,
    ms: 1_200,
    costUsd: 0.0031,
    agents: [row('desk', 1_200)],
    phases: [row('DECIDE', 1_100), { name: 'ACT', count: 1, ms: 100, tokens: 0, costUsd: 0 }],
    models: [],
    tools: [],
    actors: [{ path: 'desk', agent: 'desk', ms: 1_200, costUsd: 0.0031, phases: [] }],
    stacks: [],
  };
  expect(formatProfile(found)).toBe(
    [
      'run r1 of desk: 1,200 ms, $0.0031',
      '',
      'agent  count     ms      %  tokens     cost',
      'desk       2  1,200  100.0   1,204  $0.0031',
      '',
      'phase   count     ms     %  tokens     cost',
      'DECIDE      2  1,100  91.7   1,204  $0.0031',
      'ACT         1    100   8.3',
      '',
    ].join('\n'),
  );
});
