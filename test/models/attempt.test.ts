import { LazyAbort } from '../../src/base/promises/lazy-abort.ts';
import { describe, expect, it, vi } from 'vitest';
import { isTroupeError, TroupeError } from '../../src/contracts/errors/error.ts';
import {
  type Model,
  type ModelAnswer,
  modelAnswer,
  type ModelCall,
  type ModelDelta,
} from '../../src/contracts/models/model.ts';
import { attemptModel, type AttemptOptions } from '../../src/models/retry/attempt.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { question } from '../support/ask-model.ts';

const hello = modelAnswer({ text: 'Hello.' });

const model = (answer: Model['answer']): Model => ({ provider: 'test', id: 'test', answer });

/** A model that answers when it is told to. */
const heldModel = () => {
  let settle: { resolve: (answer: ModelAnswer) => void; reject: (error: unknown) => void } | undefined;
  let call: ModelCall | undefined;
  const held = model(
    (_, given) =>
      new Promise((resolve, reject) => {
        call = given;
        settle = { resolve, reject };
      }),
  );
  return {
    model: held,
    resolve: (answer = hello) => settle?.resolve(answer),
    reject: (error: unknown) => settle?.reject(error),
    delta: (delta: ModelDelta = { type: 'progress' }) => call?.delta(delta),
    signal: () => call?.signal,
  };
};

const start = (asked: Model, options: Partial<AttemptOptions> = {}) => {
  const clock = virtualClock();
  const answer = Promise.resolve(attemptModel(asked, question(), { key: 'key', clock, ...options })).then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  );
  let outcome: Awaited<typeof answer> | undefined;
  void answer.then((settled) => {
    outcome = settled;
  });
  return { clock, answer, outcome: () => outcome };
};

const codeOf = (error: unknown): string => (isTroupeError(error) ? error.code : String(error));

describe('an answer that is there at once', () => {
  it('is returned at once, with no timer and no AbortController', () => {
    const clock = {
      now: vi.fn<() => number>(),
      setTimeout: vi.fn<() => void>(),
      clearTimeout: vi.fn<() => void>(),
    };
    const made = vi.spyOn(globalThis, 'AbortController');
    const options = {
      key: 'key',
      clock,
      get signal(): AbortSignal {
        throw new Error('nobody asked for it');
      },
    };
    try {
      expect(
        attemptModel(
          model(() => hello),
          question(),
          options,
        ),
      ).toBe(hello);
      expect(made).not.toHaveBeenCalled();
    } finally {
      made.mockRestore();
    }
    for (const used of Object.values(clock)) expect(used).not.toHaveBeenCalled();
  });

  it('what the model throws is thrown', () => {
    const broken = model(() => {
      throw new TroupeError('model.refused', 'x');
    });
    expect(() => attemptModel(broken, question(), { key: 'key', clock: virtualClock() })).toThrow('x');
  });

  it('hands the model its key, whether somebody watches, and a way to report', () => {
    const seen: unknown[] = [];
    const reporting = model((_, call) => {
      call.delta({ type: 'text', text: 'Hel' });
      seen.push(call.key, call.isWatched, call.signal.aborted);
      return hello;
    });
    void attemptModel(reporting, question(), {
      key: 'run#1',
      clock: virtualClock(),
      isWatched: true,
      onDelta: (delta) => seen.push(delta),
    });
    expect(seen).toEqual([{ type: 'text', text: 'Hel' }, 'run#1', true, false]);
  });
});

