import { setImmediate as macrotask } from 'node:timers/promises';
import type { Clock } from '../../../src/base/clock.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import type { ScheduleReport } from '../../../src/runtime/schedules/schedule.ts';

/** A wall clock that can be set, as an operating system's can: timers count the time that passes, and do not notice. */
export interface SettableClock extends Clock {
  readonly pending: number;
  /** Time passes: timers fire in order of their time. */
  pass(ms: number): Promise<void>;
  /** Sets the clock, by so much. */
  jump(ms: number): void;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

export const settableClock = (startMs: number, isQuiet: () => Promise<void>): SettableClock => {
  let passed = 0;
  let offset = startMs;
  const timers = new Set<Timer>();
  const nextUntil = (end: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers)
      if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer;
    return next;
  };
  return {
    now: () => passed + offset,
    setTimeout: (callback, ms) => {
      // As platforms do: a longer delay fires at once.
      const timer = { due: passed + (ms > 2 ** 31 - 1 ? 1 : Math.max(0, ms)), callback };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (handle) => {
      timers.delete(handle as Timer);
    },
    get pending() {
      return timers.size;
    },
    jump: (ms) => {
      offset += ms;
    },
    pass: async (ms) => {
      const end = passed + ms;
      await isQuiet();
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        timers.delete(timer);
        passed = timer.due;
        timer.callback();
        await isQuiet();
      }
      passed = end;
    },
  };
};

/** Resolves when `isDone` holds; rejects after many turns of the event loop, so that a law that is broken ends. */
export const until = async (isDone: () => boolean | Promise<boolean>, what = 'it'): Promise<void> => {
  for (let turn = 0; turn < 20_000; turn += 1) {
    if (await isDone()) return;
    await macrotask();
  }
  throw new Error(`${what} did not happen`);
};

/** An agent that answers at once with its input. */
export const echo = agent({ name: 'echo', decide: ({ input }) => answer(String(input)) });

/** Loads what the first stored run of a process loads, from files: turns of the event loop are counted after it. */
export const warmUp = async (): Promise<void> => {
  await import('croner');
  await echo.run('Warm.', { store: memoryStore(), thread: 'warm' });
};

/** The runs of a schedule in a store, oldest due time first. */
export const runsOf = async (store: JournalStore, name: string): Promise<readonly string[]> =>
  (await store.list())
    .map(({ runId }) => runId)
    .filter((runId) => runId.startsWith(`${name}@`))
    .map((runId) => runId.slice(name.length + 1))
    .sort();

/** Reports, collected. */
export const reports = () => {
  const all: ScheduleReport[] = [];
  return { all, onReport: (report: ScheduleReport) => void all.push(report) };
};

/** A store that knows when all that was asked of it is answered, and nothing has been asked for some turns of the event loop. */
export const watchedStore = (store: JournalStore, turns = 6) => {
  let calls = 0;
  let unanswered = 0;
  const answered = (): void => void (unanswered -= 1);
  const watch = <Watched extends object>(watched: Watched): Watched =>
    new Proxy(watched, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...given: readonly unknown[]): unknown => {
          calls += 1;
          const result: unknown = Reflect.apply(value, target, given);
          if (result instanceof Promise) {
            unanswered += 1;
            result.then(answered, answered);
          }
          return name === 'files' && typeof result === 'object' && result !== null ? watch(result) : result;
        };
      },
    });
  const isQuiet = async (): Promise<void> => {
    for (let quiet = 0; quiet < turns;) {
      const before = calls;
      await macrotask();
      quiet = calls === before && unanswered === 0 ? quiet + 1 : 0;
    }
  };
  return { store: watch(store), isQuiet };
};

/** A process of its own over a shared store and clock, which can be killed: nothing that it asks for is answered any more, and no timer of it fires. */
export const mortalProcess = (store: JournalStore, clock: Clock, dead: Set<string>) => {
  const holder = `process ${(processes += 1)}`;
  let left = Infinity;
  const isDead = (): boolean => dead.has(holder);
  const live = <Living extends object>(living: Living): Living =>
    new Proxy(living, {
      get: (target, name) => {
        if (name === 'identity') return { holder, isGone: (other: string) => dead.has(other) };
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...given: readonly unknown[]): unknown => {
          if (name === 'files') {
            const files: unknown = Reflect.apply(value, target, given);
            return typeof files === 'object' && files !== null ? live(files) : files;
          }
          if (isDead()) return new Promise(() => undefined);
          left -= 1;
          // It dies before the operation, or after it and before it hears of it.
          if (left <= 0) dead.add(holder);
          if (left < 0) return new Promise(() => undefined);
          const result: unknown = Reflect.apply(value, target, given);
          return isDead() ? new Promise(() => undefined) : result;
        };
      },
    });
  const ownClock: Clock = {
    now: () => clock.now(),
    setTimeout: (callback, ms) =>
      clock.setTimeout(() => {
        if (!isDead()) callback();
      }, ms),
    clearTimeout: (handle) => {
      clock.clearTimeout(handle);
    },
  };
  return {
    store: live(store),
    clock: ownClock,
    isDead,
    kill: () => dead.add(holder),
    /** Dies around its `operations`-th operation on the store from now on: before it at 0.5, after it at a whole number. */
    dieAfter: (operations: number) => {
      left = operations;
    },
  };
};

let processes = 0;
