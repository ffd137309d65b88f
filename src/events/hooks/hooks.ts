import type { Clock } from '../../base/clock.ts';
import type { EventType, Hook, HookScope, LiveEvent } from '../../contracts/events/event.ts';
import type { EventStream } from '../stream/event-stream.ts';
import type { Watcher } from '../stream/watcher.ts';
import type { OnFailure } from './failure-reporter.ts';
import { failureReporter } from './failure-reporter.ts';
import type { HookStats } from './hook-lane.ts';
import { HookLane } from './hook-lane.ts';

/** The calls that hooks need of the run that they observe. */
export interface HookSetup {
  readonly clock: Clock;
  /** Called for every exception, rejection and timeout, with the name of the hook; at most 100 times each. */
  readonly onFailure: OnFailure;
  /** Called with the number of dropped events once a hook has caught up. Their sum equals `stats`. */
  readonly onDropped?: ((hook: string, count: number) => void) | undefined;
  /** Largest queue of a hook; beyond it the oldest events are dropped. Default 1,000. */
  readonly capacity?: number | undefined;
  /** Passed to every hook with every event. */
  readonly scope?: Pick<HookScope, 'context' | 'thread' | 'sent' | 'isRepeated'> | undefined;
}

/** Attached hooks. */
export interface AttachedHooks {
  /** Statistics of every hook, in calling order. */
  readonly stats: readonly HookStats[];
  /**
   * Waits until every hook has handled its queue, for at most `timeoutMs` (by the run's clock, default 5,000): then the rest is dropped and
   * counted. The hooks accept no more events. Never rejects.
   */
  settle(timeoutMs?: number): Promise<void>;
  /** Flushes hooks, each within its timeout. Undefined if there is nothing to flush. Never rejects. */
  flush(runId: string): Promise<void> | undefined;
  /** Accepts no more events; queued ones are still handled. */
  detach(): void;
}

/**
 * Attaches hooks to a stream, by priority, then in the order given, each with its own queue and timeout.
 *
 * A hook is called within `publish`, unless it is still busy: then the event is queued, without delaying others. Failures of hooks with the
 * same name are reported together.
 *
 * @example
 * const hooks = attachHooks(stream, [hook({ name: 'audit', on: 'tool.started', handle: write })], { clock, onFailure });
 * stream.close();
 * await hooks.settle();
 */
export const attachHooks = (
  stream: EventStream,
  hooks: readonly Hook[],
  { clock, onFailure, onDropped = () => undefined, capacity = 1_000, scope = {} }: HookSetup,
): AttachedHooks => {
  const report = failureReporter(onFailure);
  const lanes = hooks
    // Sorting is stable: equal priorities keep the order given.
    .toSorted((one, other) => (other.priority ?? 0) - (one.priority ?? 0))
    .map((observer) => new HookLane(observer, { clock, report, onDropped, capacity, scope }));
  const attached = new HookLanes(lanes, clock);
  if (lanes.length > 0) attached.watch(stream);
  return attached;
};

/** The queues of all hooks of a stream, in calling order. */
class HookLanes implements AttachedHooks, Watcher {
  readonly name = 'hooks';
  readonly wantsDeltas: boolean;
  readonly #lanes: readonly HookLane[];
  readonly #clock: Clock;
  /** By type of event, those that want it. */
  readonly #interested = new Map<EventType, readonly HookLane[]>();
  #watching: { readonly stop: () => void } | undefined;

  constructor(lanes: readonly HookLane[], clock: Clock) {
    this.#lanes = lanes;
    this.#clock = clock;
    this.wantsDeltas = lanes.some((lane) => lane.wants('model.delta'));
  }

  get stats(): readonly HookStats[] {
    return this.#lanes.map((lane) => lane.stats);
  }

  watch(stream: EventStream): void {
    this.#watching = { stop: stream.watch(this) };
  }

  detach(): void {
    this.#watching?.stop();
  }

  next(event: LiveEvent): void {
    let interested = this.#interested.get(event.type);
    if (interested === undefined) {
      interested = this.#lanes.filter((lane) => lane.wants(event.type));
      this.#interested.set(event.type, interested);
    }
    for (const lane of interested) lane.offer(event);
  }

  flush(runId: string): Promise<void> | undefined {
    const flushing = this.#lanes.flatMap((lane) => lane.flush(runId) ?? []);
    return flushing.length === 0 ? undefined : Promise.all(flushing).then(() => undefined);
  }

  async settle(timeoutMs = 5_000): Promise<void> {
    const busy = this.#lanes.filter((lane) => lane.isBusy);
    if (busy.length > 0) {
      const idle = Promise.all(busy.map((lane) => lane.whenIdle()));
      let timer: unknown;
      const patience = new Promise<void>((resolve) => {
        timer = this.#clock.setTimeout(resolve, timeoutMs);
      });
      await Promise.race([idle, patience]);
      this.#clock.clearTimeout(timer);
    }
    this.detach();
    for (const lane of this.#lanes) lane.close();
  }
}
