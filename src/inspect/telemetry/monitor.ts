import { Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Hook, HookScope, LiveEvent } from '../../contracts/event.ts';
import type { RunStatus } from '../../contracts/run.ts';
import { SafeObservable } from '../../events/safe-observable.ts';

/** What a monitor knows of a run. */
export interface RunRecord {
  readonly runId: string;
  /** The name of its root. */
  readonly agent: string;
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
  /** By id, in the order in which they began. */
  readonly runs: ReadonlyMap<string, RunRecord>;
  /** A record each time that it changes, while its run goes on. A subscriber that throws harms nobody else. */
  readonly changes$: Observable<RunRecord>;
}

/** What a monitor may be told. */
export interface MonitorOptions {
  /** Runs that are kept; past it the one that ended first is forgotten, or the oldest. Default 1,000. */
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
  /** Of the run that is told of: what a subscriber throws is thrown at what happens in it. */
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

/** One that has ended, the first of them, or the oldest. */
const toForget = (runs: ReadonlyMap<string, RunRecord>): string => {
  let oldest: string | undefined;
  for (const [runId, { status }] of runs) {
    if (status !== 'running') return runId;
    oldest ??= runId;
  }
  return oldest ?? '';
};

const recordAfter = (known: RunRecord | undefined, event: LiveEvent): RunRecord | undefined => {
  // A run that is gone on with is told of from its beginning: so it begins anew here, too.
  if (event.type === 'run.started') {
    const { runId, agent, at } = event;
    return { runId, agent, status: 'running', startedAt: at, durationMs: 0, steps: 0, tokens: 0, costUsd: 0 };
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
