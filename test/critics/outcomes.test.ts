import { expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { LONGEST_TIMER_MS } from '../../src/base/clock.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { Critic } from '../../src/contracts/agents/critic.ts';
import type { Critique } from '../../src/contracts/agents/critique.ts';
import { runtimeEventSchema } from '../../src/contracts/events/event.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, never, ofType, settled, start } from '../support/runs.ts';

const says = (name: string, ...said: readonly Critique[]): Critic => ({
  name,
  critique: ({ rejections }) => said[rejections] ?? { verdict: 'accept' },
});

const revise = (note: string): Critique => ({ verdict: 'revise', note });
const accept: Critique = { verdict: 'accept' };

const run = (
  options: Partial<Parameters<typeof agent>[0]>,
  replies: readonly string[] = ['one', 'two', 'three'],
) => {
  const model = scriptedModel(replies);
  const result = settled(start(agent({ name: 'a', model, tools: [echo], ...options }), 'go'));
  return { model, result };
};

test('[QITOS-22] of accept, revise and stop, in this order, revise wins; those asked are on record by name', async () => {
  const asked: string[] = [];
  const noted = (critic: Critic): Critic => ({
    ...critic,
    critique: (review) => {
      asked.push(critic.name);
      return critic.critique(review);
    },
  });
  const critics = [
    says('kind', { verdict: 'accept', note: 'fine' }),
    says('strict', revise('shorter')),
    says('last', { verdict: 'stop', note: 'no' }, { verdict: 'stop', note: 'enough' }),
  ].map(noted);
  const { events, records, stopReason, candidate, output } = await run({ critics }).result;
  expect(records[0]?.critiques).toEqual([
    { critic: 'kind', verdict: 'accept', note: 'fine' },
    { critic: 'strict', verdict: 'revise', note: 'shorter' },
  ]);
  // A critic after an objection would be paid for in vain.
  expect(asked).toEqual(['kind', 'strict', 'kind', 'strict', 'last']);
  expect(ofType(events, 'agent.critiqued')).toMatchObject([
    { verdict: 'revise', critic: 'strict', note: 'shorter' },
    { verdict: 'stop', critic: 'last', note: 'enough' },
  ]);
  expect(stopReason).toEqual({ kind: 'criticStopped', note: 'enough' });
  expect([candidate, output]).toEqual(['two', undefined]);
});

test('[QITOS-23] revise on a final answer goes on with another step, and CHECK_STOP ends nothing meanwhile', async () => {
  const { model, result } = run({ critics: [says('strict', revise('shorter'))], stop: maxSteps(2) });
  const { output, totals, status } = await result;
  expect([output, totals.steps, status]).toEqual(['two', 2, 'completed']);
  expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', from: 'critic', text: 'shorter' });
});

test('[QITOS-23] a critic patches state and instructions: the next step sees both, record and event show them', async () => {
  const critics: readonly Critic[] = [
    {
      name: 'first',
      each: 'step',
      critique: ({ step }) =>
        step === 0
          ? { verdict: 'accept', patch: { state: { tone: 'calm', seen: 1 }, instruction: 'Be calm.' } }
          : accept,
    },
    {
      name: 'second',
      critique: ({ rejections }) =>
        rejections === 0
          ? { ...revise('again'), patch: { state: { seen: 2 }, instruction: 'Be brief.' } }
          : accept,
    },
  ];
  const states: unknown[] = [];
  const { model, result } = run({
    critics,
    state: { count: 0 },
    reduce: ({ state, step }) => ({ ...(state as object), count: step + 1 }),
    observe: ({ state }) => void states.push(state),
  });
  const { records, events, state, output } = await result;
  expect(output).toBe('two');
  expect(states).toEqual([{ count: 0 }, { count: 1, tone: 'calm', seen: 2 }]);
  expect(state).toEqual({ count: 2, tone: 'calm', seen: 2 });
  expect(model.requests[1]?.messages.slice(-2)).toEqual([
    { role: 'user', from: 'critic', text: 'again' },
    { role: 'user', from: 'critic', text: 'Be calm.\nBe brief.' },
  ]);
  expect(records[0]?.diff).toEqual({
    count: { before: 0, after: 1 },
    tone: { before: undefined, after: 'calm' },
    seen: { before: undefined, after: 2 },
  });
  expect(records[0]?.critiques).toMatchObject([
    { critic: 'first', patch: { state: { tone: 'calm', seen: 1 } } },
    { critic: 'second', patch: { instruction: 'Be brief.' } },
  ]);
  expect(ofType(events, 'agent.critiqued')[0]).toMatchObject({
    verdict: 'revise',
    critic: 'second',
    patch: { state: { tone: 'calm', seen: 2 }, instruction: 'Be calm.\nBe brief.' },
  });
  expect(events.every((event) => runtimeEventSchema.safeParse(event).success)).toBe(true);
});

test('an instruction to a step without an answer reaches the next; at the end it is only on record', async () => {
  const model = scriptedModel([calls({ name: 'echo', input: { text: 'a' } }), 'done']);
  const critics: readonly Critic[] = [
    {
      name: 'c',
      each: 'step',
      critique: () => ({ verdict: 'accept', patch: { instruction: 'Mind the gap.' } }),
    },
  ];
  const one = agent({ name: 'a', model, tools: [echo], critics });
  const { output, records } = await settled(start(one, 'go'));
  expect(output).toBe('done');
  expect(model.requests[1]?.messages.at(-1)?.text).toBe('Mind the gap.');
  expect(records[1]?.critiques).toMatchObject([{ patch: { instruction: 'Mind the gap.' } }]);
});

test.each([
  ['no object', 'x'],
  ['state that is a list', { state: [1] }],
  ['state that is no JSON', { state: { when: new Date(0) } }],
  ['state that holds itself', { state: holdsItself() }],
  ['an instruction without words', { instruction: ' ' }],
  ['a key that there is not', { prompt: 'new' }],
])('a patch with %s makes the critique none: reported, nothing changed', async (_, patch) => {
  const critique = () => ({ ...revise('no'), patch }) as never;
  const critics = [{ name: 'odd', ifBroken: 'accept' as const, critique }];
  const { status, state, events } = await run({ critics, state: { a: 1 } }).result;
  expect([status, state]).toEqual(['completed', { a: 1 }]);
  expect(ofType(events, 'critic.failed')).toHaveLength(1);
});

test('[D26] a critic that stops on the final answer keeps it, and one that is never content does, too', async () => {
  const stop = await run({ critics: [says('c', { verdict: 'stop', note: 'unsafe' })] }).result;
  expect(stop).toMatchObject({
    status: 'stopped',
    stopReason: { kind: 'criticStopped' },
    candidate: 'one',
  });
  const never = await run({ critics: [says('c', revise('1'), revise('2'), revise('3'))] }).result;
  expect(never).toMatchObject({
    status: 'stopped',
    stopReason: { kind: 'rejected', note: '3', rejections: 3 },
    candidate: 'three',
  });
  expect([stop.output, never.output]).toEqual([undefined, undefined]);
});

test('[D27] a critic that hangs is out of time: reported, its work called off, the answer kept', async () => {
  const clock = virtualClock();
  const signals: AbortSignal[] = [];
  const judge = agent({ name: 'judge', decide: () => never() });
  const hanging = (timeoutMs?: number, ifBroken?: 'accept' | 'stop') =>
    agent({
      name: 'a',
      decide: () => answer('x'),
      critics: [
        {
          name: 'slow',
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
          ...(ifBroken === undefined ? {} : { ifBroken }),
          critique: ({ run: runChild, signal }) => {
            signals.push(signal);
            runChild(judge, 'well?').catch(() => undefined);
            return never();
          },
        },
      ],
    });
  const first = start(hanging(500, 'accept'), 'go', { clock });
  const quick = await letTimePass(clock, settled(first), 100);
  expect(quick).toMatchObject({ status: 'completed', output: 'x' });
  expect(ofType(quick.events, 'critic.failed')).toMatchObject([
    { critic: 'slow', error: { message: expect.stringContaining("'slow' as its 500 ms are over") } },
  ]);
  expect(ofType(quick.events, 'member.ended')).toMatchObject([{ status: 'aborted' }]);
  expect(signals[0]?.aborted).toBe(true);
  const strict = await letTimePass(clock, settled(start(hanging(500), 'go', { clock })), 100);
  expect(strict).toMatchObject({ stopReason: { kind: 'criticStopped' }, candidate: 'x' });
  const sixtyDays = 60 * 86_400_000;
  const patient = start(hanging(sixtyDays), 'go', { clock: asPlatforms(clock) });
  await clock.advance(1);
  for (let days = 0; days < 60; days += 10) await clock.advance(10 * 86_400_000);
  expect((await settled(patient)).totals.durationMs).toBe(sixtyDays);
  const usual = await letTimePass(clock, settled(start(hanging(), 'go', { clock })), 1_000);
  expect(usual.totals.durationMs).toBe(120_000);
});

test('[D27] a critic that throws, or answers nonsense, every time can neither loop nor lose the answer', async () => {
  const broken: readonly Critic[] = [
    {
      name: 'throws',
      critique: () => {
        throw new Error('dark');
      },
    },
    { name: 'rejects', critique: () => Promise.reject(new Error('dark')) },
    { name: 'nonsense', critique: () => ({ verdict: 'perhaps' }) as never },
    { name: 'mute', critique: () => undefined as never },
  ];
  const lenient = broken.map((critic) => ({ ...critic, ifBroken: 'accept' as const }));
  const { status, output, totals, events } = await run({ critics: lenient }).result;
  expect([status, output, totals.steps]).toEqual(['completed', 'one', 1]);
  expect(ofType(events, 'critic.failed').map(({ critic }) => critic)).toEqual(broken.map(({ name }) => name));
  for (const each of broken) {
    const strict = await run({ critics: [each] }).result;
    expect(strict).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'criticStopped' },
      candidate: 'one',
    });
  }
});

