import type { Clock } from '../../../base/clock.ts';
import type { Json } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import { canonical } from '../../../base/json/canonical.ts';
import { sha256 } from '../../../base/sha256.ts';
import type { Threads } from '../../../contracts/conversations/thread.ts';
import { isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { Engine } from '../../../contracts/runs/engine.ts';
import type { LaterLimits, RunOptions } from '../../../contracts/runs/run-options.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { GivenPart } from '../../../contracts/content/part.ts';
import { threads } from '../../../memory/threads/threads.ts';
import type { ClientTool } from '../../../contracts/tools/client-tool.ts';
import { shareOf } from '../../engines/engine-defaults.ts';
import { forkAs } from '../../journal/resume/fork.ts';
import type { ForkOptions } from '../../journal/resume/resume-options.ts';
import { resumeEach } from '../../journal/resume/resume-all.ts';
import { resumeWith } from '../../journal/resume/resume.ts';
import { THREADS_ROOM } from '../../thread/run-thread.ts';
import { callerKeyOf } from '../http/callers.ts';
import type { Caller, RunParty, ServedRunOptions } from '../serve-options.ts';
import { awaitStart } from './await-start.ts';
import { checkInput } from './check-input.ts';
import type { DueRuns } from './due-looks.ts';
import { addClientTools } from './client-tools.ts';
import type { FoundRun } from './live-run.ts';
import { LiveRun } from './live-run.ts';
import { drainingError, endedRun, fullError, storeMissing, unknownRun } from './run-errors.ts';
import type { Claim } from './run-keys.ts';
import { RunKeys } from './run-keys.ts';
import type { ServedAgent, ServedNames } from './served-names.ts';
import { tenantIn } from './stored-events.ts';
import { newRunId } from './tenant-ids.ts';

/** The parts that served runs are made of. */
export interface ServedRunsSetup {
  readonly engine: Engine;
  readonly names: ServedNames;
  readonly store: JournalStore | undefined;
  readonly context: (party: RunParty) => unknown;
  readonly run: ServedRunOptions;
  /** Runs under way at most. */
  readonly most: number;
  /** Ended runs that are kept. */
  readonly kept: number;
  readonly clock: Clock;
  readonly onProblem: (error: unknown) => void;
}

/** A request to start a run. */
export interface StartRequest {
  readonly input: Json;
  readonly thread?: string | undefined;
  readonly paused?: boolean | undefined;
  /** The conversation before the input, as the caller tells it. */
  readonly history?: readonly Turn<GivenPart>[] | undefined;
  /** Tools that the caller runs: a call is a question to it. */
  readonly clientTools?: readonly ClientTool[] | undefined;
}

/** A run that was asked for. */
export interface Started {
  readonly runId: string;
  /** False for a run that was started before, by the same key. */
  readonly isNew: boolean;
}

/**
 * Owns the runs of a server: those that it started or resumed, and the way to those of its store.
 *
 * I1  The same key of the same caller is the same run, whatever process it asks.
 */
export class ServedRuns {
  readonly #setup: ServedRunsSetup;
  readonly #keys: RunKeys;
  /** The oldest first. */
  readonly #live = new Map<string, LiveRun>();
  readonly #starting = new Map<string, Promise<void>>();
  readonly #resuming = new Map<string, Promise<LiveRun>>();
  readonly #threads = new Map<string | undefined, Threads>();
  readonly #ending = new AbortController();

  constructor(setup: ServedRunsSetup) {
    this.#setup = setup;
    this.#keys = new RunKeys(setup.store, setup.clock);
  }

  /** The run of that id, if this server has it. */
  at(runId: string): LiveRun | undefined {
    return this.#live.get(runId);
  }

  /** All runs that this server has, newest first. */
  get here(): readonly LiveRun[] {
    return [...this.#live.values()].toReversed();
  }

  /** True if it takes no more runs. */
  get isDraining(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Aborted when it takes no more runs. */
  get drained(): AbortSignal {
    return this.#ending.signal;
  }

  get underWay(): readonly LiveRun[] {
    return [...this.#live.values()].filter(({ isOver }) => !isOver);
  }

  /**
   * Starts a run, or finds the one that was started by the same key.
   *
   * @throws {TroupeError} `agent.unknown`, `input.invalid`, `engine.full`, `engine.closed`; `run.duplicate` for a key that was used for
   * something else; `engine.invalid` where the engine does not tell tenants apart.
   */
  async start(name: string, caller: Caller, request: StartRequest, key?: string): Promise<Started> {
    const agent = this.#setup.names.called(name);
    checkInput(agent, request.input);
    if (request.thread !== undefined) this.#store('continue a thread');
    const runId = newRunId(caller.tenant);
    if (key === undefined) {
      await this.#begin(runId, agent, caller, request);
      return { runId, isNew: true };
    }
    const digest = sha256(canonical(toJson({ agent: name, ...request })));
    const claim = await this.#keys.claim(callerKeyOf(caller), key, { runId, digest });
    if (claim.digest !== digest)
      throw new TroupeError(
        'run.duplicate',
        'Cannot start the run as its idempotency key was used for another request',
      );
    const known = claim.runId;
    await this.#starting.get(known);
    if (this.#live.has(known) || this.#keys.isBegun(known) || (await this.#isBegun(known)))
      return { runId: known, isNew: false };
    // In the meantime another request of this key may have begun it.
    const starting = this.#starting.get(known);
    if (starting !== undefined) {
      await starting;
      return { runId: known, isNew: false };
    }
    const beginning = this.#begin(known, agent, caller, request);
    this.#starting.set(known, beginning);
    try {
      await beginning;
      this.#keys.begin(known);
    } catch (thrown) {
      // Another process of this store has begun it.
      if (isTroupeError(thrown, 'journal.exists')) return { runId: known, isNew: false };
      throw thrown;
    } finally {
      this.#starting.delete(known);
    }
    return { runId: known, isNew: true };
  }

  /** Claims a key of a caller for something that is done to a run; returns the claim that counts, which may be an earlier one. */
  claim(caller: Caller, key: string, wanted: Claim): Promise<Claim> {
    return this.#keys.claim(callerKeyOf(caller), key, wanted);
  }

  /**
   * The run, in this process: a stored one that no process has is resumed here.
   *
   * @throws {TroupeError} `run.ended` for one that is over, `journal.held` for one that another process has.
   */
  async reach(found: FoundRun): Promise<LiveRun> {
    if (found.live !== undefined) {
      if (!found.live.isOver) return found.live;
      throw endedRun(found.live.runId);
    }
    const { runId, status, agent } = found.stored;
    const served = this.#setup.names.of(agent);
    if (served === undefined) throw unknownRun();
    if (status !== 'running' && status !== 'waiting') throw endedRun(runId);
    if (this.isDraining) throw drainingError();
    return this.#resume(served, runId);
  }

  /** Starts a run that shares the beginning of another. @throws those of `fork` */
  async fork(found: FoundRun, caller: Caller, given: Pick<ForkOptions, 'at' | 'change'>): Promise<Started> {
    const store = this.#store('fork a run');
    const { runId: original } = found.live ?? found.stored;
    const agent = found.live === undefined ? this.#setup.names.of(found.stored.agent) : found.live.agent;
    if (agent === undefined) throw unknownRun();
    this.#assertRoom();
    const runId = newRunId(caller.tenant);
    const options = this.#asByEngine(caller);
    const { model } = options;
    const handle = await forkAs<unknown, unknown>(agent.agent, original, {
      ...later(options),
      store,
      runId,
      at: given.at,
      change: { ...(model === undefined ? {} : { model }), ...given.change },
    });
    this.#keep(new LiveRun(agent, handle));
    return { runId, isNew: true };
  }

  /** The threads of a caller's tenant. @throws {TroupeError} `engine.invalid` without a store */
  threadsOf({ tenant }: RunParty): Threads {
    const known = this.#threads.get(tenant);
    if (known !== undefined) return known;
    const files = this.#store('read threads').files(THREADS_ROOM);
    const made = tenant === undefined ? threads(files) : threads(files, { scope: `tenant ${tenant}` });
    this.#threads.set(tenant, made);
    return made;
  }

  /** Resumes what is due in the store, of the agents that are served and the runs that no process has. */
  async resumeDue(): Promise<DueRuns> {
    const { store, names, onProblem } = this.#setup;
    if (store === undefined || this.isDraining) return { count: 0, held: [] };
    await this.#keys.forgetOld();
    const { resumed, held, failed, unreadable } = await resumeEach(store, {
      isDueOnly: true,
      signal: this.drained,
      resumeOne: async ({ agent, runId }) => {
        const served = names.of(agent);
        // A run that is here is not due; a new one may not have its first record yet.
        if (served === undefined || this.#live.has(runId) || !(await this.#isBegun(runId))) return undefined;
        return this.#resume(served, runId);
      },
    });
    for (const { error } of failed) onProblem(error);
    for (const { error } of unreadable) onProblem(error);
    return { count: resumed.length, held: held.map(({ error }) => error) };
  }

  /**
   * Takes no more runs, and leaves those that are under way: stored ones are suspended, all others may finish within the time, and are then
   * aborted.
   */
  async drain(withinMs: number): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled([...this.#starting.values(), ...this.#resuming.values()]);
    await Promise.all(this.underWay.map((run) => this.#leave(run, withinMs)));
  }

  async #leave(run: LiveRun, withinMs: number): Promise<void> {
    const { store, clock, onProblem } = this.#setup;
    if (store !== undefined) {
      await run.handle.suspend({ withinMs }).catch((thrown: unknown) => {
        if (!isTroupeError(thrown, 'run.ended') && !isTroupeError(thrown, 'run.suspended')) onProblem(thrown);
      });
    } else {
      const timer = clock.setTimeout(() => {
        run.handle.abort('the server is shut down');
      }, withinMs);
      await run.over;
      clock.clearTimeout(timer);
    }
    await run.over;
  }

  async #begin(runId: string, agent: ServedAgent, caller: Caller, request: StartRequest): Promise<void> {
    this.#assertRoom();
    const { input, thread, paused, history, clientTools = [] } = request;
    const { engine, store, clock, run } = this.#setup;
    const handle = engine.stream<unknown, unknown, unknown>(agent.agent, input, {
      ...this.#options(caller),
      runId,
      ...(store === undefined ? {} : { store }),
      ...(thread === undefined ? {} : { thread }),
      ...(paused === undefined ? {} : { paused }),
      ...(history === undefined ? {} : { history }),
      ...(clientTools.length === 0 ? {} : { paused: true }),
    });
    // With a store, the journal has the history.
    const kept = store === undefined ? history : undefined;
    this.#keep(new LiveRun(agent, handle, { thread, paused, history: kept }));
    try {
      // Until its store has it, or it waits for its turn.
      const adding = clientTools.length === 0 ? undefined : addClientTools(handle, clientTools, run);
      await Promise.all([awaitStart(handle, clock), adding]);
    } catch (thrown) {
      // It never was: the same key may start it.
      this.#live.delete(runId);
      throw thrown;
    }
  }

  /** The options of a run, without those of the engine, which adds them itself. */
  #options(party: RunParty): RunOptions {
    const { run, store } = this.#setup;
    const { who, tenant } = party;
    const context = this.#setup.context({
      ...(who === undefined ? {} : { who }),
      ...(tenant === undefined ? {} : { tenant }),
    });
    this.#assertApart(context, tenant);
    // A tenant's threads are its own; without one they are those of the store.
    const own = store === undefined || tenant === undefined ? {} : { threads: this.threadsOf(party) };
    return { ...run, ...own, context };
  }

  /** The options of a run that the engine does not start itself. */
  #asByEngine(party: RunParty): RunOptions {
    return shareOf(this.#setup.engine).optionsFor(this.#options(party));
  }

  /** Fails closed: memories and caches that tenants share would show one what is the other's. */
  #assertApart(context: unknown, tenant: string | undefined): void {
    if (tenant === undefined || shareOf(this.#setup.engine).tenantOf(context) === tenant) return;
    throw new TroupeError(
      'engine.invalid',
      'Cannot start a run of a tenant as the engine does not tell tenants apart: create it with `by`, such as ({ tenant }) => tenant',
    );
  }

  #resume(agent: ServedAgent, runId: string): Promise<LiveRun> {
    const live = this.#live.get(runId);
    if (live !== undefined && !live.isOver) return Promise.resolve(live);
    const known = this.#resuming.get(runId);
    if (known !== undefined) return known;
    const resuming = this.#resumeNow(agent, runId);
    this.#resuming.set(runId, resuming);
    const done = (): void => {
      this.#resuming.delete(runId);
    };
    resuming.then(done, done);
    return resuming;
  }

  async #resumeNow(agent: ServedAgent, runId: string): Promise<LiveRun> {
    const store = this.#store('resume a run');
    const tenant = await tenantIn(store, runId);
    const options = this.#asByEngine(tenant === undefined ? {} : { tenant });
    const handle = await resumeWith<unknown, unknown, unknown>(agent.agent, runId, { ...options, store });
    return this.#keep(new LiveRun(agent, handle));
  }

  /** Keeps a run, and the newest of those that are over. */
  #keep(run: LiveRun): LiveRun {
    this.#live.delete(run.runId);
    this.#live.set(run.runId, run);
    void run.over.then(() => {
      // One that is suspended, or was lost to another process, or never started, is not known here any more.
      if (run.ended === undefined && this.#live.get(run.runId) === run) this.#live.delete(run.runId);
      const over = [...this.#live.values()].filter(({ isOver }) => isOver);
      for (const { runId } of over.slice(0, Math.max(0, over.length - this.#setup.kept)))
        this.#live.delete(runId);
    });
    return run;
  }

  #assertRoom(): void {
    if (this.isDraining) throw drainingError();
    const { most } = this.#setup;
    if (this.underWay.length < most) return;
    throw fullError(most);
  }

  #store(what: string): JournalStore {
    const { store } = this.#setup;
    if (store !== undefined) return store;
    throw storeMissing(what);
  }

  async #isBegun(runId: string): Promise<boolean> {
    const { store } = this.#setup;
    if ((await store?.entry(runId)) === undefined) return false;
    return ((await store?.read(runId, 0, 1)) ?? []).length > 0;
  }
}

/** The options that a fork takes, too. */
const later = ({
  runId: _runId,
  history: _history,
  thread: _thread,
  threads: _threads,
  task: _task,
  inspect: _inspect,
  paused: _paused,
  model: _model,
  limits,
  ...options
}: RunOptions): Omit<ForkOptions, 'store'> => ({
  ...options,
  ...(limits === undefined ? {} : { limits: withoutUndefined(limits.concurrency, limits.messages) }),
});

const withoutUndefined = (
  concurrency: number | undefined,
  messages: LaterLimits['messages'],
): LaterLimits => ({
  ...(concurrency === undefined ? {} : { concurrency }),
  ...(messages === undefined ? {} : { messages }),
});
