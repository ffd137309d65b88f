import { expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentView } from '../../src/contracts/agents/agent-view.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { Processor } from '../../src/contracts/conversations/processor.ts';
import type { ToolContext } from '../../src/contracts/tools/tool.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { echo, letTimePass, ofType, settled, start } from '../support/runs.ts';

/** Keeps what a tool is handed, and then does with it what it is told to. */
const looking = (use: (context: ToolContext) => unknown) =>
  tool({
    name: 'look',
    description: 'Looks around.',
    input: z.object({}),
    execute: (_, context) => use(context),
  });

const looks = calls({ name: 'look', input: {} });

/** What somebody who writes JavaScript may hand over. */
const fromJavaScript = (options: unknown): RunOptions => options as RunOptions;

test('[QITOS-06] an agent sees where its run stands, and time that passes by the clock of the run', async () => {
  const clock = virtualClock(1_000);
  const seen: Pick<AgentView, 'step' | 'input' | 'state' | 'observation' | 'tally' | 'context'>[] = [];
  const one = agent({
    name: 'a',
    tools: [echo],
    state: { mood: 'calm' },
    memory: windowMemory(),
    observe: () => 'rain',
    decide: async ({ step, input, state, observation, tally, context, transcript, results, memory }) => {
      seen.push({ step, input, state, observation, tally, context });
      expect(memory).toMatchObject({ isEnabled: true, query: expect.stringContaining('go') });
      expect(z.json().safeParse(seen.at(-1)).error).toBeUndefined();
      expect([transcript.at(0)?.text, results.length]).toEqual(['go', step]);
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, 2_000));
      return step === 0 ? act({ name: 'echo', input: { text: 'x' } }) : answer('there');
    },
  });
  const handle = start(one, 'go', { clock, context: { tenant: 7 } });
  await letTimePass(clock, settled(handle));
  const same = { input: 'go', state: { mood: 'calm' }, observation: 'rain', context: { tenant: 7 } };
  expect(seen).toMatchObject([
    { ...same, step: 0, tally: { startedAt: 1_000, now: 1_000, toolCalls: 0 } },
    { ...same, step: 1, tally: { startedAt: 1_000, now: 3_000, toolCalls: 1 } },
  ]);
});

test('[QITOS-45] a tool gets the operations of its environment, a signal, and the state as it is, which it cannot change', async () => {
  const given: unknown[] = [];
  const look = looking(async ({ state, signal, ops, step, agent: name }) => {
    given.push({ state: structuredClone(state), name, step, isAborted: signal.aborted });
    given.push((await ops?.files?.read('a.txt'))?.text);
    (state as { seen: number[] }).seen.push(2);
  });
  const one = agent({
    name: 'a',
    tools: [look],
    environment: () => memoryEnvironment({ files: { 'a.txt': 'from the world' } }),
    state: { seen: [1] },
    model: scriptedModel([looks, 'there']),
  });
  const { state, records } = await settled(start(one, 'go'));
  expect(given).toEqual([{ state: { seen: [1] }, name: 'a', step: 0, isAborted: false }, 'from the world']);
  expect(records[0]?.results[0]).toMatchObject({ ok: false, kind: 'execution' });
  expect(state).toEqual({ seen: [1] });
});

test('[KAIZEN-14] one id and one clock for all that a run is told by: events, records, tools, keys of effects', async () => {
  const ids = new Set<string>();
  const look = looking(({ runId }) => void ids.add(runId));
  const run = async () => {
    const one = agent({ name: 'a', tools: [look], model: scriptedModel([looks, 'there']) });
    const result = await settled(start(one, 'go', { clock: virtualClock(9) }));
    for (const { runId, at } of result.events) expect([runId, at]).toEqual([result.runId, 9]);
    for (const { startedAt, endedAt } of result.records) expect([startedAt, endedAt]).toEqual([9, 9]);
    for (const { key } of result.effects) expect(key.startsWith(`${result.runId}/a#`)).toBe(true);
    return result.runId;
  };
  const both = [await run(), await run()];
  expect([...ids]).toEqual(both);
  expect(new Set(both).size).toBe(2);
  expect(both[0]).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
});

test.each([
  ['of a role that there is not', { role: 'robot', text: 'x' }],
  ['of a tool without its name', { role: 'tool', callId: 'c', text: 'x' }],
  ['of a tool whose name is empty', { role: 'tool', tool: '', callId: 'c', text: 'x' }],
  ['of a tool without its call', { role: 'tool', tool: 'look', text: 'x' }],
  ['without a text', { role: 'user' }],
  ['that is nothing', null],
])('[DODO-24] an earlier turn %s ends the run before its first step', async (_, turn) => {
  const model = scriptedModel([]);
  const history = [{ role: 'user', text: 'before' }, turn];
  const options = fromJavaScript({ history });
  const result = await settled(start(agent({ name: 'a', model }), 'go', options));
  expect(result).toMatchObject({ status: 'failed', error: { code: 'input.invalid' } });
  expect(result.error?.message).toMatch(/turn 2 of its history/);
  expect(model.requests).toEqual([]);
});

test('[DODO-24] earlier turns of each role that there is are taken as they are', async () => {
  const model = scriptedModel(['there']);
  const history = [
    { role: 'user', text: 'before' },
    { role: 'assistant', text: '', calls: [{ id: 'c', name: 'look', input: {} }] },
    { role: 'tool', tool: 'look', callId: 'c', text: 'seen' },
  ];
  const one = agent({ name: 'a', model });
  const { status } = await settled(start(one, 'go', fromJavaScript({ history })));
  expect(status).toBe('completed');
  expect(model.requests[0]?.messages.slice(0, 3)).toEqual(history);
});

test.each([
  ['of a role that there is not', { role: 'robot', text: 'x' }, 'has an unknown role: robot'],
  [
    'of a tool without its name',
    { role: 'tool', callId: 'c', text: 'x' },
    'is a tool result without a name or a call',
  ],
] as const)(
  '[FIND-33] [DODO-24] a turn %s that a processor makes reaches no model',
  async (_, turn, reason) => {
    const model = scriptedModel(['there']);
    const strange: Processor = {
      name: 'strange',
      *project(blocks) {
        // What somebody who writes JavaScript may make.
        yield { turns: [turn as Turn], index: 1, isPinned: false };
        yield* blocks;
      },
    };
    const one = agent({ name: 'a', model, conversation: { compaction: { processors: [strange] } } });
    const result = await settled(start(one, 'go'));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'agent.threw' } });
    expect(result.error?.message).toContain(`a turn that the processor 'strange' made ${reason}`);
    expect(model.requests).toEqual([]);
  },
);

test('[TENEX-U8] a message during ACT is there at the next decision, exactly once', async () => {
  const look = looking(() => void handle.send('be quick'));
  const model = scriptedModel([looks, calls({ name: 'echo', input: { text: 'x' } }), 'there']);
  const handle = start(agent({ name: 'a', tools: [look, echo], model }), 'go');
  const { events } = await settled(handle);
  const heard = model.requests.map(
    ({ messages }) => messages.filter(({ text }) => text === 'be quick').length,
  );
  expect(heard).toEqual([0, 1, 1]);
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', text: 'be quick' });
  expect(ofType(events, 'agent.observed').map(({ messages }) => messages)).toEqual([0, 1, 0]);
});
