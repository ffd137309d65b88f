import type { Clock } from '../../../base/clock.ts';
import type { Json } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import { canonical } from '../../../base/json/canonical.ts';
import { sha256 } from '../../../base/sha256.ts';
import type { Threads } from '../../../contracts/conversations/thread.ts';
import { isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { GivenPart } from '../../../contracts/content/part.ts';
import type { ClientTool } from '../../../contracts/tools/client-tool.ts';
import { redactorOf } from '../../../policy/redaction.ts';
import { forkAs } from '../../journal/resume/fork.ts';
import type { ForkOptions } from '../../journal/resume/resume-options.ts';
import { dueRuns } from '../../journal/resume/due-runs.ts';
import { resumeWith } from '../../journal/resume/resume.ts';
import { callerKeyOf } from '../http/callers.ts';
import type { Caller, RunParty } from '../serve-options.ts';
import { awaitStart } from './await-start.ts';
import { DueSweep } from './due-sweep.ts';
import { versionToFork, versionToResume } from './choose-version.ts';
import { checkInput } from './check-input.ts';
import { addClientTools } from './client-tools.ts';
import { laterOptions } from './later-options.ts';
import type { FoundRun } from './live-run.ts';
import { LiveRun } from './live-run.ts';
import type { PartyOptionsSetup } from './party-options.ts';
import { PartyOptions } from './party-options.ts';
import {
  drainingError,
  endedRun,
  fullError,
  heldElsewhere,
  leftToOthers,
  storeMissing,
  unknownRun,
} from './run-errors.ts';
import type { Claim } from './run-keys.ts';
import { RunKeys } from './run-keys.ts';
import { sendLetter } from './run-people.ts';
import type { ServedAgent, ServedNames } from './served-names.ts';
import { tenantIn } from './stored-events.ts';
import type { TakenRun } from './taken-run.ts';
import { takenRun } from './taken-run.ts';
import { newRunId } from './tenant-ids.ts';

/** The parts that served runs are made of. */
export interface ServedRunsSetup extends PartyOptionsSetup {
  readonly names: ServedNames;
  /** False: leaves runs to others that share the store. */
  readonly executes: boolean;
  /** Runs under way at most. */
  readonly most: number;
  /** Ended runs that are kept. */
  readonly kept: number;
  readonly clock: Clock;
  readonly onProblem: (error: unknown) => void;
  /** Called with each run that is resumed here. */
  readonly onResumed: (run: LiveRun) => void;
  /** Called with each run under way that another process had. */
  readonly onTaken?: ((taken: TakenRun) => void) | undefined;
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
  readonly #options: PartyOptions;
  readonly #ending = new AbortController();
  readonly #sweep: DueSweep | undefined;

  constructor(setup: ServedRunsSetup) {
    this.#setup = setup;
    const { store, clock, most, onProblem, names } = setup;
    this.#keys = new RunKeys(store, clock);
    this.#options = new PartyOptions(setup);
    this.#sweep =
      store &&
      new DueSweep({
        store,
        clock,
        most,
        onProblem,
        ended: this.drained,
        underWay: () => new Set(this.underWay.map(({ runId }) => runId)),
        isServed: ({ agent }) => names.of(agent) !== undefined,
        resume: async ({ agent, runId }) => {
          const served = names.of(agent);
          if (served === undefined || !(await this.#isBegun(runId))) return false;
          await this.#resume(served, runId);
          return true;
        },
        leave: async (runId) => {
          const run = this.#live.get(runId);
          if (run !== undefined) await this.#leave(run, 0);
        },
      });
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
    if (!this.#setup.executes) throw heldElsewhere(runId);
    return this.#resume(served, runId);
  }

  /** Starts a run that shares the beginning of another. @throws those of `fork` */
  async fork(found: FoundRun, caller: Caller, given: Pick<ForkOptions, 'at' | 'change'>): Promise<Started> {
    const store = this.#store('fork a run');
    if (!this.#setup.executes) throw leftToOthers('fork a run');
    const { runId: original } = found.live ?? found.stored;
    const agent = found.live === undefined ? this.#setup.names.of(found.stored.agent) : found.live.agent;
    if (agent === undefined) throw unknownRun();
    await this.#assertRoom();
    const runId = newRunId(caller.tenant);
    const options = this.#options.byEngine(caller);
    const { model } = options;
    const version = await versionToFork(agent, { original, fork: runId }, { ...options, store });
    const handle = await forkAs<unknown, unknown>(version, original, {
      ...laterOptions(options),
      store,
      runId,
      at: given.at,
      change: { ...(model === undefined ? {} : { model }), ...given.change },
    });
    this.#keep(new LiveRun(agent, handle, { isStored: true }));
    return { runId, isNew: true };
  }

  /** The threads of a caller's tenant. @throws {TroupeError} `engine.invalid` without a store */
  threadsOf(party: RunParty): Threads {
    return this.#options.threadsOf(party);
  }

  /** The number of runs that are due, and that this server cannot resume until something changes. */
  get held(): number {
    return this.#sweep?.held ?? 0;
  }

  /** Resumes what is due in the store, of the agents that are served and the runs that no process has. */
  async resumeDue(): Promise<number> {
    if (this.#sweep === undefined || this.isDraining) return 0;
    await this.#keys.forgetOld();
    return this.#sweep.sweep();
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
    await this.#assertRoom();
    const { input, thread, paused, history, clientTools = [] } = request;
    const { engine, store, clock, run, executes } = this.#setup;
    const isHeld = clientTools.length > 0 || !executes;
    const handle = engine.stream<unknown, unknown, unknown>(agent.agent, input, {
      ...this.#options.of(caller),
      runId,
      ...(store === undefined ? {} : { store }),
      ...(thread === undefined ? {} : { thread }),
      ...(paused === undefined ? {} : { paused }),
      ...(history === undefined ? {} : { history }),
      ...(isHeld ? { paused: true } : {}),
    });
    // With a store, the journal has the history.
    const kept = store === undefined ? history : undefined;
    const live = this.#keep(
      new LiveRun(agent, handle, { isStored: store !== undefined, thread, paused, history: kept }),
    );
    try {
      // Until its store has it, or it waits for its turn.
      const adding =
        clientTools.length === 0 ? undefined : addClientTools(handle, clientTools, run, executes);
      await Promise.all([awaitStart(handle, clock), adding]);
      if (!executes) await this.#leaveToOthers(live, paused === true);
    } catch (thrown) {
      // It never was: the same key may start it.
      this.#live.delete(runId);
      throw thrown;
    }
  }

  /** Leaves a run that has begun, and that has done nothing yet, to others that share the store. */
  async #leaveToOthers(run: LiveRun, isPaused: boolean): Promise<void> {
    const { clock, run: options } = this.#setup;
    const { secrets, secretKey } = options;
    if (isPaused)
      await sendLetter(
        this.#store('leave a run'),
        run.runId,
        { kind: 'pause' },
        { redactor: redactorOf(undefined, secrets), secretKey, clock },
      );
    await this.#leave(run, 0);
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
    const options = { ...this.#options.byEngine(tenant === undefined ? {} : { tenant }), store };
    const version = await versionToResume(agent, runId, options);
    const taken = this.#setup.onTaken && (await takenRun(store, runId));
    const handle = await resumeWith<unknown, unknown, unknown>(version, runId, options);
    if (taken !== undefined) this.#setup.onTaken?.(taken);
    // A call that was under way needs its tool, which is looked for only now.
    handle.result.catch((thrown: unknown) => {
      if (isTroupeError(thrown, 'tool.missing')) void this.#sweep?.refuse(runId, thrown);
    });
    const run = this.#keep(new LiveRun(agent, handle, { isStored: true }));
    this.#setup.onResumed(run);
    return run;
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

  async #assertRoom(): Promise<void> {
    if (this.isDraining) throw drainingError();
    const { most, executes, store } = this.#setup;
    if (!executes && store !== undefined) {
      if ((await dueRuns(store, most)).due.length >= most) throw fullError(most);
      return;
    }
    if (this.underWay.length >= most) await this.#sweep?.makeRoom(1);
    if (this.underWay.length >= most) throw fullError(most);
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
