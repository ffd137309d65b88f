import type { Observable } from 'rxjs';
import { ReplaySubject, filter, takeUntil } from 'rxjs';
import type { Agent } from '../../contracts/agents/agent.ts';
import type { Engine, EngineOptions, ShutdownOptions } from '../../contracts/runs/engine.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { randomId } from '../../base/random-id.ts';
import { closeResources } from './close-resources.ts';
import { rememberShare, shareOf, withDefaults } from './engine-defaults.ts';
import { engineClosed } from './global-engine.ts';
import { settledRun } from './settled-runs.ts';

/** Options of {@link createRequestEngine}. */
export interface RequestEngineOptions extends EngineOptions {
  /** Aborting it aborts the runs of the request, for example when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates the engine of one request: passes `context` (tenant, trace, transaction …) to its runs, and delegates execution to `engine`,
 * whose queue, registry and hooks apply. Requests are isolated from each other.
 *
 * Tools, hooks, critics, safety strategies and agents' own functions read the context as `context`. On shutdown, which leaves `engine`
 * open, the request closes its resources, then disposes of a context with a `Symbol.asyncDispose` or `Symbol.dispose`, once. `await using`
 * shuts it down at the end of the block.
 *
 * @example
 * await using request = createRequestEngine(engine, { tenant: 'acme' }, { safety: policyOf('acme'), signal });
 * const { output } = await request.execute(desk, question);
 */
export const createRequestEngine = (
  engine: Engine,
  context: unknown,
  options: RequestEngineOptions = {},
): Engine => new RequestEngine(engine, context, options);

class RequestEngine implements Engine {
  readonly kind = 'request';
  readonly events$: Observable<LiveEvent>;
  readonly #engine: Engine;
  readonly #context: unknown;
  readonly #options: RequestEngineOptions;
  readonly #runs = new Set<RequestRun>();
  /** Accepted runs by id: looked up for every event of the engine. */
  readonly #begun = new Map<string, RequestRun>();
  /** Runs, and hooks that are still handling their last events. */
  readonly #unsettled = new Set<Promise<void>>();
  readonly #ended = new ReplaySubject<void>(1);
  #closing: Promise<void> | undefined;

  constructor(engine: Engine, context: unknown, options: RequestEngineOptions) {
    this.#engine = engine;
    this.#context = context;
    this.#options = options;
    const isOurs = ({ runId }: LiveEvent): boolean => this.#begun.has(runId);
    this.events$ = engine.events$.pipe(filter(isOurs), takeUntil(this.#ended));
    const { optionsFor, tenantOf } = shareOf(engine);
    rememberShare(this, {
      optionsFor: (run) => optionsFor({ ...withDefaults(options, run), context: run.context ?? context }),
      tenantOf: (given) => tenantOf(given ?? context),
    });
  }

  get concurrency(): number {
    return this.#engine.concurrency;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined || this.#engine.isClosed;
  }

  execute<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options: RunOptions = {},
  ): Promise<RunResult<Output, State>> {
    if (this.isClosed) return Promise.reject(engineClosed(agent.name));
    const run = this.#enter(options);
    const result = this.#engine.execute(agent, input, run.options);
    this.#leaveAfter(run, result);
    return result;
  }

  stream<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options: RunOptions = {},
  ): RunHandle<Output, State> {
    if (this.isClosed) throw engineClosed(agent.name);
    const run = this.#enter(options);
    try {
      const handle = this.#engine.stream(agent, input, run.options);
      this.#leaveAfter(run, handle.result);
      return handle;
    } catch (thrown) {
      this.#leave(run);
      throw thrown;
    }
  }

  abort(reason = 'aborted', runId?: string): void {
    for (const run of this.#runs) if (runId === undefined || run.runId === runId) run.abort(reason);
  }

  shutdown(options: ShutdownOptions = {}): Promise<void> {
    return (this.#closing ??= Promise.resolve().then(() => this.#close(options)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  #enter(given: RunOptions): RequestRun {
    const run = new RequestRun(
      { ...withDefaults(this.#options, given), context: given.context ?? this.#context },
      [this.#options.signal, given.signal],
      (begun) => this.#begun.set(begun.runId, begun),
    );
    this.#runs.add(run);
    return run;
  }

  #leaveAfter(run: RequestRun, result: Promise<unknown>): void {
    const leave = (): void => {
      this.#leave(run);
    };
    result.then(leave, leave);
    const settled = settledRun(result);
    this.#unsettled.add(settled);
    void settled.then(() => this.#unsettled.delete(settled));
  }

  #leave(run: RequestRun): void {
    run.unlink();
    this.#runs.delete(run);
    // A refused run has the id of another, which continues.
    if (this.#begun.get(run.runId) === run) this.#begun.delete(run.runId);
  }

  async #close({ drain = true, reason = 'the request is over' }: ShutdownOptions): Promise<void> {
    if (!drain) this.abort(reason);
    await Promise.all(this.#unsettled);
    this.#ended.next();
    const { flush, resources = [] } = this.#options;
    const context = { name: 'context', close: () => dispose(this.#context) };
    // Closed in reverse order: the context, which the others may need, is last.
    await closeResources({ flush, resources: [context, ...resources] });
  }
}

/** One run of a request. */
class RequestRun {
  readonly runId: string;
  readonly options: RunOptions;
  readonly #controller = new AbortController();
  readonly #links: (() => void)[] = [];

  constructor(
    options: RunOptions,
    signals: readonly (AbortSignal | undefined)[],
    onBegun: (run: RequestRun) => void,
  ) {
    this.runId = options.runId ?? randomId();
    const begun = {
      name: 'request',
      on: 'run.started',
      priority: Number.MAX_SAFE_INTEGER,
      handle: () => {
        onBegun(this);
      },
    } as const;
    this.options = {
      ...options,
      runId: this.runId,
      signal: this.#controller.signal,
      hooks: [begun, ...(options.hooks ?? [])],
    };
    for (const signal of signals) if (signal !== undefined) this.#follow(signal);
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Removes the listeners, as a long-lived signal must not retain ended runs. */
  unlink(): void {
    for (const unlink of this.#links) unlink();
  }

  #follow(signal: AbortSignal): void {
    const abort = (): void => {
      this.abort(signal.reason);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#links.push(() => {
      signal.removeEventListener('abort', abort);
    });
  }
}

/** Disposes of a value if it can be disposed of; some browsers lack the symbols. */
const dispose = async (context: unknown): Promise<void> => {
  if (typeof context !== 'object' || context === null) return;
  for (const symbol of [Symbol.asyncDispose, Symbol.dispose]) {
    const method: unknown = symbol === undefined ? undefined : Reflect.get(context, symbol);
    if (typeof method !== 'function') continue;
    await Reflect.apply(method, context, []);
    return;
  }
};