describe('an answer that is promised', () => {
  it('comes through, and nothing stays behind', async () => {
    const held = heldModel();
    const abort = new LazyAbort();
    const removed = vi.spyOn(abort, 'leave');
    const { clock, answer } = start(held.model, { abort });
    // For as long as the model is silent, the nearer limit is the only one.
    expect(clock.pending).toBe(1);
    held.resolve();
    expect((await answer).value).toBe(hello);
    expect(clock.pending).toBe(0);
    expect(removed).toHaveBeenCalledOnce();
    abort.abort();
    expect(held.signal()?.aborted).toBe(false);
  });

  it('what the model rejects with is what comes out', async () => {
    const held = heldModel();
    const { clock, answer } = start(held.model);
    held.reject(new Error('mine'));
    expect((await answer).error).toEqual(new Error('mine'));
    expect(clock.pending).toBe(0);
  });

  it('[F34] is waited for as long as the attempt may last, then the model is told to stop', async () => {
    const held = heldModel();
    const { clock, outcome } = start(held.model, { attemptTimeoutMs: 1_000, idleTimeoutMs: Infinity });
    const signal = held.signal();
    await clock.advance(999);
    expect(outcome()).toBeUndefined();
    await clock.advance(1);
    expect(outcome()?.error).toMatchObject({ code: 'model.timeout', retryable: 'yes' });
    expect(signal?.aborted).toBe(true);
    expect(codeOf(signal?.reason)).toBe('model.timeout');
    expect(clock.pending).toBe(0);
  });

  it('[F9] ends as idle when nothing comes, from the very start', async () => {
    const { clock, outcome } = start(heldModel().model);
    await clock.advance(89_999);
    expect(outcome()).toBeUndefined();
    await clock.advance(1);
    expect(outcome()?.error).toMatchObject({ code: 'model.idle', retryable: 'yes' });
  });

  it('[F9] [F36] every delta starts the silence anew, and the last one counts', async () => {
    const held = heldModel();
    const { clock, outcome } = start(held.model, { idleTimeoutMs: 100, attemptTimeoutMs: 10_000 });
    for (let step = 0; step < 20; step += 1) {
      await clock.advance(60);
      held.delta();
    }
    expect(outcome()).toBeUndefined();
    await clock.advance(99);
    expect(outcome()).toBeUndefined();
    await clock.advance(1);
    expect(codeOf(outcome()?.error)).toBe('model.idle');
    expect(clock.now()).toBe(1_300);
  });

  it('[F36] a stream that never falls silent ends by the attempt’s time-out', async () => {
    const held = heldModel();
    const { clock, outcome } = start(held.model, { idleTimeoutMs: 100, attemptTimeoutMs: 1_000 });
    for (let step = 0; step < 20; step += 1) {
      held.delta();
      await clock.advance(50);
    }
    expect(codeOf(outcome()?.error)).toBe('model.timeout');
  });

  it('[F31] a clock that jumps back makes no wait longer than the limit', async () => {
    const inner = virtualClock(1_000_000);
    let shift = 0;
    const clock = { ...inner, now: () => inner.now() + shift };
    const held = heldModel();
    const answer = Promise.resolve(
      attemptModel(held.model, question(), { key: 'key', clock, idleTimeoutMs: 100 }),
    ).catch(codeOf);
    shift = -900_000;
    await clock.advance(100);
    await clock.advance(100);
    shift = 0;
    await clock.advance(100);
    expect(await answer).toBe('model.idle');
  });

  it('[P8] ends at once when the run is aborted, also if the model does not listen', async () => {
    const abort = new LazyAbort();
    const held = heldModel();
    const { clock, answer } = start(held.model, { abort });
    const signal = held.signal();
    abort.abort(new TroupeError('run.aborted', 'Enough.'));
    expect((await answer).error).toMatchObject({ code: 'run.aborted', message: 'Enough.' });
    expect(signal?.reason).toBe(abort.signal.reason);
    expect(clock.pending).toBe(0);
  });

  it('[P8] an abort for a reason of one’s own keeps it as the cause', async () => {
    const abort = new LazyAbort();
    abort.abort('tired');
    const { answer } = start(heldModel().model, { abort });
    expect((await answer).error).toMatchObject({ code: 'run.aborted', retryable: 'no', cause: 'tired' });
  });

  it('[F38] what the model does after the end is ignored, and is nobody’s unhandled rejection', async () => {
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    const deltas: ModelDelta[] = [];
    const held = heldModel();
    const { clock, outcome } = start(held.model, {
      attemptTimeoutMs: 10,
      onDelta: (delta) => deltas.push(delta),
    });
    await clock.advance(10);
    held.delta({ type: 'text', text: 'late' });
    held.reject(new Error('late'));
    await clock.advance(0);
    await new Promise((done) => setTimeout(done, 5));
    process.off('unhandledRejection', unhandled);
    expect(codeOf(outcome()?.error)).toBe('model.timeout');
    expect(deltas).toEqual([]);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('a call that a wrapper spreads is whole: it is heard, known by its key, and told to stop', async () => {
    const abort = new LazyAbort();
    const deltas: ModelDelta[] = [];
    const inner = heldModel();
    let key = '';
    const wrapped = model((request, call) => {
      const changed = {
        ...call,
        delta: (delta: ModelDelta) => {
          call.delta(delta);
        },
      };
      key = changed.key;
      return inner.model.answer(request, changed);
    });
    const { answer } = start(wrapped, { abort, onDelta: (delta) => deltas.push(delta) });
    inner.delta({ type: 'text', text: 'Hel' });
    expect(deltas).toEqual([{ type: 'text', text: 'Hel' }]);
    expect(key).toBe('key');
    abort.abort(new TroupeError('run.aborted', 'Cannot go on as somebody said stop'));
    expect((await answer).error).toMatchObject({ code: 'run.aborted' });
    expect(inner.signal()?.aborted).toBe(true);
  });

  it('a model that asks for its signal only after the end finds it aborted', async () => {
    const held = heldModel();
    const { clock } = start(held.model, { attemptTimeoutMs: 10 });
    await clock.advance(10);
    expect(held.signal()?.aborted).toBe(true);
  });

  it('a limit beyond what a timer can count holds, and none sets no timer', async () => {
    const { clock, outcome } = start(heldModel().model, {
      attemptTimeoutMs: 2 ** 31,
      idleTimeoutMs: Infinity,
    });
    expect(clock.pending).toBe(1);
    await clock.advance(2 ** 31 - 1);
    expect(outcome()).toBeUndefined();
    await clock.advance(1);
    expect(codeOf(outcome()?.error)).toBe('model.timeout');
  });
});
