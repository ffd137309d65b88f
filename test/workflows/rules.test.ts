import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { changeWorkflow, toWorkflow, toWorkflowNode, workflow } from '../../src/patterns/index.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, never, ofType, phasesOf, quiet, settled, start } from '../support/runs.ts';

const says = (name: string): Agent<string, string> =>
  agent({ name, decide: ({ input }) => answer(`${name}(${typeof input === 'string' ? input : ''})`) });

/** Fails so often, then says how often it was asked. */
const fails = (times: number, error: () => Error = () => new Error('down')) => {
  let asked = 0;
  return (): string => {
    asked += 1;
    if (asked <= times) throw error();
    return `asked ${asked} times`;
  };
};

const notes = (events: Parameters<typeof ofType>[0]): readonly string[] =>
  ofType(events, 'team.noted').map(({ text }) => text);

const run = async <Output, State>(flow: Agent<string, Output, State>, stepMs = 500) => {
  const clock = virtualClock(1_000);
  const handle = start(flow, 'go', { clock });
  const found = await letTimePass(clock, settled(handle), stepMs);
  expect(clock.pending, 'timers that nobody waits for').toBe(0);
  return found;
};

describe('[KAIZEN-83] retry', () => {
  test('two tries more, each at an address of its own and after a wait', async () => {
    const flow = workflow({ name: 'flow' }).node('a', fails(2)).output('a').build();
    const result = await run(flow);
    expect(result.output).toBe('asked 3 times');
    expect(phasesOf(result.events, 'flow').filter((phase) => phase.startsWith('a.'))).toEqual([
      'a.pending',
      'a.ready',
      'a.running',
      'a.waiting',
      'a.ready',
      'a.running',
      'a.waiting',
      'a.ready',
      'a.running',
      'a.completed',
    ]);
    expect(ofType(result.events, 'child.restarted')).toMatchObject([
      { child: 'flow/a-2', of: 'flow/a-1', restarts: 1 },
      { child: 'flow/a-3', of: 'flow/a-2', restarts: 2 },
    ]);
  });

  test('then it fails, and a strict workflow with it: with its error, and what the others left', async () => {
    const flow = workflow({ name: 'flow' })
      .node('a', says('ada'))
      .node('b', fails(9), { after: 'a' })
      .node('c', says('carl'), { after: 'a' })
      .build();
    const result = await run(flow);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'agent.threw' },
      candidate: { a: 'ada(go)', b: null, c: 'carl(ada(go))' },
    });
    expect(result.state.nodes.b).toMatchObject({ status: 'failed', tries: 3 });
  });

  test('what no try can mend is not tried again', async () => {
    const fatal = () => new TroupeError('model.auth', 'Cannot answer as the key is wrong');
    const flow = workflow({ name: 'flow' }).node('a', fails(1, fatal)).build();
    const result = await run(flow);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model.auth' } });
    expect(result.state.nodes.a.tries).toBe(1);
  });

  test('one item of a list is tried again, the others are not done twice', async () => {
    const once = fails(1);
    const flow = workflow({ name: 'flow' })
      .map('each', (item: string) => (item === 'bad' ? once() : item), { over: ['x', 'bad', 'y'] })
      .output('each')
      .build();
    const result = await run(flow);
    expect(result.output).toEqual(['x', 'asked 2 times', 'y']);
    expect(result.state.nodes.each.tries).toBe(4);
  });

  test('a member that takes too long is stopped, and tried again', async () => {
    let asked = 0;
    const slow = () => {
      asked += 1;
      return asked === 1 ? never<string>() : 'at last';
    };
    const flow = workflow({ name: 'flow' }).node('a', slow, { timeMs: 5_000 }).output('a').build();
    const result = await run(flow);
    expect(result.output).toBe('at last');
    expect(ofType(result.events, 'member.ended')).toMatchObject([
      { status: 'failed', error: { code: 'member.timed-out' } },
      { status: 'completed' },
    ]);
    const late = workflow({ name: 'flow' })
      .node('a', () => never<string>(), { timeMs: 5_000, retry: 0 })
      .build();
    expect((await run(late)).error).toMatchObject({ code: 'member.timed-out' });
  });

  test('held instead: released it has all its tries again, and nobody who comes is too late', async () => {
    const flow = workflow({ name: 'flow' })
      .node('a', fails(2), { retry: 1, exhausted: 'hold' })
      .node('b', says('bob'), { after: 'a' })
      .output('b')
      .build();
    const clock = virtualClock(1_000);
    const handle = start(flow, 'go', { clock });
    const result = settled(handle);
    await clock.advance(60_000);
    await quiet();
    handle.send(changeWorkflow.release('a'));
    expect((await letTimePass(clock, result, 100)).output).toBe('bob(asked 3 times)');
  });

  test('held, and nobody comes: it has failed after 300 s', async () => {
    const flow = workflow({ name: 'flow' }).node('a', says('ada'), { held: true }).build();
    const result = await run(flow, 50_000);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'workflow.failed' } });
    expect(result.error?.message).toContain('300000 ms');
    expect(result.totals.durationMs).toBeGreaterThanOrEqual(300_000);
  });
});

