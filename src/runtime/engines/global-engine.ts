import { readGiven } from '../content/read-given.ts';
import { checkRunOptions } from '../run/run-schema.ts';
import type { Observable } from 'rxjs';
import type { Agent } from '../../contracts/agents/agent.ts';
import type { Engine, EngineOptions, ShutdownOptions } from '../../contracts/runs/engine.ts';
import type { Clock } from '../../base/clock.ts';
import { patientClock, systemClock } from '../../base/clock.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { randomId } from '../../base/random-id.ts';
import type { AttachedHooks } from '../../events/hooks/hooks.ts';
import type { KeyBy } from '../resources/caller-key.ts';
import { callerKey, tenantOf } from '../resources/caller-key.ts';
import { closeResources } from './close-resources.ts';
import type { Definition } from '../define/definition.ts';
import { definitionOf } from '../define/definition.ts';
import { DefinitionRegistry } from './definition-registry.ts';
import { rememberShare, withDefaults } from './engine-defaults.ts';
import { EngineEvents } from './engine-events.ts';
import type { StartQueue } from '../run/queued-handle.ts';
import { QueuedHandle } from '../run/queued-handle.ts';
import { RunQueue } from './run-queue.ts';
import { inThread, joinThread } from '../thread/run-thread.ts';
import { rememberSettling } from './settled-runs.ts';
import type { StartSetup } from '../run/create-run.ts';
import { createRun } from '../run/create-run.ts';
import { storedRun } from '../journal/resume/stored-run.ts';
import type { Run } from '../run/run.ts';

/** Options of {@link createGlobalEngine}. */
export interface GlobalEngineOptions extends EngineOptions {
  /**
   * Number of concurrent runs; more wait, strictly in order. Default `Infinity`. A run that waits for another run of the same engine may
   * wait for itself: tools run agents by their `context.run`, which is not queued.
   */
  readonly concurrency?: number | undefined;
  /** Bounds the work that the engine accepts; omitted limits have the defaults of {@link Admission}. */
  readonly admission?: Admission | undefined;
  /**
   * Names the tenant of a run by its `context`: waiting runs of tenants take turns, each in order, and `admission.queue` holds for each
   * tenant. A memory of scope `agent` or `thread`, and an answer cache without a `scope`, is apart for each. Default: one party.
   */
  readonly by?: KeyBy | undefined;
}

/** Limits on the runs that an engine accepts; each may be `Infinity`. */
export interface Admission {
  /** Number of concurrent runs. Default 10. */
  readonly concurrency?: number | undefined;
  /** Number of queued runs; the next is refused with `engine.full`, with `retryAfterMs`. Default 1,000. */
  readonly queue?: number | undefined;
  /** Number of concurrent runs of one agent; runs of other agents overtake its queue. Default 10. */
  readonly perAgent?: number | undefined;
  /** Time that a shutdown gives runs before it aborts them, in ms. Default 30,000. */
  readonly shutdownMs?: number | undefined;
}

const ADMISSION = { concurrency: 10, queue: 1_000, perAgent: 10, shutdownMs: 30_000 } as const;
const UNBOUNDED = {
  concurrency: Infinity,
  queue: Infinity,
  perAgent: Infinity,
  shutdownMs: Infinity,
} as const;

/**
 * Creates the engine of a process: the default choice. Runs share only the engine's options, and are concurrent up to `concurrency`.
 *
 * It knows each agent by its name: a second definition of a name, members of teams included, is refused.
 *
 * @example
 * const engine = createGlobalEngine({ concurrency: 8, resources: [pool], hooks: [audit] });
 * const { output } = await engine.execute(mathematician, 'What is 19 + 23?');
 * await engine.shutdown(); // lets runs finish, then flushes and closes
 *
 * @throws {TroupeError} `engine.invalid` for a concurrency that is neither a whole number from 1 nor `Infinity`, and for a `by` that is no
 * function; runs are refused with it if `by` throws or returns no text.
 */
export const createGlobalEngine = (options: GlobalEngineOptions = {}): Engine => new GlobalEngine(options);

/** Executes runs; see {@link createGlobalEngine}. The other kinds of engine wrap it. */
export class GlobalEngine implements Engine {
  readonly kind = 'global';
  readonly #options: GlobalEngineOptions;
  readonly #queue: RunQueue;
  readonly #clock: Clock;
  readonly #shutdownMs: number;
  readonly #definitions = new DefinitionRegistry();
  readonly #events = new EngineEvents();
  readonly #handles = new Map<string, Pick<RunHandle, 'abort'>>();
  /** Runs, and hooks that are still handling their last events. */
  readonly #unsettled = new Set<Promise<void>>();
  #closing: Promise<void> | undefined;

