import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { agent } from '../../src/runtime/define/agent.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { toWorkflow, toWorkflowNode, workflow } from '../../src/patterns/index.ts';

const writer = agent({ name: 'writer', output: z.object({ title: z.string(), words: z.number() }) });
const printer = agent({ name: 'printer', input: z.object({ text: z.string(), copies: z.number() }) });

test('references know the nodes that there are, and their fields', () => {
  const flow = workflow({ name: 'flow', input: z.object({ topic: z.string() }) })
    .node('write', writer, { input: ({ input }) => input.topic })
    .node('print', printer, { input: ({ write }) => ({ text: write.title, copies: write.words }) });
  flow.node('x', printer, { input: { text: 'x', copies: '${write.words}' } });
  // @ts-expect-error: no such node
  flow.node('x', writer, { input: ({ wrote }) => wrote });
  // @ts-expect-error: no such field
  flow.node('x', writer, { input: ({ write }) => write.heading });
  // @ts-expect-error: a number is no text
  flow.node('x', writer, { input: ({ write }) => write.words });
  // @ts-expect-error: a field is missing
  flow.node('x', printer, { input: ({ write }) => ({ text: write.title }) });
  // @ts-expect-error: comes after nobody
  flow.node('x', writer, { after: 'wrote' });
  // @ts-expect-error: no such node
  flow.edge('write', 'read');
  // @ts-expect-error: a condition has a function
  flow.edge('write', 'print', 'condition');
  // @ts-expect-error: no such output
  flow.output('read');
  flow.edge('write', 'print', {
    when: (output, input) => {
      expectTypeOf(output).toEqualTypeOf<{ title: string; words: number }>();
      expectTypeOf(input).toEqualTypeOf<{ topic: string }>();
      return true;
    },
  });
});

test('what a workflow takes and gives is inferred', async () => {
  const flow = workflow({ name: 'flow', input: z.object({ topic: z.string(), n: z.number().default(1) }) })
    .node('write', writer, { input: ({ input }) => input.topic })
    .node('count', (given: { words: number }) => Promise.resolve(given.words * 2), { after: 'write' })
    .map('each', (word: string) => word.length, { over: ['a', 'b'] });
  expectTypeOf(flow.output('count').build().run).parameter(0).toEqualTypeOf<{
    topic: string;
    n?: number | undefined;
  }>();
  expectTypeOf(flow.output('count').build().run).returns.resolves.toExtend<
    Pick<RunResult<number>, 'output'>
  >();
  expectTypeOf(flow.output('each').build().run).returns.resolves.toExtend<
    Pick<RunResult<readonly number[]>, 'output'>
  >();
  const { output, state } = await flow.build().run({ topic: 'x' });
  expectTypeOf(output?.write).toEqualTypeOf<{ title: string; words: number } | null | undefined>();
  expectTypeOf(state.nodes.count.output).toEqualTypeOf<number | null>();
});

test('agents and teams as nodes and workflows keep their types', () => {
  expectTypeOf(toWorkflowNode(writer, 'draft').run).returns.resolves.toEqualTypeOf<{
    title: string;
    words: number;
  }>();
  const flow = workflow({ name: 'flow' }).node(toWorkflowNode(writer, 'draft'));
  flow.node('x', printer, { input: ({ draft }) => ({ text: draft.title, copies: 1 }) });
  toWorkflow(writer, 'draft').node('x', printer, {
    input: ({ draft }) => ({ text: draft.title, copies: 1 }),
  });
});
