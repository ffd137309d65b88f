import { Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Hook, HookScope, LiveEvent } from '../../contracts/events/event.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import { SafeObservable } from '../../events/stream/safe-observable.ts';

/** A monitor's record of a run. */
export interface RunRecord {
  readonly runId: string;
  /** The name of its root. */
  readonly agent: string;
  /** As `by` of its engine names it. */
  readonly tenant?: string | undefined;
  readonly status: 'running' | RunStatus;
  /** In ms since 1970. */
  readonly startedAt: number;
  /** In ms: so far, until it has ended. */
  readonly durationMs: number;
  readonly steps: number;
  /** Input and output of all models. */
  readonly tokens: number;
  /** In US dollars, as far as prices are known. */
  readonly costUsd: number;
  /** Code of the error that it ended with. */
  readonly error?: string | undefined;
}

/** A hook that keeps a record of each run. */
export interface MonitorHook extends Hook {
  /** By id, in order of start. */
  readonly runs: ReadonlyMap<string, RunRecord>;
  /** Emits a run's record whenever it changes. A subscriber that throws does not affect others. */
  readonly changes$: Observable<RunRecord>;
}

/** Options of a monitor. */
export interface MonitorOptions {
  /** Maximum number of runs kept; beyond it the first ended one is dropped, or the oldest. Default 1,000. */
  readonly capacity?: number | undefined;
}

const CAPACITY = 1_000;

/**
 * Watches runs: what each has used so far, live, and how it ended, by its id. For an engine, or for runs.
 *
 * @example
 * const watching = monitor();
 * watching.changes$.subscribe(({ runId, tokens }) => console.log(runId, tokens));
 * await clerk.run('What is 19 + 23?', { hooks: [watching], runId: 'sum' });
 * watching.runs.get('sum')?.status; // 'completed'
 */
export const monitor = ({ capacity = CAPACITY }: MonitorOptions = {}): MonitorHook => {
  const runs = new Map<string, RunRecord>();
  const changes = new Subject<RunRecord>();
  /** Of the current event's run: a subscriber's error is reported there. */
  let failed: HookScope['failed'];
  return {
    name: 'monitor',
    on: ['run.started', 'model.answered', 'step.ended', 'run.ended'],
    handle: (event, scope) => {
      failed = scope.failed;
      const record = recordAfter(runs.get(event.runId), event);
      if (record === undefined) return;
      runs.set(record.runId, record);
      if (runs.size > capacity) runs.delete(toForget(runs));
      changes.next(record);
    },
    runs,
    changes$: new SafeObservable<RunRecord>(
      (_, error) => failed?.(error),
      (subscriber) => changes.subscribe(subscriber),
    ),
  };
};

/** Returns the first ended run, or the oldest. */
const toForget = (runs: ReadonlyMap<string, RunRecord>): string => {
  let oldest: string | undefined;
  for (const [runId, { status }] of runs) {
    if (status !== 'running') return runId;
    oldest ??= runId;
  }
  return oldest ?? '';
};

const recordAfter = (known: RunRecord | undefined, event: LiveEvent): RunRecord | undefined => {
  // A resumed run repeats its events from the first, so its record starts over, too.
  if (event.type === 'run.started') {
    const { runId, agent, tenant, at } = event;
    const whose = { runId, agent, ...(tenant === undefined ? {} : { tenant }) };
    return { ...whose, status: 'running', startedAt: at, durationMs: 0, steps: 0, tokens: 0, costUsd: 0 };
  }
  if (known === undefined) return undefined;
  const durationMs = event.at - known.startedAt;
  switch (event.type) {
    case 'model.answered': {
      const tokens = known.tokens + event.usage.input + event.usage.output;
      return { ...known, durationMs, tokens, costUsd: known.costUsd + (event.costUsd ?? 0) };
    }
    case 'step.ended':
      return { ...known, durationMs, steps: known.steps + 1 };
    case 'run.ended': {
      const { status, error, totals } = event;
      const { steps, inputTokens, outputTokens, costUsd = known.costUsd } = totals;
      const used = { steps, tokens: inputTokens + outputTokens, costUsd, durationMs: totals.durationMs };
      return { ...known, ...used, status, ...(error === undefined ? {} : { error: error.code }) };
    }
    default:
      return undefined;
  }
};
