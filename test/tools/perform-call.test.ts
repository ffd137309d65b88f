import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Json } from '../../src/base/json/json.ts';
import type { ToolContext } from '../../src/contracts/tools/tool.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { LazyAbort } from '../../src/base/promises/lazy-abort.ts';
import { performCall } from '../../src/tools/calls/perform-call.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { callOf, perform, performNow, toolContext } from './tool-context.ts';

const make = (execute: (input: { a: number }, context: ToolContext) => unknown, timeoutMs = 1_000) =>
  tool({ name: 'do', description: 'Does it.', input: z.object({ a: z.number() }), timeoutMs, execute });

const never = (): Promise<never> => new Promise(() => undefined);

describe('a call that works', () => {
  test('[TENEX-41] gives text, value, duration and attempts', async () => {
    const clock = virtualClock();
    const slow = make(({ a }) => new Promise((resolve) => clock.setTimeout(() => resolve(a * 2), 30)));
    const result = perform(slow, { a: 2 }, { clock, attempt: 2 });
    await clock.advance(30);
    expect(await result).toEqual({
      callId: 'call_0_0',
      tool: 'do',
      ok: true,
      text: '4',
      value: 4,
      durationMs: 30,
      attempts: 2,
    });
    expect(clock.pending).toBe(0);
  });

  test('[M18] of a synchronous tool is answered at once: no timer, no AbortController, no promise', () => {
    const made = vi.spyOn(globalThis, 'AbortController');
    const clock = virtualClock();
    const armed = vi.spyOn(clock, 'setTimeout');
    const abort = new LazyAbort();
    const context = toolContext(abort, clock);
    expect(
      performCall(
        make(({ a }) => a),
        callOf('do', { a: 1 }),
        context,
        { clock, abort },
      ),
    ).toMatchObject({
      ok: true,
    });
    expect(armed).not.toHaveBeenCalled();
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });

  test('[QITOS-44] carries the name it was called by, namespace included', () => {
    const clock = virtualClock();
    const abort = new LazyAbort();
    const call = callOf('set.do', { a: 1 });
    expect(
      performCall(
        make(() => 1),
        call,
        toolContext(abort, clock),
        { clock, abort },
      ),
    ).toMatchObject({
      tool: 'set.do',
    });
  });

  test('[TENEX-44] the model sees the text only, the program the value', async () => {
    const both = make(async () => dual({ text: 'sunny', value: { high: 21 } }));
    expect(await perform(both, { a: 1 })).toMatchObject({ text: 'sunny', value: { high: 21 } });
  });

  test('[M18] is checked only once, if its input was checked before', () => {
    const clock = virtualClock();
    const abort = new LazyAbort();
    const echo = make(({ a }) => a);
    const check = vi.spyOn(echo, 'check');
    const options = { clock, abort, checkedInput: { ok: true, value: { a: 7 } } } as const;
    expect(performCall(echo, callOf('do', 'ignored'), toolContext(abort, clock), options)).toMatchObject({
      value: 7,
    });
    expect(check).not.toHaveBeenCalled();
  });

  test('[M18] may have a schema that takes its time', async () => {
    const later = tool({
      name: 'do',
      description: 'Does it.',
      input: z.object({ a: z.number() }).refine(async ({ a }) => a > 0, 'too small'),
      execute: ({ a }) => a,
    });
    expect(await perform(later, { a: 1 })).toMatchObject({ ok: true, value: 1 });
    expect(await perform(later, { a: -1 })).toMatchObject({ ok: false, kind: 'validation' });
  });

  test('[M20] any thenable is awaited', async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- the point of the test
    const thenable = { then: (done: (value: string) => void) => done('from a thenable') };
    expect(
      await perform(
        make(() => thenable),
        { a: 1 },
      ),
    ).toMatchObject({ text: 'from a thenable' });
  });
});

