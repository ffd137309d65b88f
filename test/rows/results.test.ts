import { expect, test } from 'vitest';
import { z } from 'zod';
import { answer } from '../../src/contracts/agents/decision.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { flavours } from '../runtime/engine-kit.ts';
import { echo, settled, start } from '../support/runs.ts';

const looks = calls({ name: 'echo', input: { text: 'seen' } });

test('[QITOS-63] a run gives back its state, records, events, steps, and all that it used', async () => {
  const clock = virtualClock(5);
  const drawing = { name: 'plan', mediaType: 'text/plain', content: 'o-o' };
  const draw = tool({
    name: 'draw',
    description: 'Draws.',
    input: z.object({}),
    execute: () => dual({ text: 'drawn', artifacts: [drawing] }),
  });
  const one = agent({
    name: 'a',
    tools: [draw],
    state: { drawn: 0 },
    reduce: ({ state, results }) => ({ drawn: state.drawn + results.length }),
    model: scriptedModel([calls({ name: 'draw', input: {} }), 'there']),
  });
  const result = await settled(start(one, 'go', { clock, runId: 'run-7' }));
  expect(Object.keys(result).toSorted()).toEqual([
    'artifacts',
    'candidate',
    'effects',
    'error',
    'events',
    'output',
    'records',
    'runId',
    'state',
    'status',
    'stopReason',
    'totals',
    'transcript',
  ]);
  expect(result).toMatchObject({
    runId: 'run-7',
    status: 'completed',
    stopReason: { kind: 'answered' },
    output: 'there',
    candidate: undefined,
    error: undefined,
    state: { drawn: 1 },
    records: [{ step: 0 }, { step: 1 }],
    artifacts: [drawing],
    totals: { steps: 2, modelCalls: 2, toolCalls: 1, retries: 0, durationMs: 0 },
  });
  expect(result.events.map(({ seq }) => seq)).toEqual(result.events.map((_, index) => index));
  expect(result.effects.map(({ port, state }) => `${port} ${state}`)).toEqual([
    'prepare answered',
    'decide answered',
    'act answered',
    'decide answered',
  ]);
});

test('[QITOS-66] the answer is one word away, and what a limit ended has all the rest without one', async () => {
  const one = agent({ name: 'a', tools: [echo], model: scriptedModel([looks, 'there']) });
  const { output } = await settled(start(one, 'go'));
  expect(output).toBe('there');
  const cut = agent({ name: 'a', tools: [echo], model: scriptedModel([looks]), stop: maxSteps(1) });
  const ended = await settled(start(cut, 'go'));
  expect(ended.output).toBeUndefined();
  expect(ended).toMatchObject({ status: 'stopped', records: [{ results: [{ text: 'seen' }] }] });
});

test('[QITOS-68] only a state to start from and a way to update it: the model does the rest', async () => {
  const one = agent({
    name: 'a',
    state: { steps: 0 },
    reduce: ({ state }) => ({ steps: state.steps + 1 }),
  });
  const model = scriptedModel(['there']);
  const { output, state, totals } = await settled(start(one, 'go', { model }));
  expect(output).toBe('there');
  expect(state).toEqual({ steps: 1 });
  expect(totals.modelCalls).toBe(1);
  expect(model.requests[0]).toMatchObject({ instructions: '', tools: [], messages: [{ text: 'go' }] });
});

test('[TENEX-12] two runs of one agent at once: a context for each, and nothing of one in the other', async () => {
  const seen: { context: unknown; runId: string; said: string }[] = [];
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    execute: async (_, { context, runId, state }) => {
      await Promise.resolve();
      seen.push({ context, runId, said: JSON.stringify(state) });
      return 'seen';
    },
  });
  const one = agent({
    name: 'a',
    tools: [look],
    state: { said: '' },
    reduce: ({ state }) => ({ said: `${state.said}.` }),
    decide: ({ step, transcript }) =>
      step < 2 ? { kind: 'act', calls: [{ name: 'look', input: {} }] } : answer(transcript.length),
  });
  const contexts = [{ tenant: 'a' }, { tenant: 'b' }];
  const results = await Promise.all(
    contexts.map((context, index) => settled(start(one, `go ${index}`, { context, runId: `run-${index}` }))),
  );
  for (const [index, context] of contexts.entries()) {
    const own = seen.filter((each) => each.context === context);
    expect(own.map(({ runId }) => runId)).toEqual([`run-${index}`, `run-${index}`]);
    expect(own.map(({ said }) => said)).toEqual(['{"said":""}', '{"said":"."}']);
  }
  const [first, second] = results;
  expect(first?.output).toBe(second?.output);
  expect(first?.state).toEqual({ said: '...' });
  expect(first?.state).not.toBe(second?.state);
  expect(first?.events.every(({ runId }) => runId === 'run-0')).toBe(true);
});

