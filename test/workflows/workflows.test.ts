import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import { checkMachine } from '../../src/machines/check-machine.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { definitionOf } from '../../src/runtime/define/definition.ts';
import { pipeline, text, workflow } from '../../src/patterns/index.ts';
import { ofType, phasesOf, quiet, settled, start } from '../support/runs.ts';

/** Says its name and what it was given. */
const says = (name: string): Agent<string, string> =>
  agent({ name, decide: ({ input }) => answer(`${name}(${typeof input === 'string' ? input : ''})`) });

const refused = (build: () => unknown): unknown => {
  try {
    return build();
  } catch (thrown) {
    return thrown;
  }
};

test('its machine keeps the rules of the house, and its diagram shows every node and what it comes after', () => {
  const flow = workflow({ name: 'flow' })
    .node('load', says('loader'))
    .node('format', (given: string) => given.trim(), { after: 'load', optional: true })
    .build();
  const definition = definitionOf(flow);
  expect(definition && checkMachine(definition.machine)).toEqual([]);
  const chart = flow.diagram({ of: 'chart' });
  expect(chart).toContain('load: A node.');
  expect(chart).toContain('format: A node, after load (data), optional.');
  for (const status of ['pending', 'ready', 'running', 'waiting', 'held', 'completed', 'failed', 'skipped'])
    expect(chart).toContain(`"${status}: `);
});

test('[KAIZEN-26] everything that is wrong is named at once, when it is built', () => {
  const build = () =>
    workflow({ name: 'flow', limits: { concurrency: 0 } })
      .node('a', says('ada'), { retry: -1 })
      // @ts-expect-error: there is no such node
      .node('b', says('bob'), { after: 'ghost' })
      // @ts-expect-error: neither an agent nor a function
      .node('c', { name: 'nobody' })
      .build();
  expect(refused(build)).toMatchObject({
    code: 'workflow.invalid',
    message: expect.stringMatching(
      /^Cannot define the workflow 'flow' as .*limits\.concurrency.*in node 'a' its retry.*'ghost'.*'c' is done by neither/s,
    ),
  });
  expect(() => workflow({ name: 'a b' }).node('a', says('ada')).build()).toThrow(
    expect.objectContaining({ code: 'agent.invalid' }),
  );
  const circle = workflow({ name: 'flow' }).node('a', says('ada')).node('b', says('bob'), { after: 'a' });
  expect(() => circle.edge('b', 'a').build()).toThrow(/go round in a circle: (a → b → a|b → a → b)/);
});

test('[KAIZEN-27] agents stand between functions: loader, agent, formatter', async () => {
  const flow = workflow({ name: 'flow' })
    .node('load', (name: string) => Promise.resolve({ name, words: ['a', 'b'] }))
    .node('write', says('ada'), { input: ({ load }) => text`On ${load.name}: ${load.words}` })
    .node('format', (given: string) => given.toUpperCase(), { after: 'write' })
    .output('format')
    .build();
  const result = await settled(start(flow, 'tides'));
  expect(result).toMatchObject({ status: 'completed', output: 'ADA(ON TIDES: ["A","B"])' });
});

test('[KAIZEN-28] the result has what each node left, by its id, and the id of the run', async () => {
  const flow = workflow({ name: 'flow' })
    .node('a', says('ada'))
    .node('b', says('bob'), { after: 'a' })
    .build();
  const result = await settled(start(flow, 'x', { runId: 'r1' }));
  expect(result.runId).toBe('r1');
  expect(result.output).toEqual({ a: 'ada(x)', b: 'bob(ada(x))' });
  expect(result.state.nodes).toEqual({
    a: { status: 'completed', output: 'ada(x)', tries: 1 },
    b: { status: 'completed', output: 'bob(ada(x))', tries: 1 },
  });
});

test('[KAIZEN-30] in a diamond the two in the middle are under way together, and the last waits for both', async () => {
  const seen: string[] = [];
  const slow = (name: string) => async (given: string) => {
    seen.push(`${name} begins`);
    await quiet();
    seen.push(`${name} ends`);
    return `${name}(${given})`;
  };
  const flow = workflow({ name: 'diamond' })
    .node('top', says('ada'))
    .node('left', slow('left'), { after: 'top' })
    .node('right', slow('right'), { after: 'top' })
    .node('bottom', (given: { left: string; right: string }) => [given.left, given.right], {
      after: ['left', 'right'],
    })
    .output('bottom')
    .build();
  const result = await settled(start(flow, 'x'));
  expect(result.output).toEqual(['left(ada(x))', 'right(ada(x))']);
  expect(seen).toEqual(['left begins', 'right begins', 'left ends', 'right ends']);
  expect(phasesOf(result.events, 'diamond').filter((phase) => phase.startsWith('bottom'))).toEqual([
    'bottom.pending',
    'bottom.ready',
    'bottom.running',
    'bottom.completed',
  ]);
});

