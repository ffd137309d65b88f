import type { Observable } from 'rxjs';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import { agent } from '../../src/runtime/define/agent.ts';

const point = z.object({ at: z.object({ x: z.number() }), names: z.array(z.string()) });

test('`partial$` has the type of the output, each part of which may be missing', () => {
  const run = agent({ name: 'one', output: point }).stream('go');
  expectTypeOf(run.partial$).toEqualTypeOf<
    Observable<{ readonly at?: { readonly x?: number }; readonly names?: readonly string[] }>
  >();
  expectTypeOf(agent({ name: 'text' }).stream('go').partial$).toEqualTypeOf<Observable<string>>();
});

test('`partial$` promises no enum or literal: a text may be the beginning of another', () => {
  const mood = z.object({ mood: z.enum(['glad', 'sad']), size: z.union([z.literal(10), z.literal(20)]) });
  const told = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('mood'), mood }),
    z.object({ kind: z.literal('none') }),
  ]);
  expectTypeOf(agent({ name: 'one', output: z.array(told) }).stream('go').partial$).toEqualTypeOf<
    Observable<
      readonly (
        | { readonly kind?: string; readonly mood?: { readonly mood?: string; readonly size?: number } }
        | { readonly kind?: string }
      )[]
    >
  >();
});

test('`element$` has the type of an item, and nothing for what is not a list', () => {
  const run = agent({ name: 'many', output: z.array(point) }).stream('go');
  expectTypeOf(run.element$).toEqualTypeOf<
    Observable<{ readonly index: number; readonly element: z.output<typeof point> | undefined }>
  >();
  expectTypeOf(agent({ name: 'one', output: point }).stream('go').element$).toEqualTypeOf<
    Observable<never>
  >();
});

test('a handle of any output takes one of a known output', () => {
  const run = agent({ name: 'one', output: point }).stream('go');
  expectTypeOf(run).toExtend<RunHandle<unknown, unknown>>();
});
