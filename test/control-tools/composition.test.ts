import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../src/tools/define/define-tool.ts';
import type { CallInterceptor } from '../../src/tools/wrappers/interceptors.ts';
import { intercepted } from '../../src/tools/wrappers/interceptors.ts';
import { pipeTools } from '../../src/tools/wrappers/pipe-tools.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { perform } from '../tools/tool-context.ts';

const double = tool({
  name: 'double',
  description: 'Doubles.',
  input: z.object({ a: z.number() }),
  output: z.object({ a: z.number() }),
  execute: ({ a }) => ({ a: a * 2 }),
});

describe('[QITOS-102] interceptors', () => {
  const noting = (seen: string[], name: string): CallInterceptor => ({
    name,
    before: () => void seen.push(`before ${name}`),
    after: () => void seen.push(`after ${name}`),
  });

  test('are asked before in order, and after in reverse order', async () => {
    const seen: string[] = [];
    await perform(intercepted(double, [noting(seen, 'a'), noting(seen, 'b')]), { a: 1 });
    expect(seen).toEqual(['before a', 'before b', 'after b', 'after a']);
  });

  test('may change what goes in and what comes out; both are seen', async () => {
    const seen: unknown[] = [];
    const changing: CallInterceptor = {
      name: 'changing',
      before: () => ({ input: { a: 10 } }),
      after: (outcome) => ({ ok: true, value: { was: outcome } }),
    };
    const looking: CallInterceptor = { name: 'looking', before: (input) => void seen.push(input) };
    expect(await perform(intercepted(double, [changing, looking]), { a: 1 })).toMatchObject({
      value: { was: { ok: true, value: { a: 20 } } },
    });
    expect(seen).toEqual([{ a: 10 }]);
    const unfit: CallInterceptor = { name: 'unfit', before: () => ({ input: 'nonsense' }) };
    expect(await perform(intercepted(double, [unfit]), { a: 1 })).toMatchObject({ ok: false });
  });

  test('may answer or deny: then the tool does not run, and those before hear of it', async () => {
    const seen: unknown[] = [];
    const hearing: CallInterceptor = { name: 'hearing', after: (outcome) => void seen.push(outcome.ok) };
    const never = tool({
      name: 'never',
      description: 'Never runs.',
      input: z.object({}),
      execute: () => seen.push('it ran'),
    });
    const cache: CallInterceptor = { name: 'cache', before: () => ({ answer: 'kept' }) };
    const guard: CallInterceptor = { name: 'guard', before: () => ({ deny: 'not today' }) };
    expect(await perform(intercepted(never, [hearing, cache]), {})).toMatchObject({ value: 'kept' });
    expect(await perform(intercepted(never, [hearing, guard]), {})).toMatchObject({
      kind: 'denied',
      text: expect.stringContaining('not today'),
    });
    expect(seen).toEqual([true, false]);
  });

  test('may turn a failure into a result', async () => {
    const failing = tool({
      name: 'failing',
      description: 'Fails.',
      input: z.object({}),
      execute: () => Promise.reject(new Error('no')),
    });
    const saving: CallInterceptor = {
      name: 'saving',
      after: (it) => (it.ok ? it : { ok: true, value: 'saved' }),
    };
    expect(await perform(intercepted(failing, [saving]), {})).toMatchObject({ ok: true, value: 'saved' });
    expect(await perform(intercepted(failing, []), {})).toMatchObject({
      ok: false,
      text: expect.stringContaining('no'),
    });
  });

  test('[M25] that throw change nothing, are told of, and fail the call only where they are required', async () => {
    const told: string[] = [];
    const throws = () => {
      throw new Error('it broke');
    };
    const broken: CallInterceptor = { name: 'broken', before: throws, after: throws };
    expect(
      await perform(intercepted(double, [broken]), { a: 1 }, { progress: (text) => void told.push(text) }),
    ).toMatchObject({
      value: { a: 2 },
    });
    expect(told).toEqual(Array(2).fill("The interceptor 'broken' of 'double' threw: it broke"));
    for (const part of [{ before: throws }, { after: throws }])
      expect(
        await perform(intercepted(double, [{ name: 'guard', required: true, ...part }]), { a: 1 }),
      ).toMatchObject({ ok: false });
  });
});

describe('[TENEX-95] [M25] tools in a pipe', () => {
  const show = tool({
    name: 'show',
    description: 'Shows.',
    input: z.object({ a: z.number().max(10) }),
    execute: ({ a }) => dual({ text: `It is ${a}.`, value: `<${a}>` }),
  });
  const shown = pipeTools({ name: 'shown', description: 'Doubles and shows.' }, double, show);

  test('what the first gives is what the second takes', async () => {
    expect(await perform(shown, { a: 4 })).toMatchObject({
      tool: 'shown',
      text: 'It is 4.'.replace('4', '8'),
      value: '<8>',
    });
    const twice = pipeTools({ name: 'twice', description: 'Doubles, doubles and shows.' }, double, shown);
    expect(await perform(twice, { a: 2 })).toMatchObject({ value: '<8>' });
  });

  test('what does not fit is refused: by the compiler, and when it runs', async () => {
    expect(await perform(shown, { a: 'x' })).toMatchObject({ ok: false, kind: 'validation' });
    expect(await perform(shown, { a: 6 })).toMatchObject({
      ok: false,
      text: expect.stringContaining("the result of 'double' is invalid"),
    });
    const word = tool({
      name: 'word',
      description: 'A word.',
      input: z.object({}),
      output: z.string(),
      execute: () => 'w',
    });
    // @ts-expect-error A text is no object with a number.
    const unfit = pipeTools({ name: 'unfit', description: 'Never fits.' }, word, double);
    expect(await perform(unfit, {})).toMatchObject({ ok: false });
  });

  test('are as careful as the most careful of them', async () => {
    const options = {
      name: 'careful',
      description: 'x',
      input: z.object({ a: z.number() }),
      execute: () => 'done',
    };
    const danger = tool({ ...options, safety: 'danger' });
    const piped = pipeTools({ name: 'piped', description: 'x' }, double, danger);
    expect(piped).toMatchObject({
      safety: 'danger',
      idempotent: false,
      exclusive: true,
      timeoutMs: 120_000,
      retry: { attempts: 1 },
    });
    expect(piped.needsApproval({ a: 1 })).toBe(true);
    const asking = tool({ ...options, approval: ({ a }) => a > 5 });
    const hidden = pipeTools({ name: 'hidden', description: 'x' }, double, asking);
    expect(await perform(hidden, { a: 1 })).toMatchObject({ value: 'done' });
    expect(await perform(hidden, { a: 3 })).toMatchObject({ kind: 'denied' });
  });

  test('do not begin with one that ends the run', () => {
    const next = tool({ name: 'next', description: 'x', dynamicSchema: true, execute: () => 1 });
    const { types: _, ...first } = complete;
    expect(() => pipeTools({ name: 'x', description: 'x' }, first, next)).toThrow('control tool');
  });
});
