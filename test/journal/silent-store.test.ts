import { describe, expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import type { RunLimits, RunOptions } from '../../src/contracts/runs/run-options.ts';
import { maxTime } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { threads } from '../../src/memory/threads/threads.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { fork, replay, resume, runOrResume } from '../../src/index.ts';
import type { Threads } from '../../src/contracts/conversations/thread.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, never, quiet, settled } from '../support/runs.ts';

const LIMIT_MS = 1_000;
const DAY_MS = 86_400_000;

/** A store in which one operation does not answer until it is let go. */
const silentIn = (name: 'create' | 'acquire' | 'commit' | 'read') => {
  const store = memoryStore();
  const held: (() => void)[] = [];
  const silent = new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const call = (...given: unknown[]): unknown => Reflect.apply(value, target, given);
      if (key !== name) return call;
      return (...given: unknown[]) =>
        new Promise((resolve, reject) => {
          held.push(() => {
            Promise.resolve()
              .then(() => call(...given))
              .then(resolve, reject);
          });
        });
    },
  });
  return {
    store,
    silent,
    letGo: async () => {
      for (const go of held.splice(0)) go();
      await quiet();
    },
  };
};

const clerk = (limits: { readonly timeMs?: number; readonly ruleMs?: number } = {}) => {
  let decided = 0;
  const made = agent({
    name: 'clerk',
    decide: () => answer(`done ${(decided += 1)}`),
    limits: { budget: { timeMs: limits.timeMs } },
    ...(limits.ruleMs === undefined ? {} : { stop: maxTime(limits.ruleMs) }),
  });
  return { made, decided: () => decided };
};

/** The run ended here, and nothing of it was done: once the store answers nothing more happens, and anybody may begin it. */
const expectGone = async (
  { store, letGo }: Pick<ReturnType<typeof silentIn>, 'store' | 'letGo'>,
  { decided }: ReturnType<typeof clerk>,
  clock: VirtualClock,
): Promise<void> => {
  expect(clock.pending).toBe(0);
  await letGo();
  await clock.advance(DAY_MS);
  expect(decided()).toBe(0);
  const again = await runOrResume(clerk().made, 'go', { store, runId: 'r' });
  expect((await again.result).output).toBe('done 1');
  expect((await replay(clerk().made, 'r', { store })).result?.output).toBe('done 1');
};

/** The ways in which a run is aborted. */
const aborts: readonly { readonly how: string; readonly isSignal: boolean; readonly options: RunOptions }[] =
  [
    { how: 'by its handle', isSignal: false, options: {} },
    { how: 'by its signal', isSignal: true, options: {} },
    { how: 'by its handle, in a thread', isSignal: false, options: { thread: 't' } },
  ];

describe('a store that never takes a run in', () => {
  test.each(aborts)('[FIND-51] does not keep it from being aborted $how', async ({ isSignal, options }) => {
    const place = silentIn('create');
    const clock = virtualClock(1_000);
    const subject = clerk();
    const abort = new AbortController();
    const handle = subject.made.stream('go', {
      ...options,
      store: place.silent,
      runId: 'r',
      clock,
      signal: abort.signal,
    });
    await clock.advance(100);
    if (isSignal) abort.abort(new Error('enough'));
    else handle.abort('enough');
    const result = await letTimePass(clock, settled(handle));
    expect(result.status).toBe('failed');
    await expect(handle.result).rejects.toMatchObject({
      code: 'journal.failed',
      message: "Cannot start run 'r' as its store does not answer: it was aborted before it started",
    });
    await expectGone(place, subject, clock);
  });

  test('[FIND-51] is waited for a while by one that is aborted: it ends as aborted where the store answers', async () => {
    const { silent, store, letGo } = silentIn('create');
    const clock = virtualClock(1_000);
    const handle = clerk().made.stream('go', { store: silent, runId: 'r', clock });
    handle.abort('enough');
    await clock.advance(4_000);
    await letGo();
    const { status, stopReason } = await handle.result;
    expect([status, stopReason]).toEqual(['aborted', { kind: 'aborted', reason: 'enough' }]);
    expect(clock.pending).toBe(0);
    expect((await store.entry('r'))?.status).toBe('aborted');
  });

  test.each([
    ['its own budget', { timeMs: LIMIT_MS }, {}],
    ['the budget of the run', {}, { limits: { budget: { timeMs: LIMIT_MS } } }],
    ['a rule', { ruleMs: LIMIT_MS }, {}],
    ['the nearer of two', { ruleMs: LIMIT_MS, timeMs: 9_000 }, {}],
  ])('[FIND-51] does not keep it past its time: %s', async (_, limits, options: RunOptions) => {
    const place = silentIn('create');
    const clock = virtualClock(1_000);
    const subject = clerk(limits);
    const handle = subject.made.stream('go', { ...options, store: place.silent, runId: 'r', clock });
    let isOver = false;
    const over = settled(handle).finally(() => (isOver = true));
    await clock.advance(LIMIT_MS);
    await quiet();
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect((await over).status).toBe('failed');
    await expect(handle.result).rejects.toMatchObject({
      code: 'journal.failed',
      message: "Cannot start run 'r' as its store does not answer: its time was up before it started",
    });
    await expectGone(place, subject, clock);
  });

  test('[FIND-51] costs a run whose store answers nothing of its time', async () => {
    const { silent, letGo } = silentIn('create');
    const clock = virtualClock(1_000);
    const slow = agent({ name: 'slow', decide: () => never(), limits: { budget: { timeMs: LIMIT_MS } } });
    const handle = slow.stream('go', { store: silent, runId: 'r', clock });
    await clock.advance(900);
    await letGo();
    const { stopReason } = await letTimePass(clock, handle.result, 100);
    expect(stopReason).toMatchObject({ kind: 'budget', used: LIMIT_MS + 1 });
    expect(clock.pending).toBe(0);
  });
});

