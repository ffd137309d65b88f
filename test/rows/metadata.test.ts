import { describe, expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { agentRegistry } from '../../src/runtime/define/agent-registry.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, never, settled, start } from '../support/runs.ts';

const looks = (text: string) => calls({ name: 'echo', input: { text } });

test('[KAIZEN-05] a result has an output if it completed, an error if it failed, and neither where it was stopped', async () => {
  const critics = [{ name: 'c', critique: () => ({ verdict: 'stop', note: 'no' }) as const }];
  const ends = {
    completed: agent({ name: 'a', decide: () => answer('x') }),
    stopped: agent({ name: 'a', model: scriptedModel([looks('a')]), tools: [echo], stop: maxSteps(1) }),
    rejected: agent({ name: 'a', decide: () => answer('x'), critics }),
    failed: agent({ name: 'a', model: scriptedModel([new Error('dark')]) }),
  };
  const found: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(ends)) {
    const { status, output, error } = await settled(start(each, 'go'));
    found[name] = [status, output !== undefined, error !== undefined];
  }
  const handle = start(agent({ name: 'a', decide: () => never() }), 'go');
  handle.abort('enough');
  const aborted = await settled(handle);
  expect([aborted.status, aborted.output, aborted.stopReason]).toEqual([
    'aborted',
    undefined,
    { kind: 'aborted', reason: 'enough' },
  ]);
  expect(found).toEqual({
    completed: ['completed', true, false],
    stopped: ['stopped', false, false],
    rejected: ['stopped', false, false],
    failed: ['failed', false, true],
  });
});

test('[KAIZEN-06] what a run used is exactly what its models said, and how long it took what its clock says', async () => {
  const clock = virtualClock();
  const model = scriptedModel([
    { ...looks('a'), usage: { input: 11, output: 7, cached: 3 } },
    async () => {
      await clock.advance(250);
      return { text: 'done', usage: { input: 30, output: 5, cached: 10 } };
    },
  ]);
  const one = agent({ name: 'a', model, tools: [echo] });
  const { totals } = await settled(start(one, 'go', { clock }));
  expect(totals).toMatchObject({
    steps: 2,
    modelCalls: 2,
    toolCalls: 1,
    inputTokens: 41,
    outputTokens: 12,
    cachedTokens: 13,
    retries: 0,
    durationMs: 250,
  });
});

test('[QITOS-10] the second request holds both turns of the first: question, call, result', async () => {
  const model = scriptedModel([looks('a'), looks('b'), 'done']);
  await settled(start(agent({ name: 'a', model, tools: [echo] }), 'go'));
  const shown = model.requests.map(({ messages }) => [...messages].map(({ role, text }) => [role, text]));
  expect(shown[1]).toEqual([...(shown[0] ?? []), ['assistant', ''], ['tool', 'a']]);
  expect(shown[2]).toEqual([...(shown[1] ?? []), ['assistant', ''], ['tool', 'b']]);
});

test('[KAIZEN-20] a run whose model takes no time takes far less than 200 ms, at the 95th percentile', async () => {
  const one = agent({ name: 'a', tools: [echo], model: { ...scriptedModel([]), answer: () => forever() } });
  let step = 0;
  const forever = () => {
    step += 1;
    const wants = step % 2 === 1;
    return {
      text: wants ? '' : 'done',
      calls: wants ? [{ id: 'x', name: 'echo', input: { text: 'a' } }] : [],
      finish: wants ? ('tool-calls' as const) : ('stop' as const),
      usage: { input: 1, output: 1 },
    };
  };
  const took: number[] = [];
  for (let run = 0; run < 40; run += 1) {
    // Of the processor, as others may have the machine meanwhile; nothing in it waits.
    const before = process.cpuUsage();
    expect((await one.run('go')).output).toBe('done');
    const { user, system } = process.cpuUsage(before);
    took.push((user + system) / 1_000);
  }
  expect(took.toSorted((a, b) => a - b)[37]).toBeLessThan(200);
});

describe('a registry of agents', () => {
  const made = () => {
    const agents = agentRegistry();
    const oracle = agents.create({
      name: 'oracle',
      description: 'Knows.',
      model: scriptedModel(['{"answer": "42", "confidence": 1}']),
      input: 'question: string -> answer: string, confidence: number',
    });
    return { agents, oracle };
  };

  test('[KAIZEN-10] holds agents by name, defined by options or by a signature, and teams', async () => {
    const { agents, oracle } = made();
    const plain = agents.add(agent({ name: 'plain', decide: () => answer('x') }));
    agents.add(pipeline({ name: 'line', stages: [plain] }));
    expect(agents.list()).toEqual([
      { name: 'oracle', description: 'Knows.' },
      { name: 'plain', description: '' },
      { name: 'line', description: expect.any(String) },
    ]);
    expect(agents.get('plain')).toBe(plain);
    expect(agents.get('nobody')).toBeUndefined();
    const { output } = await oracle.run({ question: 'why?' });
    expect(output?.confidence.toFixed(0)).toBe('1');
    expect((await agents.get('line')?.run('go'))?.output).toBe('x');
  });

  test('[KAIZEN-10] a name that is taken is an error; removed, it is free again', () => {
    const { agents } = made();
    expect(() => agents.create({ name: 'oracle' })).toThrow(
      expect.objectContaining({ code: 'agent.duplicate', message: expect.stringContaining("'oracle'") }),
    );
    expect([agents.remove('oracle'), agents.remove('oracle'), agents.get('oracle')]).toEqual([
      true,
      false,
      undefined,
    ]);
    expect(agents.create({ name: 'oracle' }).name).toBe('oracle');
    expect(agentRegistry().list()).toEqual([]);
  });

  test('what is no input of an agent is refused when it runs', async () => {
    const { agents } = made();
    await expect(agents.get('oracle')?.run(5)).rejects.toMatchObject({ code: 'input.invalid' });
  });
});
