import { describe, expect, test, vi } from 'vitest';
import { LazyAbort } from '../../src/base/promises/lazy-abort.ts';

describe('a lazy abort', () => {
  test('[M22] makes no AbortController until somebody reads the signal', () => {
    const made = vi.spyOn(globalThis, 'AbortController');
    const abort = new LazyAbort();
    abort.onAbort(() => undefined);
    abort.abort('enough');
    expect(abort.isAborted).toBe(true);
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });

  test('[M22] gives one and the same signal, before and after the abort', () => {
    const abort = new LazyAbort();
    const { signal } = abort;
    abort.abort('enough');
    expect(abort.signal).toBe(signal);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe('enough');
    const late = new LazyAbort();
    late.abort('enough');
    expect(late.signal.reason).toBe('enough');
  });

  test('[M22] keeps the first reason and calls each listener once, unless it was taken back', () => {
    const abort = new LazyAbort();
    const heard: unknown[] = [];
    abort.onAbort((reason) => heard.push(['first', reason]));
    abort.onAbort((reason) => heard.push(['gone', reason]))();
    abort.abort('one');
    abort.abort('two');
    abort.onAbort((reason) => heard.push(['late', reason]));
    expect(heard).toEqual([
      ['first', 'one'],
      ['late', 'one'],
    ]);
    expect(abort.reason).toBe('one');
  });

  test('[M22] calls no listener that another one took back during the abort', () => {
    for (const others of [0, 1, 2]) {
      const abort = new LazyAbort();
      const heard: string[] = [];
      let takeBack = (): unknown => undefined;
      abort.onAbort(() => {
        heard.push('first');
        takeBack();
      });
      takeBack = abort.onAbort(() => heard.push('taken back'));
      const attending = { aborted: () => heard.push('left') };
      abort.attend(attending);
      const leave = takeBack;
      takeBack = () => {
        leave();
        abort.leave(attending);
      };
      for (let count = 0; count < others; count += 1) abort.onAbort(() => heard.push('other'));
      abort.abort('enough');
      expect(heard).toEqual(['first', ...Array.from({ length: others }, () => 'other')]);
    }
  });
});