describe('a call that fails', () => {
  test.each<[string, unknown, string]>([
    ['an Error', new Error('boom'), 'boom'],
    ['a string', 'boom', 'boom'],
    ['an object', { boom: true }, '{"boom":true}'],
    ['nothing', undefined, 'it threw undefined'],
    ['an Error without words', new TypeError(''), 'TypeError'],
  ])('[TENEX-39] [TENEX-59] by throwing %s is a typed failure, at once or later', async (_, thrown, said) => {
    const now = make(() => {
      throw thrown;
    });
    const later = make(() => Promise.reject(thrown));
    for (const each of [now, later]) {
      const result = await perform(each, { a: 1 });
      expect(result).toMatchObject({
        ok: false,
        kind: 'execution',
        text: `Cannot finish 'do' as it failed: ${said}`,
        error: { code: 'tool.failed', tool: 'do', runId: 'run-1', path: 'agent', step: 0 },
      });
    }
  });

  test('[TENEX-42] [D4] keeps tool, cause and kind when it is written down and read again', async () => {
    const result = await perform(
      make(() => Promise.reject(new RangeError('too far'))),
      { a: 1 },
    );
    expect(result).toMatchObject({
      error: { tool: 'do', cause: { name: 'RangeError', message: 'too far' } },
    });
    expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result);
  });

  test('[TENEX-42] keeps the code of an error that has one', () => {
    const throws = make(() => {
      throw new TroupeError('tool.denied', 'Cannot do that as you may not', { retryable: 'no' });
    });
    expect(performNow(throws, { a: 1 })).toMatchObject({
      kind: 'denied',
      text: 'Cannot do that as you may not',
      error: { code: 'tool.denied', tool: 'do' },
    });
  });

  test('[DODO-33] says whether trying again can help, and the status', () => {
    const throws = make(() => {
      throw Object.assign(new Error('nope'), { status: 503 });
    });
    expect(performNow(throws, { a: 1 })).toMatchObject({ error: { retryable: 'yes', status: 503 } });
  });

  test('[DODO-19] because of two bad arguments names both, and the tool does not run', () => {
    const execute = vi.fn<() => void>();
    const sum = tool({
      name: 'sum',
      description: 'Adds.',
      input: z.object({ a: z.number(), b: z.number() }),
      execute,
    });
    const result = performNow(sum, { a: 'x' });
    expect(result.text).toMatch(/a: .*; b: /);
    expect(result).toMatchObject({ kind: 'validation', error: { details: [{ path: 'a' }, { path: 'b' }] } });
    expect(execute).not.toHaveBeenCalled();
  });

  test('[F15] because its arguments were cut off is answered, never executed', () => {
    const execute = vi.fn<() => void>();
    const clock = virtualClock();
    const abort = new LazyAbort();
    const call = callOf('do', {}, 'the answer was cut off');
    expect(performCall(make(execute), call, toolContext(abort, clock), { clock, abort })).toMatchObject({
      ok: false,
      kind: 'validation',
      text: "Cannot call 'do' as its arguments cannot be read: the answer was cut off",
    });
    expect(execute).not.toHaveBeenCalled();
  });

  test('[TENEX-42] because its schema is broken is a failure of the system', async () => {
    const refuse = () => {
      throw new Error('broken rule');
    };
    const broken = tool({
      name: 'do',
      description: 'x',
      input: z.object({}).refine(refuse),
      execute: () => 1,
    });
    expect(await perform(broken, {})).toMatchObject({
      kind: 'system',
      text: "Cannot check the input of 'do' as its schema threw: broken rule",
    });
  });

  test('[TENEX-39] with a whole page as its message is cut', () => {
    const throws = make(() => {
      throw new Error('x'.repeat(1_000_000));
    });
    expect(JSON.stringify(performNow(throws, { a: 1 })).length).toBeLessThan(20_000);
  });

  test('[TENEX-39] never throws, whatever is thrown, returned or put in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.jsonValue(), fc.boolean(), async (odd, input, isLate) => {
        const any = (execute: () => unknown) =>
          tool({ name: 'do', description: 'x', dynamicSchema: true, execute });
        const throwing = any(() => {
          if (isLate) return Promise.reject(odd);
          throw odd;
        });
        // JSON without undefined keys.
        const json = JSON.parse(JSON.stringify(input)) as Json;
        expect(await perform(throwing, json)).toMatchObject({ ok: false });
        const result = await perform(
          any(() => (isLate ? Promise.resolve(odd) : odd)),
          json,
        );
        expect(result.text).not.toBe('');
        const written = JSON.stringify(result);
        expect(JSON.stringify(JSON.parse(written))).toBe(written);
      }),
    );
  });
});

