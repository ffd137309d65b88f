import type { RunOptions } from '../../contracts/runs/run-options.ts';
import { ambientInspector } from '../inspection/ambient-inspector.ts';
import { patientClock, systemClock } from '../../base/clock.ts';
import { errorData } from '../../contracts/errors/error.ts';
import { randomId } from '../../base/random-id.ts';
import type { GivenBlobs } from '../content/read-given.ts';
import type { Definition } from '../define/definition.ts';
import { DrivenHost } from '../turn/driven-host.ts';
import { NoJournal } from '../journal/write/no-journal.ts';
import type { JournalPort } from '../journal/write/journal-port.ts';
import { processPacer } from './pacer.ts';
import { outcomeOfFailure } from './result.ts';
import type { OnHooks } from './run-hooks.ts';
import { RunHooks } from './run-hooks.ts';
import { Run } from './run.ts';
import { onlookerOf } from '../inspection/run-inspector.ts';
import { readReason } from './read-reason.ts';
import { onSignal } from './shared-signal.ts';
import type { Watch } from '../turn/watch.ts';

/** Setup of a run by the runtime, beside its user's options. */
export interface StartSetup {
  readonly isAttended: boolean;
  /** Default: a journal that writes nothing. */
  readonly journal?: JournalPort | undefined;
  readonly random?: () => number;
  readonly onHooks?: OnHooks;
  /** True if the run is a replay: nothing can influence it. */
  readonly isReplayed?: boolean | undefined;
  /** The bytes of media in its input and history. */
  readonly blobs?: GivenBlobs | undefined;
  /** The tenant that it works for. */
  readonly tenant?: string | undefined;
  /** Follows the machines of the run. Absent, it costs nothing. */
  readonly watch?: Watch | undefined;
}

/** Creates a run, wired to its signal, hooks and inspector. It is not started yet. */
export const createRun = (definition: Definition, options: RunOptions, setup: StartSetup): Run => {
  const clock = options.clock === undefined ? systemClock : patientClock(options.clock);
  const { isReplayed = false, watch } = setup;
  // A replay is shown only on request.
  const { inspect = isReplayed ? undefined : ambientInspector() } = options;
  const host = new DrivenHost(watch);
  const run = new Run(definition, options, {
    host,
    pacer: processPacer,
    clock,
    runId: options.runId ?? randomId(),
    random: setup.random ?? Math.random,
    isAttended: setup.isAttended,
    blobs: setup.blobs,
    tenant: setup.tenant,
    journal: setup.journal ?? new NoJournal(definition.name, clock),
  });
  run.actors.hooks = new RunHooks(run, definition, options, setup.onHooks);
  if (inspect !== undefined) host.onlooker = onlookerOf(inspect, run, isReplayed);
  const { signal } = options;
  if (signal !== undefined) {
    const abort = (): void => {
      run.abort(readReason(signal.reason, 'aborted'));
    };
    if (signal.aborted) abort();
    else {
      const forget = onSignal(signal, abort);
      run.result.then(forget, forget);
    }
  }
  return run;
};

/** Fails a run whose start threw, so that nothing waits for it. */
export const failToBegin = (run: Run, thrown: unknown): void => {
  const message = 'Cannot start the run as it threw';
  const error = errorData(thrown, 'internal', { message, runId: run.runId });
  run.root.end({ ...outcomeOfFailure(error.code, error.message, run.log.now()), error });
};
