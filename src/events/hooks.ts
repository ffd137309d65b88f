import type { Clock } from '../contracts/clock.ts';
import type { EventOf, EventType, Hook, HookScope, LiveEvent } from '../contracts/event.ts';
import type { EventStream } from './event-stream.ts';
import type { OnFailure } from './failure-reporter.ts';
import { failureReporter } from './failure-reporter.ts';
import type { HookStats } from './hook-lane.ts';
import { HookLane, typesOf } from './hook-lane.ts';

/** What hooks need of the run that they observe. */
export interface HookSetup {
  readonly clock: Clock;
  /** Told of every throw, rejection and time-out, by the name of the hook; at most 100 times of each. */
  readonly onFailure: OnFailure;
  /** Told, once a hook has caught up, how many events it missed since it fell behind. Their sum is `stats` exactly. */
  readonly onDropped?: ((hook: string, count: number) => void) | undefined;
  /** Events that may wait for one hook; past it the oldest are dropped. Default 1,000. */
  readonly capacity?: number | undefined;
  /** Handed to every hook with every event. */
  readonly scope?: Pick<HookScope, 'context' | 'thread' | 'sent'> | undefined;
}

/** Hooks at work. */
export interface AttachedHooks {
  /** Of every hook, in the order in which they are served. */
  readonly stats: readonly HookStats[];
  /**
   * Waits until every hook has handled what waits for it, but at most `timeoutMs` (by the run's clock, default 5,000):
   * what waits then is dropped and counted, and the hooks take no more. Never rejects.
   */
  settle(timeoutMs?: number): Promise<void>;
  /** Waits for hooks that still have something to pass on, each at most its time-out. Undefined where there is none. Never rejects. */
  flush(runId: string): Promise<void> | undefined;
  /** Takes no more events; what waits is still handled. */
  detach(): void;
}

/**
 * Lets hooks observe a stream: by priority, then in the order given, each with a queue and a time-out of its own.
 *
 * A hook is called within `publish`, unless it is still busy with an earlier event: then the event waits for it, and
 * nobody else does. Of hooks with one name, failures are reported together.
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
  const lanesOf = new Map<EventType, readonly HookLane[]>();

  const next = (event: LiveEvent) => {
    let interested = lanesOf.get(event.type);
    if (interested === undefined) {
      interested = lanes.filter((lane) => lane.wants(event.type));
      lanesOf.set(event.type, interested);
    }
    for (const lane of interested) lane.offer(event);
  };
  const wantsDeltas = lanes.some((lane) => lane.wants('model.delta'));
  const detach = lanes.length === 0 ? () => undefined : stream.watch({ name: 'hooks', wantsDeltas, next });

  return {
    get stats() {
      return lanes.map((lane) => lane.stats);
    },
    detach,
    flush: (runId) => {
      const flushing = lanes.flatMap((lane) => lane.flush(runId) ?? []);
      return flushing.length === 0 ? undefined : Promise.all(flushing).then(() => undefined);
    },
    settle: async (timeoutMs = 5_000) => {
      const busy = lanes.filter((lane) => lane.isBusy);
      if (busy.length > 0) {
        const idle = Promise.all(busy.map((lane) => lane.whenIdle()));
        let timer: unknown;
        const patience = new Promise<void>((resolve) => {
          timer = clock.setTimeout(resolve, timeoutMs);
        });
        await Promise.race([idle, patience]);
        clock.clearTimeout(timer);
      }
      detach();
      for (const lane of lanes) lane.close();
    },
  };
};

/**
 * A hook whose event has the type that `on` names: `handle` sees only that, and the hook fits wherever hooks do.
 *
 * @example
 * const audit = hook({ name: 'audit', on: 'tool.finished', handle: (event) => console.log(event.tool, event.ok) });
 * await desk.run('…', { hooks: [audit] });
 */
export const hook = <const Type extends EventType = EventType>(observer: Hook<Type>): Hook => {
  const { name, on, priority, timeoutMs, wantsRequests } = observer;
  const types = typesOf(on);
  const isWanted = (event: LiveEvent): event is EventOf<Type> => types?.has(event.type) ?? true;
  return {
    name,
    on,
    priority,
    timeoutMs,
    ...(wantsRequests === undefined ? {} : { wantsRequests }),
    handle: (event, scope) => (isWanted(event) ? observer.handle(event, scope) : undefined),
    ...(observer.flush === undefined ? {} : { flush: (runId: string) => observer.flush?.(runId) }),
  };
};
