import type { Clock } from '../../base/clock.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { EventType, Hook, HookScope, LiveEvent } from '../../contracts/events/event.ts';
import { BoundedBuffer } from '../../base/collections/bounded-buffer.ts';
import type { OnFailure } from './failure-reporter.ts';
import { isAboutObservers } from './failure-reporter.ts';
import { isThenable } from '../../base/promises/thenable.ts';

/** Statistics of a hook, in events. */
export interface HookStats {
  readonly name: string;
  /** Started, including failed ones. */
  readonly handled: number;
  /** Threw, rejected or timed out. */
  readonly failed: number;
  /** Dropped, as too many were waiting. */
  readonly dropped: number;
  /** Still in its queue. */
  readonly waiting: number;
}

interface LaneSetup {
  readonly clock: Clock;
  readonly report: OnFailure;
  readonly onDropped: (hook: string, count: number) => void;
  readonly capacity: number;
  readonly scope: Pick<HookScope, 'context' | 'thread' | 'sent' | 'isRepeated'>;
}

/** In ms. */
const DEFAULT_TIMEOUT = 5_000;

/** One hook and its queue: it handles one event at a time, in order, without delaying others. */
export class HookLane {
  readonly #hook: Hook;
  readonly #types: ReadonlySet<EventType> | undefined;
  readonly #timeoutMs: number;
  readonly #setup: LaneSetup;
  readonly #scope: HookScope;
  readonly #waiting: BoundedBuffer<LiveEvent>;
  readonly #whenIdle: (() => void)[] = [];
  #giveUp: (() => void) | undefined;
  #isBusy = false;
  #isClosed = false;
  #handled = 0;
  #failed = 0;
  #dropped = 0;
  #untold = 0;

  constructor(hook: Hook, setup: LaneSetup) {
    const { timeoutMs = DEFAULT_TIMEOUT } = hook;
    this.#hook = hook;
    this.#types = typesOf(hook.on);
    this.#timeoutMs = timeoutMs;
    this.#setup = setup;
    const { clock, report, onDropped, scope } = setup;
    this.#scope = {
      ...scope,
      clock,
      failed: (error) => {
        report(hook.name, error);
      },
      dropped: (count) => {
        onDropped(hook.name, count);
      },
    };
    this.#waiting = new BoundedBuffer(setup.capacity);
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  get stats(): HookStats {
    return {
      name: this.#hook.name,
      handled: this.#handled,
      failed: this.#failed,
      dropped: this.#dropped,
      waiting: this.#waiting.length,
    };
  }

  wants(type: EventType): boolean {
    return this.#types === undefined || this.#types.has(type);
  }

  offer(event: LiveEvent): void {
    if (this.#isClosed) return;
    if (this.#isBusy) {
      if (this.#waiting.push(event)) this.#drop(1);
      return;
    }
    this.#isBusy = true;
    this.#work(event);
  }

  /** Resolves when the queue is empty and the hook is idle. */
  whenIdle(): Promise<void> {
    if (!this.#isBusy) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  /** Flushes the hook after its queue is empty, within its timeout. Undefined for a hook without `flush`. */
  flush(runId: string): Promise<void> | undefined {
    const { clock, report } = this.#setup;
    if (this.#hook.flush === undefined) return undefined;
    const flushed = this.whenIdle()
      .then(() => this.#hook.flush?.(runId))
      .catch((error: unknown) => {
        report(this.#hook.name, error);
      });
    return new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, this.#timeoutMs);
      void flushed.then(() => {
        clock.clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Drops the queue, and accepts no more events. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#drop(this.#waiting.length);
    this.#waiting.clear();
    this.#giveUp?.();
    this.#tellDropped();
  }

  /** A loop instead of a recursion, as a queue of 1,000 synchronous events would overflow the stack. */
  #work(first: LiveEvent | undefined): void {
    let event = first;
    while (event !== undefined) {
      this.#handled += 1;
      const pending = this.#handle(event);
      if (pending !== undefined) {
        this.#await(pending, event);
        return;
      }
      event = this.#waiting.shift();
    }
    this.#isBusy = false;
    this.#tellDropped();
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #handle(event: LiveEvent): PromiseLike<unknown> | undefined {
    try {
      const returned: unknown = this.#hook.handle(event, this.#scope);
      return isThenable(returned) ? returned : undefined;
    } catch (error) {
      this.#fail(event, error);
      return undefined;
    }
  }

  /** Continues when `pending` settles or times out, whichever is first. */
  #await(pending: PromiseLike<unknown>, event: LiveEvent): void {
    const { clock } = this.#setup;
    const goOn = () => {
      if (this.#giveUp !== stop) return;
      stop();
      this.#work(this.#waiting.shift());
    };
    const timer = clock.setTimeout(() => {
      this.#fail(event, this.#outOfTime(event));
      goOn();
    }, this.#timeoutMs);
    const stop = () => {
      clock.clearTimeout(timer);
      this.#giveUp = undefined;
    };
    this.#giveUp = stop;
    // Wrapped first, as a foreign thenable may throw.
    void Promise.resolve(pending).then(goOn, (error: unknown) => {
      if (this.#giveUp === stop) this.#fail(event, error);
      goOn();
    });
  }

  #outOfTime({ type, runId, path }: LiveEvent): TroupeError {
    const { name } = this.#hook;
    const message = `Cannot wait for hook '${name}' as it took longer than ${this.#timeoutMs} ms: ${type}`;
    return new TroupeError('internal', message, { runId, path });
  }

  #fail(event: LiveEvent, error: unknown): void {
    this.#failed += 1;
    if (!isAboutObservers(event)) this.#setup.report(this.#hook.name, error, event);
  }

  #drop(count: number): void {
    this.#dropped += count;
    this.#untold += count;
  }

  #tellDropped(): void {
    const count = this.#untold;
    if (count === 0) return;
    this.#untold = 0;
    try {
      this.#setup.onDropped(this.#hook.name, count);
    } catch (error) {
      this.#setup.report(this.#hook.name, error);
    }
  }
}

/** The types that a hook names in `on`; undefined for all. */
export const typesOf = (on: Hook['on']): ReadonlySet<EventType> | undefined =>
  on === undefined ? undefined : new Set(typeof on === 'string' ? [on] : on);