test('[FIND-51] a store whose commit never settles does not keep a run past its time', async () => {
  const { silent } = silentIn('commit');
  const clock = virtualClock(1_000);
  const { made } = clerk({ timeMs: LIMIT_MS });
  const handle = made.stream('go', { store: silent, runId: 'r', clock });
  const result = await letTimePass(clock, settled(handle));
  expect(result.status).not.toBe('completed');
  await expect(handle.result).rejects.toMatchObject({
    code: 'journal.failed',
    message: expect.stringContaining('its store does not answer: its time was up') as string,
  });
  await clock.advance(DAY_MS);
  expect(clock.pending).toBe(0);
});

describe('a store that never gives a run', () => {
  const stored = async (store: JournalStore): Promise<void> => {
    await clerk().made.run('go', { store, runId: 'r' });
  };

  test.each([true, false])('[FIND-51] does not hold who resumes it: aborted before %s', async (isBefore) => {
    const { store, silent, letGo } = silentIn('acquire');
    await stored(store);
    const clock = virtualClock(1_000);
    const abort = new AbortController();
    if (isBefore) abort.abort();
    const resuming = resume(clerk().made, 'r', { store: silent, clock, signal: abort.signal });
    const refused = resuming.catch((thrown: unknown) => thrown);
    const refusal = {
      code: 'journal.failed',
      message: "Cannot resume run 'r' as its store does not answer: it was aborted before the run was loaded",
    };
    await clock.advance(100);
    abort.abort();
    await letTimePass(clock, Promise.allSettled([resuming]));
    expect(await refused).toMatchObject(refusal);
    expect(clock.pending).toBe(0);
    // What comes too late is given back at once: nobody has the run.
    await letGo();
    expect((await (await resume(clerk().made, 'r', { store })).result).output).toBe('done 1');
  });

  test('[FIND-51] does not hold who begins or resumes it past its time', async () => {
    const { store, silent, letGo } = silentIn('acquire');
    await stored(store);
    const clock = virtualClock(1_000);
    const options = { store: silent, runId: 'r', clock, limits: { budget: { timeMs: LIMIT_MS } } };
    const asked = runOrResume(clerk().made, 'go', options);
    const refused = asked.catch((thrown: unknown) => thrown);
    const refusal = {
      code: 'journal.failed',
      message: expect.stringContaining('its time was up before the run was loaded') as string,
    };
    await clock.advance(LIMIT_MS + 1);
    expect(await refused).toMatchObject(refusal);
    expect(clock.pending).toBe(0);
    await letGo();
    expect((await (await resume(clerk().made, 'r', { store })).result).output).toBe('done 1');
  });

  test('[FIND-51] leaves no timer and no listener where it does', async () => {
    const store = memoryStore();
    await stored(store);
    const clock = virtualClock(1_000);
    const { signal } = new AbortController();
    const budget = { timeMs: LIMIT_MS };
    const handle = await runOrResume(clerk().made, 'go', {
      store,
      runId: 'r',
      clock,
      signal,
      limits: { budget },
    });
    expect((await handle.result).output).toBe('done 1');
    expect(clock.pending).toBe(0);
  });
});

