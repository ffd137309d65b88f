import type { Agent } from './agent.ts';
import type { RunHandle, RunOptions, RunResult } from './run.ts';

/**
 * What carries runs: process-wide, per request, or for a single run; the three share this contract.
 *
 * `abort` stops what is under way and leaves the engine usable; `shutdown` refuses new work first.
 */
export interface Engine extends AsyncDisposable {
  readonly kind: 'global' | 'request' | 'disposable';
  /** How many runs go on at the same time; more wait in line, in order. `Infinity`: all start at once. */
  readonly concurrency: number;
  readonly isClosed: boolean;
  /** Rejects with `engine.closed` after a shutdown, and like `agent.run` otherwise. */
  execute<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options?: RunOptions,
  ): Promise<RunResult<Output, State>>;
  /** The same as a handle; a run that has to wait in line is held until its turn. */
  stream<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options?: RunOptions,
  ): RunHandle<Output, State>;
  /** Aborts one run, or all. */
  abort(reason?: string, runId?: string): void;
  /** Refuses new runs, drains (default) or aborts those under way, flushes, closes what it owns. Twice is once. */
  shutdown(options?: { readonly drain?: boolean; readonly reason?: string }): Promise<void>;
}

/** Something shared that an engine closes at shutdown: flushed first, in order, then closed in reverse. */
export interface EngineResource {
  readonly name: string;
  flush?(): void | Promise<void>;
  close?(): void | Promise<void>;
}
