import type { Observable } from 'rxjs';
import type { Agent } from './agent.ts';
import type { LiveEvent } from './event.ts';
import type { RunHandle, RunOptions, RunResult, SharedResource } from './run.ts';

/**
 * What carries runs: process-wide, per request, or for a single run; the three share this contract.
 *
 * `abort` stops what is under way and leaves the engine usable; `shutdown` refuses new work first.
 */
export interface Engine extends AsyncDisposable {
  readonly kind: 'global' | 'request' | 'disposable';
  /** The number of runs under way at the same time; more wait in line, in order. `Infinity`: all start at once. */
  readonly concurrency: number;
  /** True if new runs are refused. */
  readonly isClosed: boolean;
  /**
   * The events of all its runs: of those under way what has happened (but for deltas), then whatever happens. Completes
   * at shutdown, after the last event of the last run. Its subscribers cannot hurt a run.
   */
  readonly events$: Observable<LiveEvent>;
  /**
   * Like `agent.run`, once it is the run's turn. Rejects with `engine.closed` after a shutdown, `agent.duplicate` for a
   * second definition of a known name, `run.duplicate` for a run id that is taken, `engine.full` where its admission has no room.
   */
  execute<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options?: RunOptions,
  ): Promise<RunResult<Output, State>>;
  /**
   * The same as a handle, at once; a run that has to wait in line is held until its turn, and so is what its handle is
   * told meanwhile. Throws where `execute` would reject without a run.
   */
  stream<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options?: RunOptions,
  ): RunHandle<Output, State>;
  /** Aborts one run, or all; those that wait in line end without having done anything. */
  abort(reason?: string, runId?: string): void;
  /**
   * Refuses new runs, drains (default) or aborts those that it has, flushes, closes what it owns. Twice is once; to
   * hurry one that drains, call `abort`. Rejects with `engine.resource-failed` if something could not be flushed or closed.
   */
  shutdown(options?: ShutdownOptions): Promise<void>;
}

/** How an engine is shut down. */
export interface ShutdownOptions {
  /** Let the runs that it has, those in line too, come to their end. Default true; false aborts them. */
  readonly drain?: boolean | undefined;
  /** The time that they may take before they are aborted all the same, in ms. Default: for ever, or as the engine's admission has it. */
  readonly withinMs?: number | undefined;
  /** Why the runs are aborted, where they are. */
  readonly reason?: string | undefined;
}

/** What every engine may be told. */
export interface EngineOptions extends Pick<RunOptions, 'model' | 'clock' | 'person' | 'limits'> {
  /** Called for all its runs, before the hooks of a run itself. */
  readonly hooks?: RunOptions['hooks'];
  /** Consulted for all its runs, beside the strategy of a run itself: any of them can deny. */
  readonly safety?: RunOptions['safety'];
  /** For runs that say none themselves. */
  readonly executor?: RunOptions['executor'];
  /** At shutdown, once all runs are over and before any resource: metrics, log buffers … */
  readonly flush?: (() => void | Promise<void>) | undefined;
  /** Used by all runs, where it stands around models; closed at shutdown. */
  readonly resources?: readonly EngineResource[] | undefined;
}

/** Something shared that an engine closes at shutdown: flushed first, in order, then closed in reverse. */
export interface EngineResource extends SharedResource {
  readonly name: string;
  flush?(): void | Promise<void>;
  close?(): void | Promise<void>;
}
