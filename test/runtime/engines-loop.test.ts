import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentView } from '../../src/contracts/agents/agent-view.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { Decision } from '../../src/contracts/agents/decision.ts';
import type { ToolExecutor } from '../../src/contracts/tools/executor.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';

const double = tool({
  name: 'double',
  description: 'Doubles a number.',
  input: z.object({ value: z.number() }),
  execute: ({ value }) => value * 2,
});

const broken = tool({
  name: 'broken',
  description: 'Never works.',
  input: z.object({}),
  retry: false,
  execute: () => {
    throw new Error('no paper');
  },
});

/** The loop of one run as an engine carries it: strategies are what an agent is made of. */
describe('the loop that an engine drives', () => {
  it('[ENG-02] runs without memory, safety, events or a planner of its own', async () => {
    const plain = agent({ name: 'plain', model: scriptedModel(['done']) });
    expect((await createGlobalEngine().execute(plain, 'go')).status).toBe('completed');
  });

  it('[ENG-02] takes a conversation that has already begun', async () => {
    const model = scriptedModel(['Oslo']);
    const history = [
      { role: 'user', text: 'Remember Norway.' },
      { role: 'assistant', text: 'I will.' },
    ] as const;
    await createGlobalEngine().execute(agent({ name: 'guide', model }), 'Its capital?', { history });
    expect(model.requests[0]?.messages).toMatchObject([...history, { role: 'user', text: 'Its capital?' }]);
  });

  it('[ENG-06] shows the planner everything up to this step, and nothing later', async () => {
    const seen: { step: number; told: string[]; state: unknown }[] = [];
    const plan = ({ step, transcript, state }: AgentView<{ sum: number }>): Decision => {
      const told = [...transcript].flatMap((turn) => (turn.role === 'tool' ? [turn.text] : []));
      seen.push({ step, told, state });
      return step < 2 ? act({ name: 'double', input: { value: step + 1 } }) : answer('done');
    };
    const planner = agent({ name: 'planner', tools: [double], state: { sum: 0 }, decide: plan });
    await createGlobalEngine().execute(planner, 'go');
    expect(seen).toEqual([
      { step: 0, told: [], state: { sum: 0 } },
      { step: 1, told: ['2'], state: { sum: 0 } },
      { step: 2, told: ['2', '4'], state: { sum: 0 } },
    ]);
  });

  it('[ENG-07] tells the next decision of a tool that failed, and goes on', async () => {
    const model = scriptedModel([calls({ name: 'broken', input: {} }), 'I could not print it.']);
    const printer = agent({ name: 'printer', tools: [broken], model });
    const { status, output } = await createGlobalEngine().execute(printer, 'print');
    expect([status, output]).toEqual(['completed', 'I could not print it.']);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', failed: true });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('no paper');
  });

  it('[ENG-08] updates transcript and state, then tells of it, before the next decision', async () => {
    const order: string[] = [];
    const steps = agent({
      name: 'steps',
      tools: [double],
      state: { calls: 0 },
      reduce: ({ state, results }) => {
        order.push(`scratchpad of step: ${results.length} result`);
        return { calls: state.calls + results.length };
      },
      decide: ({ step, transcript, state }) => {
        order.push(`decide ${step}: ${transcript.length} turns, ${JSON.stringify(state)}`);
        return step === 0 ? act({ name: 'double', input: { value: 1 } }) : answer('done');
      },
      hooks: [
        { name: 'telemetry', on: 'agent.reduced', handle: () => void order.push('told: reduced') },
        { name: 'records', on: 'step.ended', handle: () => void order.push('told: step ended') },
      ],
    });
    await createGlobalEngine().execute(steps, 'go');
    expect(order.slice(0, 5)).toEqual([
      'decide 0: 1 turns, {"calls":0}',
      'scratchpad of step: 1 result',
      'told: reduced',
      'told: step ended',
      'decide 1: 3 turns, {"calls":1}',
    ]);
  });

  it('[ENG-09] ends when the planner says so: no tool call, and the answer is given', async () => {
    const sure = agent({ name: 'sure', tools: [double], decide: () => answer('at once') });
    const { output, totals, stopReason } = await createGlobalEngine().execute(sure, 'go');
    expect(output).toBe('at once');
    expect(totals.toolCalls).toBe(0);
    expect(stopReason).toEqual({ kind: 'answered' });
  });

  it('[ENG-12] swaps planner and executor by passing others', async () => {
    const eager = ({ step }: AgentView): Decision =>
      step === 0 ? act({ name: 'double', input: { value: 21 } }) : answer('acted');
    const lazy = (): Decision => answer('did not');
    const halve = tool({ ...doubleOptions, execute: ({ value }) => value / 2 });
    const trace = async (decide: (view: AgentView) => Decision, tools = [double]) => {
      const { events, output } = await createGlobalEngine().execute(
        agent({ name: 'worker', tools, decide }),
        'go',
      );
      const told = events.flatMap((event) => (event.type === 'tool.finished' ? [event.text] : []));
      return [output, ...told];
    };
    expect(await trace(eager)).toEqual(['acted', '42']);
    expect(await trace(lazy)).toEqual(['did not']);
    expect(await trace(eager, [halve])).toEqual(['acted', '10.5']);
  });

  it.each(['run', 'engine'])(
    '[FIND-33] [ENG-12] takes a tool executor as a strategy: of the %s, for every call, members’ too',
    async (whose) => {
      const executed: string[] = [];
      const executor: ToolExecutor = async ({ tool: name, facts, input, context, run }) => {
        executed.push(`${context.path} ${name} ${facts.safety} ${JSON.stringify(input)}`);
        return name === 'double' ? `sandboxed ${String(await run({ value: 4 }))}` : run();
      };
      const options = { executor, runId: 'r' };
      const engine = createGlobalEngine(whose === 'engine' ? { executor } : {});
      const worker = agent({
        name: 'worker',
        tools: [double],
        decide: ({ step, results: [result] }) =>
          step === 0 ? act({ name: 'double', input: { value: 21 } }) : answer(result?.text ?? ''),
      });
      const team = pipeline({ name: 'line', stages: [worker] });
      const { output } = await engine.execute(team, 'go', whose === 'run' ? options : { runId: 'r' });
      expect(output).toBe('sandboxed 8');
      expect(executed).toEqual(['line/worker-1 double read {"value":21}']);
    },
  );

  it('[FIND-33] [ENG-12] an executor that throws or never settles fails the call, and no more', async () => {
    const resultOf = async (executor: ToolExecutor) => {
      const worker = agent({
        name: 'worker',
        tools: [tool({ ...doubleOptions, timeoutMs: 5, execute: ({ value }) => value * 2 })],
        decide: ({ step, results: [result] }) =>
          step === 0 ? act({ name: 'double', input: { value: 1 } }) : answer(result?.text ?? ''),
      });
      return (await createGlobalEngine().execute(worker, 'go', { executor })).output;
    };
    const thrown = await resultOf(() => {
      throw new Error('no sandbox');
    });
    expect(thrown).toContain('no sandbox');
    expect(await resultOf(() => new Promise(() => undefined))).toContain('time-out');
  });
});

const doubleOptions = {
  name: 'double',
  description: 'Halves a number, whatever its name.',
  input: z.object({ value: z.number() }),
};