  constructor(options: GlobalEngineOptions) {
    this.#options = options;
    const { admission, concurrency, clock, by } = options;
    if (admission !== undefined && concurrency !== undefined)
      throw new TroupeError(
        'engine.invalid',
        'Cannot make an engine as its concurrency is given twice: set it in `admission` only',
      );
    if (by !== undefined && typeof by !== 'function')
      throw new TroupeError(
        'engine.invalid',
        `Cannot make an engine as its by is no function: found ${foundText(by)}`,
      );
    const limits = admission === undefined ? UNBOUNDED : { ...ADMISSION, ...definedOptions(admission) };
    this.#clock = clock === undefined ? systemClock : patientClock(clock);
    this.#shutdownMs = limits.shutdownMs;
    this.#queue = new RunQueue({ ...limits, ...definedOptions({ concurrency }) }, this.#clock);
    rememberShare(this, {
      optionsFor: (run) => withDefaults(options, run),
      tenantOf: (context) => tenantOf(callerKey(by, context, 'the engine', 'engine.invalid')),
    });
  }

  get concurrency(): number {
    return this.#queue.limits.concurrency;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  get events$(): Observable<LiveEvent> {
    return this.#events.events$;
  }

  execute<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options: RunOptions = {},
  ): Promise<RunResult<Output, State>> {
    try {
      return this.start(agent, input, options, false).result;
    } catch (thrown) {
      return Promise.reject(thrown as TroupeError);
    }
  }

  stream<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    input: Input,
    options: RunOptions = {},
  ): RunHandle<Output, State> {
    return this.start(agent, input, options, true);
  }

  /** Accepts a run: it starts now or is queued. Throws if it is refused. */
  start<Input, Output, State>(
    agent: Agent<Input, Output, State>,
    givenInput: Input,
    given: RunOptions,
    isAttended: boolean,
  ): RunHandle<Output, State> {
    if (this.isClosed) throw engineClosed(agent.name);
    const definition = definitionOf(agent);
    if (definition === undefined)
      throw new TroupeError(
        'agent.invalid',
        `Cannot run '${String(agent.name)}' as it was not made by agent() or a team`,
      );
    checkRunOptions(definition.name, given);
    const runId = given.runId ?? randomId();
    if (this.#handles.has(runId))
      throw new TroupeError(
        'run.duplicate',
        `Cannot run '${definition.name}' as a run with this id is under way: ${runId}`,
        { runId },
      );
    const key = callerKey(this.#options.by, given.context, 'the engine', 'engine.invalid');
    this.#queue.check(definition.name, key, runId);
    this.#definitions.register(definition);
    const { input, options, blobs } = readGiven(definition, givenInput, {
      ...withDefaults(this.#options, given),
      runId,
    });
    const hooks: AttachedHooks[] = [];
    const setup: StartSetup = {
      isAttended,
      tenant: tenantOf(key),
      blobs,
      onHooks: (attached) => {
        hooks.push(attached);
      },
    };
    const queue = this.#queue.lineFor(definition.name, key);
    const { run, line } = this.#inLine(definition, input, options, { setup, queue });
    const handle = new QueuedHandle<Output, State>(run, line);
    this.#handles.set(runId, handle);
    this.#events.add(run);
    const forget = (): void => {
      this.#handles.delete(runId);
      this.#events.remove(run);
    };
    const settled = run.result.then(forget, forget).then(async () => {
      await Promise.all(hooks.map((attached) => attached.settle()));
    });
    this.#unsettled.add(settled);
    rememberSettling(run.result, settled);
    void settled.then(() => this.#unsettled.delete(settled));
    handle.enter(input, options);
    return handle;
  }

  abort(reason?: string, runId?: string): void {
    if (runId !== undefined) this.#handles.get(runId)?.abort(reason);
    else for (const handle of this.#handles.values()) handle.abort(reason);
  }

  shutdown(options: ShutdownOptions = {}): Promise<void> {
    // Closed before anything else, as observers of an abort may try to start a run.
    return (this.#closing ??= Promise.resolve().then(() => this.#close(options)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  /** Creates a run and its queue; a stored run starts once the store has it. */
  #inLine(
    definition: Definition,
    input: unknown,
    options: RunOptions,
    { setup, queue }: { readonly setup: StartSetup; readonly queue: StartQueue },
  ): { readonly run: Run; readonly line: StartQueue } {
    const { store } = options;
    if (store !== undefined) return storedRun(definition, input, { ...options, store }, setup, queue);
    const run = createRun(definition, options, setup);
    return { run, line: inThread(queue, run, joinThread(run, input, options)) };
  }

  async #close({
    drain = true,
    reason = 'the engine was shut down',
    withinMs = this.#shutdownMs,
  }: ShutdownOptions): Promise<void> {
    if (!drain) this.abort(reason);
    const timer = this.#clock.setTimeout(() => {
      this.abort(reason);
    }, withinMs);
    await Promise.all(this.#unsettled);
    this.#clock.clearTimeout(timer);
    this.#events.complete();
    await closeResources(this.#options);
  }
}

/** The error of a closed engine. */
export const engineClosed = (agent: unknown): TroupeError =>
  new TroupeError('engine.closed', `Cannot run '${String(agent)}' as the engine is closed`);

/** The options without undefined values, which leave the default. */
const definedOptions = <Options extends object>(
  options: Options,
): { [Key in keyof Options]?: NonNullable<Options[Key]> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Options]?: NonNullable<Options[Key]>;
  };
