import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import { maxTime } from '../../src/machines/stopping/stop-rules.ts';
import { parallel } from '../../src/patterns/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { hang, quiet, settled, start } from '../support/runs.ts';
import { goOn, startIn } from '../support/stored-runs.ts';

const WEEKEND_MS = 2 * 86_400_000;
const LIMIT_MS = 1_000;

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  safety: 'danger',
  input: z.object({}),
  execute: () => 'ok',
});

/** Pays once a person has agreed, then hangs or answers. */
const payer = (name: string, after: 'answers' | 'hangs', options: object = {}): Agent<string, string> =>
  agent({
    name,
    tools: [pay, hang],
    decide: ({ results }) => {
      if (results.length === 0) return act({ name: 'pay', input: {} });
      return after === 'hangs' ? act({ name: 'hang', input: {} }) : answer('paid');
    },
    ...options,
  });

const agree = async (handle: RunHandle<unknown, unknown>): Promise<void> => {
  const [request] = handle.requests;
  if (request?.callId === undefined) throw new Error('nobody was asked');
  handle.approve(request.callId);
  await quiet();
};

const asked = async (handle: RunHandle<unknown, unknown>): Promise<void> => {
  for (let turn = 0; turn < 500 && handle.requests.length === 0; turn += 1) await quiet();
};

/** A person is asked, and away until Monday. */
const weekend = async (clock: VirtualClock, handle: RunHandle<unknown, unknown>): Promise<void> => {
  await asked(handle);
  await clock.advance(WEEKEND_MS);
  await quiet();
};

const limits = { budget: { timeMs: LIMIT_MS } };
const limited: Readonly<Record<string, (after: 'answers' | 'hangs') => Agent<string, unknown, unknown>>> = {
  'the budget of an agent': (after) => payer('w', after, { limits }),
  'the budget of a team': (after) => parallel({ name: 'p', members: { w: payer('w', after) }, limits }),
  'the time of a member': (after) =>
    parallel({ name: 'p', members: { w: payer('w', after) }, limits: { memberTimeMs: LIMIT_MS } }),
  'the time of a delegate': (after) =>
    agent({
      name: 'boss',
      tools: [delegate({ to: [payer('w', after)], name: 'hire', timeoutMs: LIMIT_MS })],
      decide: ({ results }) =>
        results.length === 0 ? act({ name: 'hire', input: { to: 'w', task: 'go' } }) : answer('done'),
    }),
};

describe.each(Object.entries(limited))('%s', (_, make) => {
  test('stands still while a person is waited for', async () => {
    const clock = virtualClock();
    const handle = start(make('answers'), 'go', { clock });
    await weekend(clock, handle);
    await agree(handle);
    const result = await settled(handle);
    expect(result.status).toBe('completed');
    expect(JSON.stringify(result.events)).not.toMatch(/timed-out|\.timeout|"budget":"timeMs"/);
  });

  test('continues with the answer: what was left is left', async () => {
    const clock = virtualClock();
    const handle = start(make('hangs'), 'go', { clock });
    await quiet();
    await weekend(clock, handle);
    await agree(handle);
    let isOver = false;
    const ending = settled(handle).finally(() => (isOver = true));
    await clock.advance(LIMIT_MS - 1);
    await quiet();
    expect(isOver).toBe(false);
    await clock.advance(2);
    await quiet();
    expect(JSON.stringify((await ending).events)).toMatch(/timed-out|\.timeout|"budget":"timeMs"/);
    expect(clock.pending).toBe(0);
  });

  test('stands still also while no process holds the run, and its replay is the same', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const first = startIn(store, make('answers'), 'go', { runId: 'r', clock });
    await asked(first);
    await clock.advance(10);
    await first.suspend();
    const monday = virtualClock(clock.now() + WEEKEND_MS);
    const again = await goOn(store, make('answers'), 'r', { clock: monday });
    await quiet();
    await weekend(monday, again);
    await agree(again);
    expect(await settled(again)).toMatchObject({ status: 'completed' });
    const replayed = await replay(make('answers'), 'r', { store });
    expect(replayed.events.at(-1)).toMatchObject({ type: 'run.ended', status: 'completed' });
  });
});

test('a member that works beside one that waits for a person has its time', async () => {
  const clock = virtualClock();
  const stuck = agent({ name: 'stuck', tools: [hang], decide: () => act({ name: 'hang', input: {} }) });
  const team = parallel({
    name: 'p',
    members: { w: payer('w', 'answers'), stuck },
    limits: { memberTimeMs: LIMIT_MS },
  });
  const handle = start(team, 'go', { clock });
  await weekend(clock, handle);
  await agree(handle);
  const { status, events } = await settled(handle);
  expect(status).toBe('completed');
  const late = events.findLast(({ path }) => path === 'p/stuck-2');
  expect((late?.at ?? 0) - (events[0]?.at ?? 0)).toBe(LIMIT_MS);
});

test('a second request stops the time again, and both waits are left out', async () => {
  const clock = virtualClock();
  const twice = agent({
    name: 'twice',
    tools: [pay, hang],
    limits,
    decide: ({ results }) => act({ name: results.length === 1 ? 'hang' : 'pay', input: {} }),
    stop: [],
  });
  const handle = start(twice, 'go', { clock });
  await weekend(clock, handle);
  await agree(handle);
  await clock.advance(LIMIT_MS + 1);
  const { stopReason } = await settled(handle);
  expect(stopReason).toMatchObject({ kind: 'budget', used: LIMIT_MS + 1 });
});

test('a question of a tool does not count as the time of its call', async () => {
  const clock = virtualClock();
  const curious = tool({
    name: 'curious',
    description: 'Asks.',
    input: z.object({}),
    timeoutMs: LIMIT_MS,
    execute: (_, { ask }) => ask('May I?'),
  });
  const clerk = agent({
    name: 'clerk',
    tools: [curious],
    decide: ({ results }) => {
      const [result] = results;
      return result === undefined ? act({ name: 'curious', input: {} }) : answer(result.text);
    },
  });
  const handle = start(clerk, 'go', { clock });
  await weekend(clock, handle);
  handle.reply('yes');
  expect((await settled(handle)).output).toBe('yes');
});

test('maxTime is a deadline: it ends a run that waits for a person', async () => {
  const clock = virtualClock();
  const handle = start(payer('w', 'answers', { stop: maxTime(LIMIT_MS) }), 'go', { clock });
  await weekend(clock, handle);
  expect((await settled(handle)).stopReason).toMatchObject({ kind: 'maxTime' });
});