test('[QITOS-101] after k steps the state is that of a free run after k', async () => {
  const make = (steps: number) =>
    agent({
      name: 'a',
      tools: [echo],
      stop: maxSteps(steps),
      state: { sum: 1 },
      reduce: ({ state, step }) => ({ sum: state.sum * 3 + step }),
      model: scriptedModel(Array.from({ length: steps }, () => looks)),
    });
  const handle = start(make(9), 'go', { paused: true });
  for (let k = 1; k <= 4; k += 1) {
    const sums: unknown[] = [];
    await handle.step();
    handle.events$.subscribe((event) => {
      if (event.type === 'agent.reduced') sums.push(event.diff['sum']?.after);
    });
    const free = await settled(start(make(k), 'go'));
    expect(sums).toHaveLength(k);
    expect({ sum: sums.at(-1) }).toEqual(free.state);
  }
  handle.abort();
  await settled(handle);
});

test('[KAIZEN-01] one call gives the answer; what else the agent needs goes in beside the question', async () => {
  const model = scriptedModel(['{"answer":"forty-two"}']);
  const reader = agent({
    name: 'reader',
    input: z.object({ question: z.string(), document: z.string() }),
    output: z.object({ answer: z.string() }),
    model,
  });
  const result = await reader.run({ question: 'How many?', document: 'There are forty-two.' });
  expect(result.output?.answer).toBe('forty-two');
  const [asked] = model.requests[0]?.messages ?? [];
  expect(asked?.text).toContain('How many?');
  expect(asked?.text).toContain('There are forty-two.');
});

test.each(flavours)(
  '[QITOS-67] an engine of one’s own choice runs the same agent twice: $kind',
  async ({ make }) => {
    const one = agent({
      name: 'a',
      state: { runs: 0 },
      reduce: ({ state }) => ({ runs: state.runs + 1 }),
      decide: ({ input }) => answer(`${JSON.stringify(input)}!`),
    });
    // A disposable engine is for one run: two runs need two.
    const first = make();
    const second = first.kind === 'disposable' ? make() : first;
    const results = [await first.execute(one, 'one'), await second.execute(one, 'two')];
    await first.shutdown();
    await second.shutdown();
    expect(results.map(({ output }) => output)).toEqual(['"one"!', '"two"!']);
    expect(results.map(({ state }) => state)).toEqual([{ runs: 1 }, { runs: 1 }]);
    expect(new Set(results.map(({ runId }) => runId)).size).toBe(2);
  },
);

test('a run that fails rejects with an error whose result says how far it came, and that prints no more than it did', async () => {
  const breaks = agent({
    name: 'a',
    tools: [echo],
    decide: ({ step }) => {
      if (step === 1) throw new Error('out of paper');
      return { kind: 'act', calls: [{ name: 'echo', input: { text: 'seen' } }] };
    },
  });
  const error: unknown = await breaks.run('go').catch((thrown: unknown) => thrown);
  if (!isTroupeError(error, 'agent.threw')) throw error;
  expect(error.result).toMatchObject({
    status: 'failed',
    error: { code: 'agent.threw' },
    totals: { toolCalls: 1 },
  });
  expect(error.result?.records[0]?.results).toMatchObject([{ ok: true, text: 'seen' }]);
  expect(error.result?.events.at(-1)).toMatchObject({ type: 'run.ended', status: 'failed' });
  expect(Object.keys(error)).not.toContain('result');
  const refused: unknown = await Promise.resolve()
    .then(() => Reflect.apply(agent, undefined, [{ name: ' ' }]) as unknown)
    .catch((thrown: unknown) => thrown);
  expect(isTroupeError(refused) && 'result' in refused).toBe(false);
});
