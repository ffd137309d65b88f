import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../src/base/json/json.ts';
import type { Tool, ToolContext } from '../../src/contracts/tools/tool.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import type { DefinedTool, Fitted } from '../../src/tools/define/define-tool.ts';
import type { Dual } from '../../src/tools/calls/tool-result.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';

const base = { name: 'add', description: 'Adds.' };

test('[M18] the input of execute is what comes out of the schema', () => {
  const add = tool({
    ...base,
    input: z.object({ a: z.number(), b: z.string().transform(Number), c: z.number().default(3) }),
    execute: ({ a, b, c }, context) => {
      expectTypeOf(a).toEqualTypeOf<number>();
      expectTypeOf(b).toEqualTypeOf<number>();
      expectTypeOf(c).toEqualTypeOf<number>();
      expectTypeOf(context).toEqualTypeOf<ToolContext>();
      return a + b + c;
    },
  });
  expectTypeOf(add).toEqualTypeOf<DefinedTool<{ a: number; b: number; c: number }, number, number>>();
});

test('[M18] an asynchronous tool has the type of what its promise gives', () => {
  const later = tool({
    ...base,
    input: z.object({ a: z.number() }),
    execute: async ({ a }) => ({ doubled: a * 2 }),
  });
  expectTypeOf(later).toEqualTypeOf<
    DefinedTool<{ a: number }, { doubled: number }, Promise<{ doubled: number }>>
  >();
});

test('[TENEX-44] a dual result has the type of its value', () => {
  const twofold = tool({
    ...base,
    input: z.object({}),
    execute: async () => dual({ text: 'one', value: { count: 1 } }),
  });
  expectTypeOf(twofold).toEqualTypeOf<
    DefinedTool<Record<string, never>, { count: number }, Promise<Dual<{ count: number }>>>
  >();
});

test('[M18] with an output schema, execute must return what it takes in', () => {
  const counted = tool({
    ...base,
    input: z.object({}),
    output: z.object({ count: z.number() }),
    execute: () => ({ count: 1 }),
  });
  expectTypeOf(counted).toEqualTypeOf<
    DefinedTool<Record<string, never>, { count: number }, Fitted<{ count: number }>>
  >();
  tool({
    ...base,
    input: z.object({}),
    output: z.object({ count: z.number() }),
    // @ts-expect-error a text is no count
    execute: () => ({ count: 'one' }),
  });
  tool({
    ...base,
    input: z.object({}),
    output: z.object({ count: z.number() }),
    execute: async () => dual({ text: 'one', value: { count: 1 } }),
  });
});

test('[TENEX-40] a tool with a dynamic schema takes any JSON', () => {
  tool({
    ...base,
    dynamicSchema: true,
    execute: (input) => {
      expectTypeOf(input).toEqualTypeOf<Json>();
      return null;
    },
  });
});

test('[M18] describe and approval see the checked input', () => {
  const add = tool({
    ...base,
    input: z.object({ a: z.number() }),
    describe: ({ a }) => `Adding ${a.toFixed(1)}`,
    approval: ({ a }) => a > 10,
    execute: ({ a }) => a,
  });
  expectTypeOf(add).toExtend<Tool>();
  const tools: readonly Tool[] = [add];
  expectTypeOf(tools).toEqualTypeOf<readonly Tool[]>();
});

test('[M18] a tool can be executed typed', () => {
  const add = tool({ ...base, input: z.object({ a: z.number() }), execute: ({ a }) => a });
  expectTypeOf<Parameters<(typeof add)['execute']>[0]>().toEqualTypeOf<{ a: number }>();
});