test.each([
  ['no name', { critique: () => accept }, 'critics[0].name is not a non-empty string: found nothing'],
  ['no function', { name: 'c' }, 'critics[0].critique is not a function: found nothing'],
  ['no time', { name: 'c', critique: () => accept, timeoutMs: 0 }, 'timeoutMs'],
  ['a time that is none', { name: 'c', critique: () => accept, timeoutMs: Number.NaN }, 'timeoutMs'],
  ['a time in letters', { name: 'c', critique: () => accept, timeoutMs: '5' }, 'timeoutMs'],
  ['an each that there is not', { name: 'c', critique: () => accept, each: 'day' }, "'day'"],
  ['an end that there is not', { name: 'c', critique: () => accept, ifBroken: 'loop' }, "'loop'"],
  ['nothing in its place', undefined, 'critics[0] is not a critic'],
])('a critic with %s is refused where the agent is defined', (_, critic, found) => {
  const define = () => agent({ name: 'a', critics: [critic as never] });
  expect(define).toThrow(
    expect.objectContaining({ code: 'agent.invalid', message: expect.stringContaining(found) }),
  );
});

function holdsItself(): object {
  const state: { self?: unknown } = {};
  state.self = state;
  return state;
}

/** Counts no further than 24.8 days, as timers of platforms do: what is set for longer fires at once. */
function asPlatforms(clock: VirtualClock): Clock {
  return {
    now: () => clock.now(),
    setTimeout: (callback, ms) => clock.setTimeout(callback, ms > LONGEST_TIMER_MS ? 1 : ms),
    clearTimeout: (handle) => {
      clock.clearTimeout(handle);
    },
  };
}
