import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { Json } from '../../src/base/json/json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';

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