test('[M63] no more are under way than it allows', async () => {
  let now = 0;
  let most = 0;
  const work = async () => {
    now += 1;
    most = Math.max(most, now);
    await quiet();
    now -= 1;
  };
  const flow = workflow({ name: 'flow', limits: { concurrency: 2 } })
    .node('a', work)
    .node('b', work)
    .node('c', work)
    .node('d', work)
    .build();
  expect((await settled(start(flow, 'x'))).status).toBe('completed');
  expect(most).toBe(2);
});

test('a node over a list is done once for each item, so many at a time, and gives a list in order', async () => {
  let now = 0;
  let most = 0;
  const flow = workflow({ name: 'flow' })
    .node('list', () => ({ items: [3, 1, 2, 5, 4] }))
    .map(
      'each',
      async ({ n, at }: { n: number; at: number }) => {
        now += 1;
        most = Math.max(most, now);
        for (let turn = 0; turn < n; turn += 1) await quiet();
        now -= 1;
        return at * 100 + n;
      },
      {
        over: ({ list }) => list.items,
        input: ({ item, index }) => ({ n: item, at: index }),
        concurrency: 2,
      },
    )
    .output('each')
    .build();
  const result = await settled(start(flow, 'x'));
  expect(result.output).toEqual([3, 101, 202, 305, 404]);
  expect(most).toBe(2);
  expect(result.state.nodes.each.tries).toBe(5);
});

test('an empty list is done at once; what is no list is named', async () => {
  const flow = (list: unknown) =>
    workflow({ name: 'flow' })
      .node('list', () => list as string[])
      .map('each', (item: string) => item, { over: ({ list: found }) => found })
      .output('each')
      .build();
  expect((await settled(start(flow([]), 'x'))).output).toEqual([]);
  expect((await settled(start(flow('abc'), 'x'))).error).toMatchObject({
    code: 'workflow.reference',
    message: "Cannot begin 'each' as its input cannot be made: what it goes over is no list: string",
  });
});

test('[KAIZEN-29] a field that there is not is the node’s failure, and names both', async () => {
  const flow = workflow({ name: 'flow' })
    .node('a', () => ({ title: 'x' }))
    .node('b', says('bob'), { input: '${a.titel}' })
    .build();
  const { error } = await settled(start(flow, 'x'));
  expect(error).toMatchObject({
    code: 'workflow.reference',
    message:
      "Cannot begin 'b' as its input cannot be made: ${a.titel}: 'a' has no field 'titel' (it has title)",
  });
});

test('what it takes is looked at before anything begins', async () => {
  const flow = workflow({ name: 'flow', input: z.object({ n: z.number().default(3) }) })
    .node('a', (n: number) => n + 1, { input: ({ input }) => input.n })
    .output('a')
    .build();
  expect((await settled(start(flow, {}))).output).toBe(4);
  const result = await settled(start(flow, { n: 'many' } as never));
  expect(result.error).toMatchObject({ code: 'input.invalid', message: expect.stringContaining('n: ') });
  expect(ofType(result.events, 'member.engaged')).toEqual([]);
});

test('[M63] it nests: workflows in workflows, teams as nodes, workflows as members of teams', async () => {
  const inner = workflow({ name: 'inner' }).node('a', says('ada')).output('a').build();
  const outer = workflow({ name: 'outer' })
    .node('one', inner)
    .node('two', pipeline({ name: 'line', stages: [says('bob'), inner] }), { after: 'one' })
    .output('two')
    .build();
  const team = pipeline({ name: 'team', stages: [says('carl'), outer] });
  const result = await settled(start(team, 'x'));
  expect(result.output).toBe('ada(bob(ada(carl(x))))');
  const paths = ofType(result.events, 'member.engaged').map(({ path }) => path);
  expect(paths).toContain('team/outer-2/two-2/inner-2/a-1');
});
