import { errorData, toError, TroupeError } from '../../contracts/errors/error.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { Secrets } from '../../contracts/secrets/redactor.ts';
import type { SecretKey } from '../../contracts/secrets/secret-key.ts';
import { FieldVault } from '../../persistence/field-vault.ts';
import { secretKeyOf } from '../../policy/secret-key-of.ts';
import { hideInput } from '../secrets/hide-fields.ts';
import type { GivenBlobs } from '../content/read-given.ts';
import { readGiven } from '../content/read-given.ts';
import type { Definition } from '../define/definition.ts';
import { Handle } from '../run/handle.ts';
import type { StartQueue, StartTurn } from '../run/queued-handle.ts';
import { QueuedHandle } from '../run/queued-handle.ts';
import { beganWith } from '../journal/resume/beginning.ts';
import type { Journaled } from '../journal/resume/stored-run.ts';
import { resumedRun } from '../journal/resume/resumed-run.ts';
import {
  beginAgain,
  createJournaledRun,
  optionsOf,
  storedRun,
  acquireRun,
} from '../journal/resume/stored-run.ts';
import { inThread, joinThread, noQueue } from '../thread/run-thread.ts';
import { outcomeOfFailure } from '../run/result.ts';
import type { Run } from '../run/run.ts';
import type { Watch } from '../turn/watch.ts';
import { KeptRecords } from './kept-records.ts';

/** A run that is embedded in an app. */
export interface EmbeddedRun {
  readonly run: Run;
  readonly handle: Handle<unknown, unknown>;
  /** Its journal; absent if it is in a store. */
  readonly records: KeptRecords | undefined;
  /** Starts or resumes the run. */
  readonly go: () => void;
}

/** A run that is not running; without records it is in a store. */
export interface LeftRun {
  readonly runId: string;
  readonly records: KeptRecords | undefined;
  /** Values of secret fields, by name. */
  readonly fields?: Secrets | undefined;
  /** The bytes of its media that have no other place. */
  readonly blobs?: GivenBlobs | undefined;
}

/** Creates a watched run in the options' store or in memory, without starting it. */
export const newRun = (
  definition: Definition,
  givenInput: unknown,
  givenOptions: RunOptions,
  watch: Watch,
): EmbeddedRun => {
  const { input, options, blobs } = readGiven(definition, givenInput, givenOptions);
  const { store } = options;
  if (store !== undefined) {
    const { run, line } = storedRun(
      definition,
      input,
      { ...options, store },
      { isAttended: true, watch, blobs },
    );
    return holdRun(run, line, undefined, input, options);
  }
  const { run, journal } = createJournaledRun(definition, options, { ...KEPT, watch, blobs });
  const records = keptRunOf({ run, journal }, secretKeyOf(options.secretKey));
  const history = joinThread(run, input, options);
  const line = before(inThread(noQueue, run, history), (earlier = options.history) => {
    const began = beganWith(run, definition, input, { ...options, history: earlier });
    journal.write(records, [{ ...began, at: journal.begins() }]);
  });
  return holdRun(run, line, records, input, options);
};

/** Creates a run that resumes where its records, or those in the options' store, end. */
export const keptRun = async (
  definition: Definition,
  { runId, records, fields = {}, blobs }: LeftRun,
  options: RunOptions,
  watch: Watch,
): Promise<EmbeddedRun> => {
  const { store } = options;
  if (records === undefined && store !== undefined) {
    const taken = await acquireRun(store, runId, options.secrets);
    const { run, go } = await resumedRun(definition, taken, options, { watch });
    return { run, handle: new Handle(run), records: undefined, go };
  }
  const before = records?.records ?? [];
  const { parseRecords } = await import('../journal/replay/parse-records.ts');
  const [began] = parseRecords(runId, before.slice(0, 1) as readonly unknown[]);
  if (began?.kind !== 'began')
    throw new TroupeError(
      'journal.corrupt',
      `Cannot resume run '${runId}' as its records do not say how it started`,
    );
  const given = optionsOf(began, options);
  const { tenant } = began;
  const { run, journal } = createJournaledRun(definition, given, { ...KEPT, tenant, watch, blobs });
  run.secrets.know(fields);
  hideInput(run.secrets, definition, began.input);
  joinThread(run, began.input, given);
  const writer = keptRunOf({ run, journal }, secretKeyOf(options.secretKey), records);
  // It must not be persisted before its secret fields are sealed again.
  await writer.flush();
  const go = (): void => {
    journal.write(writer);
    journal.rerun(
      before,
      () => {
        beginAgain(run, began);
      },
      {
        inHand: new Map(),
        before: () => {
          if (!run.isOver) run.log.resumed(journal.arrive(undefined, { type: 'resumed' }));
        },
      },
    );
  };
  return { run, handle: new Handle(run), records: writer, go };
};

/** The outcome of a run whose start threw. */
export const notBegun = (thrown: unknown, runId: string): Outcome => {
  const error = errorData(thrown, 'internal', { message: 'Cannot start the run as it threw', runId });
  return { ...outcomeOfFailure(error.code, error.message, 0), error };
};

const KEPT = { isAttended: true, keepsSent: false } as const;

const keptRunOf = (
  { run, journal }: Journaled,
  key: SecretKey | undefined,
  before?: KeptRecords,
): KeptRecords => {
  const { runId, secrets } = run;
  const vault = key === undefined ? undefined : new FieldVault({ runId, key, fields: secrets.hidden });
  const kept = before?.branch(vault) ?? new KeptRecords([], vault);
  kept.onFailure = (thrown) => {
    const message = 'Cannot continue the run as its secret fields cannot be sealed';
    journal.failed(toError(errorData(thrown, 'secret.invalid', { message, runId })));
  };
  kept.onRecorded = (events) => {
    journal.committed(events);
  };
  return kept;
};

const holdRun = (
  run: Run,
  line: StartQueue,
  records: KeptRecords | undefined,
  input: unknown,
  options: RunOptions,
): EmbeddedRun => {
  const handle = new QueuedHandle<unknown, unknown>(run, line);
  return {
    run,
    handle,
    records,
    go: () => {
      handle.enter(input, options);
    },
  };
};

/** A queue that runs some work right before the start of the run. */
const before = (line: StartQueue, work: StartTurn): StartQueue => {
  const turns = new Map<StartTurn, StartTurn>();
  const around = (turn: StartTurn): StartTurn => {
    const known = turns.get(turn) ?? once(turn, work);
    turns.set(turn, known);
    return known;
  };
  return {
    enter: (turn) => {
      line.enter(around(turn));
    },
    skip: (turn) => {
      line.skip(around(turn));
    },
    over: (turn) => {
      line.over(around(turn));
    },
  };
};

const once =
  (turn: StartTurn, work: StartTurn): StartTurn =>
  (history) => {
    work(history);
    turn(history);
  };
