import type { TroupeError } from '../../contracts/errors/error.ts';
import { errorData, toError } from '../../contracts/errors/error.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import type { ReportedRun } from './result.ts';
import { endedBody, outcomeOfFailure, resultOf } from './result.ts';
import type { AttachedHooks } from '../../events/hooks/hooks.ts';
import type { Actor } from '../actors/actor.ts';
import type { Deadlines } from '../limits/deadlines.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Gate } from '../effects/gate.ts';
import type { ArrivalRecorder, EndRecorder } from '../journal/write/journal-port.ts';
import { withMemoryFailures } from './memory-failures.ts';
import type { TearDowns } from './tear-down.ts';

/** The calls that ending a run needs of it. */
export interface EndingRun extends ReportedRun {
  readonly log: EventLog;
  readonly journal: ArrivalRecorder & EndRecorder;
  readonly gate: Gate;
  readonly tearDowns: TearDowns;
  readonly deadlines: Deadlines;
  readonly actors: { at(path: string): Actor | undefined };
  /** The hooks that observe the run. */
  readonly hooks: readonly AttachedHooks[];
  /** Lets the job queue run. */
  release(): void;
}

/**
 * Ends a run. Owns its outcome and its result.
 *
 * I1 `run.ended` is written once, last, and settles `result`.
 * I2 Toolsets and memories are released first; in a stored run, that they were is on record.
 */
export class RunEnding {
  readonly result: Promise<RunResult>;
  readonly #run: EndingRun;
  #outcome: Outcome | undefined;
  /** The reason why the run's store no longer keeps it. */
  #lost: TroupeError | undefined;
  #resolve!: (result: RunResult) => void;
  #reject!: (error: TroupeError) => void;

  constructor(run: EndingRun) {
    this.#run = run;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** True if the run is no longer kept here: it may continue elsewhere. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** The outcome, once it is known. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  get hasBegun(): boolean {
    return this.#outcome !== undefined;
  }

  /** Ends the run after its root: closes what is open, then writes the last event. */
  finish(outcome: Outcome): void {
    if (this.hasBegun) return;
    this.#outcome = outcome;
    const { journal, tearDowns } = this.#run;
    const settle = (): void => {
      void tearDowns.settled(this.#isHurried(outcome)).then(() => {
        this.#closed();
      });
    };
    const proceed = (): void => {
      this.#runLastWork(outcome);
      settle();
    };
    // In a replay the release has happened, and its end is on record; or the journal stopped before it.
    if (journal.awaitsEnd(proceed)) return;
    this.#runLastWork(outcome);
    if (tearDowns.areUnderWay) settle();
    else this.close();
  }

  /** Shortens waits after an abort or a passed deadline. */
  #isHurried({ status }: Outcome): boolean {
    return status === 'aborted' || this.#run.deadlines.isPast;
  }

  /** Persists everything that led to the outcome first, so that a resumed run reaches the same one. */
  #runLastWork(outcome: Outcome): void {
    const { journal, tearDowns } = this.#run;
    tearDowns.runLast(outcome, (go) => {
      journal.end(() => {
        go(this.#lost === undefined);
      });
    });
  }

  #closed(): void {
    this.#run.journal.take(undefined, { type: 'closed' }, () => {
      this.close();
    });
  }

  /** Writes the last event after resources are released, and publishes it. */
  close(): void {
    if (this.#outcome === undefined) return;
    const { log, root, gate, journal } = this.#run;
    try {
      const outcome = (this.#outcome = withMemoryFailures(this.#outcome, log.events));
      log.closeTools('the run ended first');
      log.write(endedBody(outcome, log.totals), root);
      gate.close();
      journal.end(() => {
        this.#settle(outcome);
      });
    } catch (thrown) {
      this.#breakOff(thrown);
    }
  }

  /** Rejects the result of a run that cannot write its end, so that nothing waits for it. */
  #breakOff(thrown: unknown): void {
    const { runId, gate, log, deadlines } = this.#run;
    gate.close();
    log.close();
    deadlines.close();
    this.result.catch(ignore);
    this.#reject(
      toError(errorData(thrown, 'internal', { message: 'Cannot end the run as troupe threw', runId })),
    );
  }

  /** Ends an actor independently of its machine. */
  force(actor: Actor, outcome: Outcome): void {
    const { journal } = this.#run;
    if (this.#lost === undefined) journal.arrive(actor.scope, { type: 'broke', path: actor.path, outcome });
    actor.end(outcome);
  }

  /** Stops a member: its supervisor sees it fail with `agent.stopped`. False if there is none at `path`. */
  stop(path: string, reason: string): boolean {
    const { actors, root, log } = this.#run;
    const actor = actors.at(path);
    if (this.hasBegun || actor === undefined || actor.isCall || actor === root) return false;
    const message = `Cannot go on with '${actor.agent}' as it was stopped: ${reason}`;
    this.force(actor, outcomeOfFailure('agent.stopped', message, log.now()));
    return true;
  }

  /** Ends the run after an exception in the runtime or in a component that it trusts. The process continues. */
  broke(thrown: unknown): void {
    const { runId, root } = this.#run;
    const message =
      'Cannot continue the run as troupe threw, or a clock, store or machine that it uses (report it with its cause)';
    const outcome = this.#failure(errorData(thrown, 'internal', { message, runId }));
    if (root.isOver) this.finish(outcome);
    else this.force(root, outcome);
  }

  /** Ends the run here, as its store failed or another process acquired it. It may continue elsewhere. */
  lose(error: TroupeError): void {
    this.#lost ??= error;
    this.#run.log.leaves(error.data);
    this.#run.release();
    if (!this.hasBegun) this.#run.root.end(this.#failure(error.data));
  }

  #failure(found: ReturnType<typeof errorData>): Outcome {
    const error = this.#run.secrets.error(found);
    return { ...outcomeOfFailure(error.code, error.message, this.#run.log.now()), error };
  }

  #settle(outcome: Outcome): void {
    const { log, root, hooks, runId, tearDowns } = this.#run;
    const result = resultOf(this.#run, outcome, root.path, 0, root);
    log.close();
    const flushing = hooks.flatMap((attached) => attached.flush(runId) ?? []);
    if (flushing.length === 0) this.#settleResult(outcome, result);
    else
      void tearDowns.flushed(flushing, this.#isHurried(outcome)).then(() => {
        this.#settleResult(outcome, result);
      });
  }

  #settleResult(outcome: Outcome, result: RunResult): void {
    this.#run.deadlines.close();
    const { status, error } = outcome;
    const failure = this.#lost ?? (status === 'failed' && error !== undefined ? toError(error) : undefined);
    if (failure === undefined) this.#resolve(result);
    else {
      // A caller that only reads events has not asked for the rejection.
      this.result.catch(ignore);
      this.#reject(withResult(failure, result));
    }
  }
}

const ignore = (): void => undefined;

/** Not enumerable: an uncaught error is printed with its enumerable fields, and a result is pages long. */
const withResult = (error: TroupeError, result: RunResult): TroupeError =>
  Object.defineProperty(error, 'result', { value: result });