describe('[KAIZEN-83] optional', () => {
  test('its failure is flagged, and what comes after it goes on with null', async () => {
    const flow = workflow({ name: 'flow' })
      .node('a', fails(9), { retry: 0, optional: true })
      .node('b', (given: unknown) => ({ given }), { after: 'a' })
      .output('b')
      .build();
    const result = await run(flow);
    expect(result.output).toEqual({ given: null });
    expect(result.state.nodes.a).toMatchObject({ status: 'failed', isFlagged: true });
    expect(notes(result.events)).toEqual([expect.stringMatching(/^'a' failed, and is optional: /)]);
  });

  test('or what comes after it is skipped', async () => {
    const flow = workflow({ name: 'flow' })
      .node('a', fails(9), { retry: 0, optional: 'skip' })
      .node('b', says('bob'), { after: 'a' })
      .node('c', says('carl'))
      .build();
    const result = await run(flow);
    expect(result).toMatchObject({ status: 'completed', output: { a: null, b: null, c: 'carl(go)' } });
    expect(result.state.nodes.b).toMatchObject({ status: 'skipped', reason: "'a' before it failed" });
  });
});

describe('[KAIZEN-30] strict or partial', () => {
  const flow = (mode: 'strict' | 'partial') =>
    workflow({ name: 'flow', mode })
      .node('a', fails(9), { retry: 0 })
      .node('b', says('bob'), { after: 'a' })
      .node('c', says('carl'), { after: 'b' })
      .node('d', async (given: string) => (await quiet(), given))
      .build();

  test('strict: the first failure ends it, and who is at work is stopped', async () => {
    const result = await run(flow('strict'));
    expect(result.status).toBe('failed');
    expect(result.state.nodes.d.status).toBe('running');
  });

  test('partial: what can be done is done, what cannot is skipped, and all of it is named', async () => {
    const result = await run(flow('partial'));
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'workflow', detail: expect.stringMatching(/^'a' failed: .*down/) },
      candidate: { a: null, b: null, c: null, d: 'go' },
    });
    expect(result.state.nodes).toMatchObject({ b: { status: 'skipped' }, c: { status: 'skipped' } });
  });

  test('partial, and nothing was completed: it has failed', async () => {
    const all = workflow({ name: 'flow', mode: 'partial' }).node('a', fails(9), { retry: 0 }).build();
    expect(await run(all)).toMatchObject({ status: 'failed', error: { code: 'workflow.failed' } });
  });
});

describe('[KAIZEN-83] edges', () => {
  test('a condition that does not hold skips what comes after it; a join of any goes on with the rest', async () => {
    const flow = workflow({ name: 'flow' })
      .node('kind', () => ({ kind: 'refund' }))
      .node('refund', says('ada'), { input: 'x' })
      .node('sell', says('bob'), { input: 'x' })
      .node('reply', (given: unknown) => given, { join: 'any' })
      .edge('kind', 'refund', { when: ({ kind }) => kind === 'refund' })
      .edge('kind', 'sell', { when: ({ kind }) => kind === 'sale' })
      .edges([
        ['refund', 'reply'],
        ['sell', 'reply'],
      ])
      .output('reply')
      .build();
    const result = await run(flow);
    expect(result.output).toEqual({ refund: 'ada(x)', sell: null });
    expect(result.state.nodes.sell.reason).toBe("the condition on 'kind' does not hold");
  });

  test('a node after branches that exclude each other is skipped with the advice to join any of them', async () => {
    const flow = workflow({ name: 'flow' })
      .node('kind', () => 'refund')
      .node('refund', says('ada'), { input: 'x', after: 'kind' })
      .node('sell', says('bob'), { input: 'x', after: 'kind', condition: () => false })
      .node('reply', (given: unknown) => given, { after: ['refund', 'sell'] })
      .output('reply')
      .build();
    const { stopReason } = await run(flow);
    expect(stopReason).toMatchObject({
      detail:
        "'reply' was skipped: 'sell' before it was skipped. Write `join: 'any'` if one of those before it suffices",
    });
  });

  test('a node’s own condition; an output that was skipped is none', async () => {
    const flow = workflow({ name: 'flow' })
      .node('a', () => 3)
      .node('b', says('bob'), { after: 'a', condition: ({ a, input }) => a === 4 || input === 'stop' })
      .output('b')
      .build();
    expect(await run(flow)).toMatchObject({
      status: 'stopped',
      stopReason: { rule: 'workflow', detail: "'b' was skipped: its condition does not hold" },
    });
  });

  test('a condition that throws is a failure', async () => {
    const flow = workflow({ name: 'flow' })
      .node('a', says('ada'), {
        condition: () => {
          throw new Error('lost');
        },
      })
      .build();
    expect((await run(flow)).error).toMatchObject({
      code: 'agent.threw',
      message: "Cannot decide on 'a' as its condition threw: lost",
    });
  });

  test('completion hands nothing on; co-start waits for the beginning only', async () => {
    const order: string[] = [];
    const flow = workflow({ name: 'flow' })
      .node('first', says('ada'))
      .node('long', async () => {
        order.push('long begins');
        await quiet();
        order.push('long ends');
      })
      .node('beside', (given: string) => void order.push(`beside ${given}`))
      .node('then', (given: string) => void order.push(`then ${given}`))
      .edge('first', 'long', 'completion')
      .edge('long', 'beside', 'co-start')
      .edge('long', 'then', 'completion')
      .build();
    expect((await run(flow)).status).toBe('completed');
    expect(order).toEqual(['long begins', 'beside go', 'long ends', 'then go']);
  });
});

