import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { planned } from '../../src/tools/built-in/plan/plan-gate.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { intercepted } from '../../src/tools/wrappers/interceptors.ts';
import { pipeTools } from '../../src/tools/wrappers/pipe-tools.ts';
import { echo, ofType } from '../support/runs.ts';

/** Runs with a store and without one, says that they mean the same, and gives the result. */
const both = async (make: () => Agent) => {
  const result = await make().run('go');
  expect(compareRuns(result, await make().run('go', { store: memoryStore() }))).toEqual([]);
  return result;
};

const scripted = (options: Parameters<typeof agent>[0], ...script: readonly ScriptedReply[]) =>
  agent({ ...options, model: scriptedModel(script, options.name) }) as Agent;

const write = tool({
  name: 'write',
  description: 'Writes.',
  input: z.object({}),
  safety: 'write',
  execute: () => 'written',
});

const steps = (...titles: readonly string[]) => titles.map((title) => ({ title }));

describe('control tools mean the same with a store and without one', () => {
  test('[DODO-55] a plan lives in the state, as plain JSON, and opens the gate', async () => {
    const { state, records } = await both(() =>
      scripted(
        { name: 'coder', ...planned({ tools: [write, echo], state: { mine: 1 } }) },
        calls({ name: 'write', input: {} }, { name: 'echo', input: { text: 'x' } }),
        calls({ name: 'plan', input: { steps: steps('look', 'write'), risks: [] } }),
        calls({ name: 'plan', input: { steps: steps('look', 'write', 'test') } }),
        calls({ name: 'write', input: {} }),
        'done',
      ),
    );
    expect(records.map(({ results }) => results.map(({ ok }) => ok))).toEqual([
      [false, true],
      [false],
      [true],
      [true],
      [],
    ]);
    expect(state).toEqual(JSON.parse(JSON.stringify(state)));
    expect(state).toMatchObject({ mine: 1, plan: { revision: 1, cursor: 0 } });
  });

  test('[TENEX-46] complete ends the part of a member, once, and its answer comes to the one who leads', async () => {
    const result = await both(() => {
      const worker = scripted(
        { name: 'worker', tools: [complete] },
        calls({ name: 'complete', input: { answer: 'four', summary: 'added' } }),
      );
      return scripted(
        { name: 'lead', tools: [delegate({ to: [worker] })] },
        calls({ name: 'delegate', input: { to: 'worker', task: '2 + 2' } }),
        'It is four.',
      );
    });
    expect(result.records[0]?.results[0]).toMatchObject({
      ok: true,
      value: { status: 'success', output: 'four' },
    });
    expect(ofType(result.events, 'member.ended')).toHaveLength(1);
  });

  test('[QITOS-93] nobody is delegated to who waits for the answer', async () => {
    const make = () => {
      // The very name that leads: whoever it is, it would be a circle.
      const again = scripted({ name: 'lead' });
      const worker = scripted(
        { name: 'worker', tools: [delegate({ to: [again] })] },
        calls({ name: 'delegate', input: { to: 'lead', task: 'you do it' } }),
        'did it myself',
      );
      return scripted(
        { name: 'lead', tools: [delegate({ to: [worker] })] },
        calls({ name: 'delegate', input: { to: 'worker', task: 'x' } }),
        'thanks',
      );
    };
    const { output, events } = await both(make);
    expect(output).toBe('thanks');
    const refused = ofType(events, 'tool.finished').filter(({ ok }) => !ok);
    expect(refused).toMatchObject([{ agent: 'worker', error: { code: 'tool.denied' } }]);
    expect(refused[0]?.text).toContain("'lead' waits for this very work");
  });

  test('[QITOS-102] interceptors stand around calls in order, and what they do is seen by the model', async () => {
    const order: string[] = [];
    const watching = (name: string) => ({
      name,
      before: () => void order.push(`before ${name}`),
      after: () => void order.push(`after ${name}`),
    });
    const rewriting = {
      name: 'rewriting',
      after: () => ({ ok: true, value: 'rewritten' }) as const,
    };
    const { records } = await both(() => {
      order.length = 0;
      const tools = [intercepted(echo, [watching('a'), watching('b'), rewriting])];
      return scripted({ name: 'a', tools }, calls({ name: 'echo', input: { text: 'x' } }), 'done');
    });
    expect(order).toEqual(['before a', 'before b', 'after b', 'after a']);
    expect(records[0]?.results[0]).toMatchObject({ ok: true, text: 'rewritten' });
  });

  test('[TENEX-95] a pipe of tools is one call, and one that breaks between is a result', async () => {
    const double = tool({
      name: 'double',
      description: 'Doubles.',
      input: z.object({ n: z.number() }),
      output: z.object({ n: z.number().max(10) }),
      execute: ({ n }) => ({ n: n * 2 }),
    });
    const fourfold = pipeTools({ name: 'fourfold', description: 'Twice.' }, double, double);
    const call = (n: number) => ({ name: 'fourfold', input: { n } });
    const { records, totals } = await both(() =>
      scripted({ name: 'a', tools: [fourfold] }, calls(call(1), call(4)), 'done'),
    );
    expect(records[0]?.results).toMatchObject([
      { ok: true, value: { n: 4 } },
      { ok: false, kind: 'execution' },
    ]);
    expect(totals.toolCalls).toBe(2);
  });
});
