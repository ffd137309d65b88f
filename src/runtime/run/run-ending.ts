import type { TroupeError } from '../../contracts/error.ts';
import { errorData, toError } from '../../contracts/error.ts';
import type { Outcome, RunResult } from '../../contracts/run.ts';
import type { ReportedRun } from './result.ts';
import { endedBody, outcomeOfFailure, resultOf } from './result.ts';
import type { AttachedHooks } from '../../events/hooks.ts';
import type { Actor } from '../actors/actor.ts';
import type { Deadlines } from '../limits/deadlines.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Gate } from '../effects/gate.ts';
import type { ArrivalRecorder, EndRecorder } from '../journal/write/recorder.ts';
import type { TearDowns } from './tear-down.ts';

/** What the end of a run needs of it. */
export interface EndingRun extends ReportedRun {
  readonly log: EventLog;
  readonly journal: ArrivalRecorder & EndRecorder;
  readonly gate: Gate;
  readonly tearDowns: TearDowns;
  readonly deadlines: Deadlines;
  readonly actors: { at(path: string): Actor | undefined };
  /** Whoever observes it. */
  readonly hooks: readonly AttachedHooks[];
  /** Lets jobs be done. */
  release(): void;
}

/**
 * How a run comes to its end.
 *
 * I1  `run.ended` is written once, last, and `result` settles by it.
 * I2  What was set up is let go of first; that it was is on record where the run has a journal.
 */
export class RunEnding {
  readonly result: Promise<RunResult>;
  readonly #run: EndingRun;
  #outcome: Outcome | undefined;
  /** Why the run's store does not keep it any more. */
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

  /** True if the run is not kept here any more: it may continue elsewhere. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** How the run ends, once that is known. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  get hasBegun(): boolean {
    return this.#outcome !== undefined;
  }

  /** The root is over: everything that is still open is closed, and the last event written. */
  finish(outcome: Outcome): void {
    if (this.hasBegun) return;
    this.#outcome = outcome;
    const { journal, tearDowns } = this.#run;
    const settle = (): void => {
      void tearDowns.settled(this.#isHurried(outcome)).then(() => {
        this.#closed();
      });
    };
    const letGo = (): void => {
      this.#cameTo(outcome);
      settle();
    };
    // It was waited for before, and that it is through is on record, too; or it was not through when the journal ended.
    if (journal.awaitsEnd(letGo)) return;
    this.#cameTo(outcome);
    if (tearDowns.areUnderWay) settle();
    else this.close();
  }

  /** Nobody waits any longer than has to be. */
  #isHurried({ status }: Outcome): boolean {
    return status === 'aborted' || this.#run.deadlines.isPast;
  }

  /** Once all that made it is written, it can be no other: a run that is taken up again comes to the same. */
  #cameTo(outcome: Outcome): void {
    const { journal, tearDowns } = this.#run;
    tearDowns.cameTo(outcome, (go) => {
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

  /** What was set up is let go of: the last event is written, and then told. */
  close(): void {
    const outcome = this.#outcome;
    if (outcome === undefined) return;
    const { log, root, gate, journal } = this.#run;
    log.closeTools('the run ended first');
    log.write(endedBody(outcome, log.totals), root);
    gate.close();
    journal.end(() => {
      this.#settle(outcome);
    });
  }

  /** An actor comes to an end that its machine knows nothing of. */
  force(actor: Actor, outcome: Outcome): void {
    const { journal } = this.#run;
    if (this.#lost === undefined) journal.arrive(actor.scope, { type: 'broke', path: actor.path, outcome });
    actor.end(outcome);
  }

  /** Ends a member for whoever engaged it, as one that failed; false where there is none. */
  stop(path: string, reason: string): boolean {
    const { actors, root, log } = this.#run;
    const actor = actors.at(path);
    if (this.hasBegun || actor === undefined || actor.isCall || actor === root) return false;
    const message = `Cannot go on with '${actor.agent}' as it was stopped: ${reason}`;
    this.force(actor, outcomeOfFailure('agent.stopped', message, log.now()));
    return true;
  }

  /** The runtime itself threw, or something that it trusted: the run ends, and the process goes on. */
  broke(thrown: unknown): void {
    const { runId, root } = this.#run;
    const message = 'Cannot go on with the run as the runtime broke';
    const outcome = this.#failure(errorData(thrown, 'internal', { message, runId }));
    if (root.isOver) this.finish(outcome);
    else this.force(root, outcome);
  }

  /** What the run is kept in failed, or belongs to another process now: it ends here, and may go on elsewhere. */
  lose(error: TroupeError): void {
    this.#lost ??= error;
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
    if (flushing.length === 0) this.#tell(outcome, result);
    else
      void tearDowns.flushed(flushing, this.#isHurried(outcome)).then(() => {
        this.#tell(outcome, result);
      });
  }

  #tell(outcome: Outcome, result: RunResult): void {
    this.#run.deadlines.close();
    const { status, error } = outcome;
    const failure = this.#lost ?? (status === 'failed' && error !== undefined ? toError(error) : undefined);
    if (failure === undefined) this.#resolve(result);
    else {
      // Whoever reads the events only has not asked for the rejection.
      this.result.catch(ignore);
      this.#reject(withResult(failure, result));
    }
  }
}

const ignore = (): void => undefined;

/** Not enumerable: a process that dies of an error prints all that it shows, and a result is pages long. */
const withResult = (error: TroupeError, result: RunResult): TroupeError =>
  Object.defineProperty(error, 'result', { value: result });