describe('a store that never gives a run to be forked', () => {
  const stored = async (store: JournalStore, budget?: RunLimits['budget']): Promise<void> => {
    await clerk().made.run('go', { store, runId: 'r', limits: { budget } });
  };

  test.each(['read', 'create'] as const)('[FIND-51] does not hold who forks it: %s', async (operation) => {
    const { store, silent, letGo } = silentIn(operation);
    await stored(store);
    const clock = virtualClock(1_000);
    const abort = new AbortController();
    const forking = fork(clerk().made, 'r', {
      store: silent,
      runId: 'other',
      clock,
      signal: abort.signal,
    });
    const refused = forking.catch((thrown: unknown) => thrown);
    await clock.advance(100);
    abort.abort();
    await letTimePass(clock, Promise.allSettled([forking]));
    expect(await refused).toMatchObject({
      code: 'journal.failed',
      message: "Cannot fork run 'r' as its store does not answer: it was aborted before the run was loaded",
    });
    expect(clock.pending).toBe(0);
    // What comes too late is given back at once: nobody has the fork, and nothing of it was done.
    await letGo();
    const again = await runOrResume(clerk().made, 'go', { store, runId: 'other' });
    expect((await again.result).output).toBe('done 1');
  });

  test('[FIND-51] does not hold who forks it past its time', async () => {
    const { store, silent, letGo } = silentIn('create');
    await stored(store, { timeMs: LIMIT_MS });
    const clock = virtualClock(1_000);
    const refused = fork(clerk().made, 'r', { store: silent, runId: 'other', clock }).catch(
      (thrown: unknown) => thrown,
    );
    await clock.advance(LIMIT_MS + 1);
    expect(await refused).toMatchObject({
      message: expect.stringContaining('its time was up before the run was loaded') as string,
    });
    expect(clock.pending).toBe(0);
    await letGo();
    expect((await store.letters('other')).length).toBe(0);
  });

  test('[FIND-51] leaves no timer and no listener where it does', async () => {
    const store = memoryStore();
    await stored(store, { timeMs: LIMIT_MS });
    const clock = virtualClock(1_000);
    const { signal } = new AbortController();
    const handle = await fork(clerk().made, 'r', { store, clock, signal });
    await handle.result;
    expect(clock.pending).toBe(0);
  });
});

describe('a thread that never loads', () => {
  /** Threads of which one answers when it is told to. */
  const silentThreads = () => {
    const answers: (() => void)[] = [];
    const real = threads(memoryStore().files('threads'));
    const kept: Threads = Object.create(real, {
      load: {
        value: (id: string) =>
          new Promise<void>((resolve) => {
            answers.push(resolve);
          }).then(() => real.load(id)),
      },
      append: { value: real.append.bind(real) },
    }) as Threads;
    return {
      kept,
      letGo: async () => {
        for (const answerIt of answers.splice(0)) answerIt();
        await quiet();
      },
    };
  };

  test.each([
    ['in no store', {}],
    ['in a store', { store: memoryStore() }],
  ])('[FIND-51] does not keep a run past its time: %s', async (_, options: RunOptions) => {
    const { kept, letGo } = silentThreads();
    const clock = virtualClock(1_000);
    const subject = clerk({ timeMs: LIMIT_MS });
    const handle = subject.made.stream('go', { ...options, thread: 't', threads: kept, clock });
    const over = settled(handle);
    await clock.advance(LIMIT_MS + 1);
    expect((await over).status).toBe('failed');
    expect(clock.pending).toBe(0);
    // What comes too late begins nothing.
    await letGo();
    await clock.advance(DAY_MS);
    expect(subject.decided()).toBe(0);
  });

  test('[FIND-51] says that it was the thread', async () => {
    const clock = virtualClock(1_000);
    const { made } = clerk({ timeMs: LIMIT_MS });
    const handle = made.stream('go', { thread: 't', threads: silentThreads().kept, clock });
    const refused = handle.result.catch((thrown: unknown) => thrown);
    await clock.advance(LIMIT_MS + 1);
    expect(await refused).toMatchObject({
      code: 'memory.unreadable',
      message: 'Cannot start the run as its thread does not answer: its time was up before it started',
    });
  });

  test('[FIND-51] costs a run whose thread answers nothing of its time', async () => {
    const { kept, letGo } = silentThreads();
    const clock = virtualClock(1_000);
    const { made } = clerk({ timeMs: LIMIT_MS });
    const handle = made.stream('go', { thread: 't', threads: kept, clock });
    await clock.advance(900);
    await letGo();
    expect((await handle.result).output).toBe('done 1');
    expect(clock.pending).toBe(0);
  });
});
