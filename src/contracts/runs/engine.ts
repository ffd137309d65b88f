import type { Observable } from 'rxjs';
import type { Agent } from '../agents/agent.ts';
import type { LiveEvent } from '../events/event.ts';
import type { RunHandle } from './run-handle.ts';
import type { RunOptions, SharedResource } from './run-options.ts';
import type { RunResult } from './run-result.ts';

/**
 * Carries runs: process-wide, per request, or for a single run; the three share this contract.
 *
 * `abort` stops runs in progress and leaves the engine usable; `shutdown` first refuses new work.
 */
export interface Engine extends AsyncDisposable {
  readonly kind: 'global' | 'request' | 'disposable';
  /** Maximum number of concurrent runs; more are queued in order. `Infinity`: all start at once. */
  readonly concurrency: number;
  /** True if new runs are refused. */
  readonly isClosed: boolean;
  /**
   * Events of all its runs: for runs in progress first their past events (without deltas), then live ones. Completes at
   * shutdown, after the last event of the last run. Its subscribers cannot affect a run.
   */
  readonly events$: Observable<LiveEvent>;
  /**
   * Runs like `agent.run`, once it is the run's turn. Rejects with `engine.closed` after a shutdown, `agent.duplicate`
   * for a second definition of a known name, `run.duplicate` for a run id in use, `engine.full` where its admission has
   * no room.
   */
  execute<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options?: RunOptions,
  ): Promise<RunResult<Output, State>>;
  /**
   * Returns the run's handle at once; a queued run is held until its turn, and so are calls on its handle. Throws where
   * `execute` would reject without a run.
   */
  stream<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options?: RunOptions,
  ): RunHandle<Output, State>;
  /** Aborts one run, or all; queued runs end without having started. */
  abort(reason?: string, runId?: string): void;
  /**
   * Refuses new runs, drains (default) or aborts current ones, flushes, and closes its resources. Idempotent; to hurry
   * a draining engine, call `abort`. Rejects with `engine.resource-failed` if something could not be flushed or closed.
   */
  shutdown(options?: ShutdownOptions): Promise<void>;
}

/** Options of a shutdown. */
export interface ShutdownOptions {
  /** Let current and queued runs finish. Default true; false aborts them. */
  readonly drain?: boolean | undefined;
  /** The time that they may take before they are aborted all the same, in ms. Default: for ever, or as the engine's admission has it. */
  readonly withinMs?: number | undefined;
  /** The reason given to aborted runs. */
  readonly reason?: string | undefined;
}

/** Options that every engine takes. */
export interface EngineOptions extends Pick<RunOptions, 'model' | 'clock' | 'person' | 'limits'> {
  /** Called for all its runs, before the hooks of a run itself. */
  readonly hooks?: RunOptions['hooks'];
  /** Consulted for all its runs, beside the strategy of a run itself: any of them can deny. */
  readonly safety?: RunOptions['safety'];
  /** Default for runs that set none. */
  readonly executor?: RunOptions['executor'];
  /** At shutdown, once all runs are over and before any resource: metrics, log buffers … */
  readonly flush?: (() => void | Promise<void>) | undefined;
  /** Shared by all runs (those that wrap models included); closed at shutdown. */
  readonly resources?: readonly EngineResource[] | undefined;
}

/** A shared resource that an engine closes at shutdown: all are flushed first, in order, then closed in reverse. */
export interface EngineResource extends SharedResource {
  readonly name: string;
  flush?(): void | Promise<void>;
  close?(): void | Promise<void>;
}