describe('[KAIZEN-83] changes while it runs', () => {
  const slowly = async (given: string) => (await quiet(), `slowly(${given})`);
  const flow = () =>
    workflow({ name: 'flow' })
      .node('a', slowly)
      .node('b', says('bob'), { after: 'a' })
      .spare('spare', says('sue'))
      .build();
  const changed = async (...changes: readonly Parameters<ReturnType<typeof start>['send']>[0][]) => {
    const clock = virtualClock(1_000);
    const handle = start(flow(), 'go', { clock });
    const result = settled(handle);
    await Promise.resolve();
    for (const change of changes) handle.send(change);
    return letTimePass(clock, result, 1_000);
  };

  test('suspended, nothing new begins; resumed, it goes on', async () => {
    const clock = virtualClock(1_000);
    const handle = start(flow(), 'go', { clock });
    handle.send(changeWorkflow.suspend());
    await clock.advance(3_600_000);
    for (let turn = 0; turn < 3; turn += 1) await quiet();
    handle.send(changeWorkflow.resume());
    const result = await letTimePass(clock, settled(handle), 100);
    expect(result.output).toEqual({ a: 'slowly(go)', b: 'bob(slowly(go))' });
    const phases = phasesOf(result.events, 'flow');
    const engaged = ofType(result.events, 'member.engaged').find(({ member }) => member === 'bob');
    expect(engaged?.at).toBeGreaterThanOrEqual(3_601_000);
    expect(phases).toContain('suspended');
  });

  test('a node is dropped, and what needs it with it', async () => {
    const result = await changed(changeWorkflow.drop('b'));
    expect(result.state.nodes.b).toMatchObject({ status: 'skipped', reason: 'somebody dropped it' });
  });

  test('another input, with references', async () => {
    const result = await changed(changeWorkflow.input('b', 'instead of ${a}'));
    expect(result.output).toMatchObject({ b: 'bob(instead of slowly(go))' });
  });

  test('a node is added, done by a spare member, and has its place in the chart and the result', async () => {
    const result = await changed(
      changeWorkflow.add({ id: 'c', member: 'spare', after: ['a'], input: 'so: ${b}' }),
    );
    expect(result.output).toMatchObject({ c: 'sue(so: bob(slowly(go)))' });
    expect(phasesOf(result.events, 'flow')).toEqual(expect.arrayContaining(['added.underWay', 'added.none']));
  });

  test('held by somebody, and released', async () => {
    const clock = virtualClock(1_000);
    const handle = start(flow(), 'go', { clock });
    await Promise.resolve();
    handle.send(changeWorkflow.hold('b'));
    await clock.advance(1_000);
    for (let turn = 0; turn < 3; turn += 1) await quiet();
    handle.send(changeWorkflow.release('b'));
    const result = await letTimePass(clock, settled(handle), 100);
    expect(result.output).toMatchObject({ b: 'bob(slowly(go))' });
    expect(notes(result.events)).toEqual(["'b' is held: somebody holds it"]);
  });

  test('what cannot be done changes nothing, and is told', async () => {
    const result = await changed(
      changeWorkflow.drop('a'),
      changeWorkflow.drop('ghost'),
      changeWorkflow.release('b'),
      changeWorkflow.add({ id: 'c', member: 'nobody' }),
      changeWorkflow.add({ id: 'b', member: 'spare' }),
      changeWorkflow.input('b', '${b}'),
      { from: 'person', text: 'x', data: { workflow: { change: 'explode' } } },
      'just a word',
    );
    expect(result.output).toEqual({ a: 'slowly(go)', b: 'bob(slowly(go))' });
    expect(notes(result.events)).toEqual([
      "Cannot drop 'a' as it has begun",
      "Cannot drop 'ghost' as there is no such node",
      "Cannot release 'b' as it is not held",
      "Cannot add 'c' as there is no member 'nobody' (the members are 'a', 'b', 'spare')",
      "Cannot add 'b' as several nodes have the id 'b'",
      "Cannot input 'b' as its nodes go round in a circle: b → b",
      expect.stringMatching(/^Cannot change the workflow as that is no change: /),
    ]);
  });
});

