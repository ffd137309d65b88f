import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { Json } from '../../src/base/json/json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { workflow } from '../../src/runtime/workflows/workflow.ts';

const output = z.object({ x: z.number(), mood: z.enum(['glad', 'sad']) });

test('[FIND-15] `decide` sees the input as its schema makes it and JSON holds it', () => {
  agent({
    name: 'a',
    input: z.object({ city: z.string(), when: z.coerce.date() }),
    decide: ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<{ readonly city: string; readonly when: string }>();
      return undefined;
    },
  });
  agent({
    name: 'b',
    decide: ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<string>();
      return undefined;
    },
  });
  agent({
    name: 'c',
    input: 'question: string, count: number',
    decide: ({ input }) => {
      expectTypeOf(input.count).toEqualTypeOf<number>();
      return undefined;
    },
  });
});

test('[FIND-15] `answer` is typed by the output of the agent', () => {
  agent({ name: 'a', output, decide: () => answer({ x: 1, mood: 'glad' }) });
  // @ts-expect-error the mood is none of the two
  agent({ name: 'a', output, decide: () => answer({ x: 1, mood: 'mad' }) });
  // @ts-expect-error the answer has no x
  agent({ name: 'a', output, decide: () => answer({ mood: 'glad' }) });
  // @ts-expect-error the answer has no x
  agent({ name: 'a', output, decide: async () => answer({ mood: 'glad' }) });
  // Without a schema any JSON is an answer.
  agent({ name: 'a', decide: () => answer([1, 2]) });
  expectTypeOf(answer({ a: 1 }).answer).toExtend<Json>();
});

test('[FIND-15] `execute` of a tool gives what its function returns', () => {
  const base = { name: 'add', description: 'Adds.', input: z.object({ a: z.number() }) };
  const now = tool({ ...base, execute: ({ a }) => a + 1 });
  expectTypeOf(now.execute).returns.toEqualTypeOf<number>();
  const later = tool({ ...base, execute: async ({ a }) => ({ sum: a }) });
  expectTypeOf(later.execute).returns.toEqualTypeOf<Promise<{ sum: number }>>();
});

/** A codec: the oldest zod that troupe takes has none to make it by. */
declare const seconds: z.ZodType<Date, number>;

test('an output is typed as it is kept: as the codec encodes it, or as the JSON form of what the schema makes', async () => {
  const encoded = agent({ name: 'a', output: z.object({ from: seconds, by: z.string() }) });
  expectTypeOf(await encoded.run('go'))
    .toHaveProperty('output')
    .extract<object>()
    .toEqualTypeOf<{ from: number; by: string } | { readonly from: string; readonly by: string }>();
  const formed = agent({ name: 'a', output: z.object({ at: z.coerce.date() }) });
  expectTypeOf(await formed.run('go'))
    .toHaveProperty('output')
    .extract<object>()
    .toEqualTypeOf<{ readonly at: string }>();
  const plain = agent({ name: 'a', output: z.object({ n: z.string().transform(Number) }) });
  expectTypeOf(await plain.run('go'))
    .toHaveProperty('output')
    .extract<object>()
    .toEqualTypeOf<{ n: number }>();
});

test('a node whose function returns nothing gives null to those after it', () => {
  const built = workflow({ name: 'w' })
    .node('a', () => undefined)
    .output('a')
    .build();
  expectTypeOf(built.run).returns.resolves.toHaveProperty('output').toEqualTypeOf<null | undefined>();
});