describe('the time-out', () => {
  test('[M22] [QITOS-87] [D32] aborts the signal of the tool and fails the call, though it never settles', async () => {
    const clock = virtualClock();
    let signal: AbortSignal | undefined;
    const stuck = make((_, context) => {
      signal = context.signal;
      return never();
    });
    const result = perform(stuck, { a: 1 }, { clock });
    await clock.advance(999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(await result).toMatchObject({
      ok: false,
      kind: 'timeout',
      text: "Cannot wait for 'do' any longer as it is past its time-out: 1000 ms",
      error: { code: 'tool.timeout', retryable: 'yes', tool: 'do' },
      durationMs: 1_000,
    });
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('[M22] stays a time-out though the tool gives up because of the abort', async () => {
    const clock = virtualClock();
    const obedient = make(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    );
    const result = perform(obedient, { a: 1 }, { clock });
    await clock.advance(1_000);
    expect(await result).toMatchObject({ kind: 'timeout' });
  });

  test('[M22] what the tool comes to later is dropped, also a rejection', async () => {
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    const clock = virtualClock();
    const late = make(
      () => new Promise((_, reject) => clock.setTimeout(() => reject(new Error('late')), 5_000)),
    );
    const result = perform(late, { a: 1 }, { clock });
    await clock.advance(1_000);
    expect(await result).toMatchObject({ kind: 'timeout' });
    await clock.advance(10_000);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(await result).toMatchObject({ kind: 'timeout' });
  });

  test('[M22] also holds for a check of the input that never ends', async () => {
    const clock = virtualClock();
    const input = z.object({}).refine(never);
    const stuck = tool({ name: 'do', description: 'x', input, timeoutMs: 10, execute: () => 1 });
    const result = perform(stuck, {}, { clock });
    await clock.advance(10);
    expect(await result).toMatchObject({ kind: 'timeout' });
  });

  test('[M22] is not there for a tool that may take as long as it likes', async () => {
    const clock = virtualClock();
    const abort = new LazyAbort();
    const result = perform(make(never, Infinity), { a: 1 }, { clock, abort });
    expect(clock.pending).toBe(0);
    abort.abort('enough');
    expect(await result).toMatchObject({ kind: 'cancelled' });
  });
});

describe('the abort', () => {
  test('[M22] cancels a call under way within a tick and forgets its timer, whatever the tool does', async () => {
    const clock = virtualClock();
    const abort = new LazyAbort();
    const result = perform(make(never), { a: 1 }, { clock, abort });
    abort.abort('the run has ended');
    expect(await result).toMatchObject({
      ok: false,
      kind: 'cancelled',
      text: "Cannot finish 'do' as it was cancelled: the run has ended",
      error: { code: 'tool.cancelled' },
    });
    expect(clock.pending).toBe(0);
  });

  test('[M22] before the start: the tool never runs', () => {
    const execute = vi.fn<() => void>();
    const clock = virtualClock();
    const abort = new LazyAbort();
    abort.abort();
    expect(perform(make(execute), { a: 1 }, { clock, abort })).toMatchObject({ kind: 'cancelled' });
    expect(execute).not.toHaveBeenCalled();
  });

  test('[M22] during an asynchronous check: the tool never runs', async () => {
    const execute = vi.fn<() => void>();
    const clock = virtualClock();
    const abort = new LazyAbort();
    const input = z.object({}).refine(async () => {
      abort.abort('too late');
      return true;
    });
    const later = tool({ name: 'do', description: 'x', input, execute });
    expect(await perform(later, {}, { clock, abort })).toMatchObject({ kind: 'cancelled' });
    // The check itself is through a little later.
    await clock.advance(0);
    expect(execute).not.toHaveBeenCalled();
  });
});