test('[KAIZEN-83] near the end of its budget new nodes are held, which is told; released, they go on', async () => {
  const looks = agent({
    name: 'looks',
    tools: [echo],
    decide: ({ step }) => (step < 2 ? act({ name: 'echo', input: { text: 'x' } }) : answer('seen')),
  });
  const flow = workflow({ name: 'flow', limits: { budget: { steps: 4 }, holdAt: 0.7 } })
    .node('a', looks)
    .node('b', says('bob'), { after: 'a' })
    .output('b')
    .build();
  const clock = virtualClock(1_000);
  const handle = start(flow, 'go', { clock });
  await clock.advance(1_000);
  await quiet();
  handle.send(changeWorkflow.release('b'));
  const result = await letTimePass(clock, settled(handle), 1_000);
  expect(notes(result.events)).toEqual(["'b' is held: 75 % of the budget is used"]);
  expect(result.output).toBe('bob(seen)');
});

test('a budget that is spent ends it, with what there is', async () => {
  const looks = agent({
    name: 'looks',
    tools: [echo],
    limits: { loops: false },
    decide: () => act({ name: 'echo', input: { text: 'x' } }),
  });
  const flow = workflow({ name: 'flow', limits: { budget: { steps: 3 } } })
    .node('a', says('ada'))
    .node('b', looks)
    .build();
  expect(await run(flow)).toMatchObject({
    status: 'stopped',
    stopReason: { kind: 'budget', budget: 'steps', path: 'flow' },
    candidate: { a: 'ada(go)', b: null },
  });
});

test('aborted, it says what there is', async () => {
  const flow = workflow({ name: 'flow' })
    .node('a', says('ada'))
    .node('b', () => never<string>())
    .build();
  const handle = start(flow, 'go');
  await quiet();
  handle.abort('enough');
  expect(await settled(handle)).toMatchObject({
    stopReason: { kind: 'aborted', reason: 'enough' },
    candidate: { a: 'ada(go)', b: null },
    state: { nodes: { a: { status: 'completed' }, b: { status: 'running' } } },
  });
});

test('a member that brings a policy of its own is started anew by it', async () => {
  let asked = 0;
  const shaky = agent({
    name: 'shaky',
    failures: { asMember: { restart: 'transient' } },
    decide: () => {
      asked += 1;
      if (asked === 1) throw new Error('down');
      return answer('up');
    },
  });
  const result = await run(workflow({ name: 'flow' }).node('a', shaky, { retry: 0 }).output('a').build());
  expect(result.output).toBe('up');
  expect(ofType(result.events, 'child.supervised')).toHaveLength(1);
});

describe('[KAIZEN-24] [KAIZEN-25] agents as nodes and as workflows', () => {
  test('a node gives the output itself, under an id of its own', async () => {
    const node = toWorkflowNode(agent({ name: 'ada', decide: () => answer('x') }), 'draft');
    expect(node.id).toBe('draft');
    expect(await node.run('go')).toBe('x');
    const flow = workflow({ name: 'flow' }).node(node).output('draft').build();
    expect((await flow.run('go')).output).toBe('x');
  });

  test('one that ends without an answer gives none', async () => {
    const ada = agent({
      name: 'ada',
      tools: [echo],
      stop: { shouldStop: () => 'tired' },
      decide: () => act({ name: 'echo', input: { text: 'x' } }),
    });
    await expect(toWorkflowNode(ada).run('go')).rejects.toMatchObject({ code: 'workflow.failed' });
  });

  test('with a signature and without one, an agent is a workflow; so is a team', async () => {
    const plain = agent({ name: 'ada', decide: () => answer('x') });
    expect((await toWorkflow(plain).build().run('go')).output).toBe('x');
    const signed = agent({
      name: 'bob',
      input: 'question: string -> answer: string',
      decide: ({ input }) => answer({ answer: JSON.stringify(input) }),
    });
    const flow = toWorkflow(signed, 'reply')
      .node('shout', (text: string) => text.toUpperCase(), { input: ({ reply }) => reply.answer })
      .output('shout')
      .build();
    expect((await flow.run({ question: 'why' })).output).toBe('{"QUESTION":"WHY"}');
    expect((await toWorkflow(flow, 'again').build().run({ question: 'why' })).output).toBe(
      '{"QUESTION":"WHY"}',
    );
  });
});
