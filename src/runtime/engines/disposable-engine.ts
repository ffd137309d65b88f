import type { Observable } from 'rxjs';
import type { Agent } from '../../contracts/agents/agent.ts';
import type { Engine, EngineOptions, ShutdownOptions } from '../../contracts/runs/engine.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { engineClosed, GlobalEngine } from './global-engine.ts';

/**
 * Creates an engine for one run, which shuts down by itself after it: for tests, commands, and agents that are defined for each run. It
 * shares nothing with other engines, and is cheap to create.
 *
 * A second run is refused with `engine.closed`. `execute` settles when everything is closed; the handle's `result` settles with the run,
 * and `shutdown()` waits for the rest.
 *
 * @example
 * const { output } = await createDisposableEngine({ model: scriptedModel(['42']) }).execute(mathematician, '19 + 23?');
 */
export const createDisposableEngine = (options: EngineOptions = {}): Engine => new DisposableEngine(options);

class DisposableEngine implements Engine {
  readonly kind = 'disposable';
  readonly concurrency = 1;
  readonly #engine: GlobalEngine;
  #isUsed = false;

  constructor(options: EngineOptions) {
    this.#engine = new GlobalEngine(options);
  }

  get isClosed(): boolean {
    return this.#isUsed || this.#engine.isClosed;
  }

  get events$(): Observable<LiveEvent> {
    return this.#engine.events$;
  }

  async execute<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options: RunOptions = {},
  ): Promise<RunResult<Output, State>> {
    const { result } = this.#start(agent, input, options, false);
    try {
      return await result;
    } finally {
      // `shutdown` reports failures to close; here the run's own result matters more.
      await this.shutdown().catch(() => undefined);
    }
  }

  stream<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options: RunOptions = {},
  ): RunHandle<Output, State> {
    return this.#start(agent, input, options, true);
  }

  abort(reason?: string, runId?: string): void {
    this.#engine.abort(reason, runId);
  }

  shutdown(options?: ShutdownOptions): Promise<void> {
    return this.#engine.shutdown(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  #start<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options: RunOptions,
    isAttended: boolean,
  ): RunHandle<Output, State> {
    if (this.isClosed) throw engineClosed(agent.name);
    this.#isUsed = true;
    try {
      const handle = this.#engine.start(agent, input, options, isAttended);
      const end = (): void => {
        this.shutdown().catch(() => undefined);
      };
      handle.result.then(end, end);
      return handle;
    } catch (thrown) {
      // A refused run does not count.
      this.#isUsed = false;
      throw thrown;
    }
  }
}
