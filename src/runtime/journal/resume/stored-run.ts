import type { MakeClientTool } from './journaled-run.ts';
import { takenHistory } from '../../content/read-given.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { Budget } from '../../../contracts/runs/budget.ts';
import { patientClock, systemClock } from '../../../base/clock.ts';
import { errorData, toError, TroupeError } from '../../../contracts/errors/error.ts';
import type {
  JournalRow,
  JournalStore,
  Lease,
  Letter,
  LeaseWish,
} from '../../../contracts/journals/journal.ts';
import type { Began, JournalRecord } from '../../../contracts/journals/journal-record.ts';
import { onDemand } from '../../../base/on-demand.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import type { TreeLimits } from '../../../contracts/runs/tree-limits.ts';
import type { OpenedJournal } from '../../../persistence/journal-codec.ts';
import type { SecretKey } from '../../../contracts/secrets/secret-key.ts';
import { randomId } from '../../../base/random-id.ts';
import { givenSecrets, secretKeyOf } from '../../../policy/secret-key-of.ts';
import { modelSecrets } from '../../actors/models.ts';
import { hideInput, markedFields } from '../../secrets/hide-fields.ts';
import { redactorOf } from '../../../policy/redaction.ts';
import type { Definition } from '../../define/definition.ts';
import type { StartQueue } from '../../run/queued-handle.ts';
import { QueuedHandle } from '../../run/queued-handle.ts';
import { joinThread, noQueue } from '../../thread/run-thread.ts';
import type { Run } from '../../run/run.ts';
import type { StartSetup } from '../../run/create-run.ts';
import { createRun } from '../../run/create-run.ts';
import { beganWith, entryOf } from './beginning.ts';
import { enterRun } from './enter-run.ts';
import { Heartbeat } from '../write/heartbeat.ts';
import { JournaledRun } from './journaled-run.ts';
import { JournalWriter } from '../write/journal-writer.ts';
import type { Reading } from '../write/journal-plan.ts';
import { RunJournal } from '../write/run-journal.ts';
import { RunStates } from '../../thread/run-states.ts';
import { storeUnopened } from '../write/store-silent.ts';
import { asGiven } from '../replay/unlimited.ts';

/** Time without a heartbeat after which another process may acquire a run, in ms. */
const LEASE_MS = 15_000;

/** A run and its journal. */
export interface Journaled {
  readonly run: Run;
  readonly journal: RunJournal;
}

/** Setup of a run that has a journal. */
export interface JournaledSetup extends StartSetup {
  /** Records the requests sent to models, too. Default true. */
  readonly keepsSent?: boolean | undefined;
  /** Makes the tools again that clients run: absent where nothing is executed. */
  readonly makeTool?: MakeClientTool | undefined;
}

/** Creates a run with a journal. It is neither started nor written yet. */
export const createJournaledRun = (
  definition: Definition,
  options: RunOptions,
  { keepsSent, makeTool, ...setup }: JournaledSetup,
  reading?: Reading,
): Journaled => {
  const clock = options.clock === undefined ? systemClock : patientClock(options.clock);
  const attached = new JournaledRun(makeTool);
  const journal = new RunJournal({
    path: definition.name,
    run: attached,
    clock,
    redact: (text) => attached.redact(text),
    reading,
    keepsSent,
  });
  const run = createRun(definition, options, { ...setup, journal });
  attached.attach(run);
  return { run, journal };
};

/** Creates a run that is kept in a store, and its place in the queue: it starts when it is its turn and the store has it. */
export const storedRun = (
  definition: Definition,
  input: unknown,
  options: RunOptions & { readonly store: JournalStore },
  setup: StartSetup,
  line: StartQueue = noQueue,
): { readonly run: Run; readonly line: StartQueue } => {
  const { run, journal } = createJournaledRun(definition, options, { ...setup, isAttended: true });
  run.secrets.give(modelSecrets(definition, options.model));
  hideInput(run.secrets, definition, input);
  const earlier = joinThread(run, input, options);
  const opening = async (): Promise<Opened | undefined> => {
    const { store, secretKey } = options;
    const key = secretKeyOf(secretKey);
    const fields = key === undefined ? markedFields(definition) : [];
    // Programs that store no run do not load the code for it.
    if (fields.length > 0)
      throw (await import('../../../persistence/field-vault.ts')).keyMissing(run.runId, fields);
    const history = earlier === undefined ? takenHistory(options) : await earlier();
    const { assertReadable } = await import('../replay/parse-records.ts');
    const began = assertReadable(beganWith(run, definition, input, { ...options, history }));
    const entry = entryOf(began, began.at, (text) => run.secrets.text(text));
    const lease = await enterRun(store, entry, leaseRequestFor(store));
    if (run.ending.isLost) {
      await store.release(lease);
      return undefined;
    }
    await run.content.refer(began);
    await keepIn({ store, lease, run, journal, key, first: [{ ...began, at: journal.begins() }] });
    return { history };
  };
  let enter = (): void => undefined;
  return {
    run,
    line: {
      enter: (turn) => {
        enter = () => {
          void awaitStore({ run, journal }, opening()).then(
            (opened) => {
              if (opened !== undefined && !run.ending.isLost) turn(opened.history);
            },
            (thrown: unknown) => {
              run.ending.lose(toError(errorData(thrown, 'journal.failed', { message: NOT_OPENED })));
            },
          );
        };
        line.enter(enter);
      },
      skip: () => {
        line.skip(enter);
      },
      over: () => {
        line.over(enter);
      },
    },
  };
};

/** The starting point of a run that its store has accepted. */
interface Opened {
  readonly history: readonly Turn[] | undefined;
}

/** Waits for a store as long as the run may take: a store that never answers ends an aborted or overdue run. */
const awaitStore = <Value>({ run, journal }: Journaled, opening: Promise<Value>): Promise<Value> => {
  const { wholeMs } = run.deadlines;
  const timer =
    wholeMs === Infinity
      ? undefined
      : run.clock.setTimeout(
          () => {
            journal.failed(storeUnopened(run.runId, 'its time was up'));
          },
          Math.floor(wholeMs) + 1,
        );
  const answered = (): void => run.clock.clearTimeout(timer);
  journal.lastWrite.await(opening.then(answered, answered), answered);
  return opening;
};

/** Starts a run that is kept in a store. */
export const startStored = <Output, State>(
  definition: Definition,
  input: unknown,
  options: RunOptions & { readonly store: JournalStore },
  setup: StartSetup,
): RunHandle<Output, State> => {
  const { run, line } = storedRun(definition, input, options, setup);
  const handle = new QueuedHandle<Output, State>(run, line);
  handle.enter(input, options);
  return handle;
};

const NOT_OPENED = 'Cannot start the run as its store failed';

/** An acquired run: everything needed to resume it. */
export interface AcquiredRun {
  readonly store: JournalStore;
  readonly lease: Lease;
  readonly records: readonly JournalRecord[];
  readonly began: Began;
  readonly opened: OpenedJournal;
  readonly key: SecretKey | undefined;
}

/** Secrets and keys for opening a journal, beside the environment variables. */
export type KnownHere = Pick<RunOptions, 'secrets' | 'secretKey'>;

/** The given secrets, and those of the agent's models. */
export const knownSecrets = (
  definition: Definition,
  { model, secrets, secretKey }: KnownHere & Pick<RunOptions, 'model'>,
): KnownHere => ({ secrets: { ...modelSecrets(definition, model), ...secrets }, secretKey });

/** Acquires the lease of a run and loads its journal. */
export const acquireRun = async (
  store: JournalStore,
  runId: string,
  given: KnownHere = {},
): Promise<AcquiredRun> => {
  const key = secretKeyOf(given.secretKey);
  const lease = await store.acquire(runId, leaseRequestFor(store));
  try {
    const found = await recordsIn(store, runId, given);
    assertSecretsKnown(runId, found.opened, key);
    return { store, lease, key, ...found };
  } catch (thrown) {
    await store.release(lease);
    throw thrown;
  }
};

/** All records of a run. @throws `journal.unknown`, `journal.corrupt`, `journal.version` */
export const recordsIn = async (store: JournalStore, runId: string, given: KnownHere = {}) => {
  const { records, opened } = await recordsOf(runId, await store.read(runId), given);
  return { records, began: beganIn(runId, records), opened };
};

/** The first record of a run. @throws `journal.unknown` if there is none yet, `journal.corrupt` if it is another one. */
export const beganIn = (runId: string, [began]: readonly JournalRecord[]): Began => {
  if (began?.kind === 'began') return began;
  const isEmpty = began === undefined;
  const why = isEmpty ? 'it had not begun: run it once more' : 'its journal does not say how it began';
  const code = isEmpty ? 'journal.unknown' : 'journal.corrupt';
  throw new TroupeError(code, `Cannot open run '${runId}' as ${why}`, { runId });
};

/** The records in rows of a run, which follow those that were `opened` before. @throws `journal.corrupt`, `journal.version` */
export const recordsOf = async (
  runId: string,
  rows: readonly JournalRow[],
  given: KnownHere,
  after?: OpenedJournal,
) => {
  const { openJournal } = await import('../../../persistence/journal-codec.ts');
  const { parseRecords } = await import('../replay/parse-records.ts');
  const { secrets } = redactorOf(undefined, givenSecrets(given));
  const key = secretKeyOf(given.secretKey);
  const fields = { ...after?.fields, ...(key === undefined ? {} : await unlockRows(runId, rows, key)) };
  const opened = openJournal(runId, rows, { secrets, fields, after });
  if (opened.damage !== undefined) throw opened.damage;
  return { records: parseRecords(runId, opened.records), opened };
};

/** Decrypts the sealed fields of a journal. Code for it is loaded only if there is a key. */
const unlockRows = async (runId: string, rows: readonly JournalRow[], key: SecretKey) => {
  const { unlockFields } = await import('../../../persistence/field-vault.ts');
  return unlockFields(runId, rows, key);
};

/** Refuses to continue a run with unknown secrets: no tool may be called with a placeholder. */
export const assertSecretsKnown = (
  runId: string,
  { missing, lockedFields }: Pick<OpenedJournal, 'missing' | 'lockedFields'>,
  key: SecretKey | undefined,
): void => {
  if (lockedFields.length > 0) throw lockedError(runId, lockedFields, key);
  if (missing.length === 0) return;
  const names = missing.join(', ');
  const message = `Cannot open run '${runId}' as its journal refers to secrets that are not known here: ${names}. Set the variables, or pass them as \`secrets\``;
  throw new TroupeError('secret.missing', message, { runId, details: { names: [...missing] } });
};

/** The error for sealed fields that cannot be opened: no key was given, or a wrong one. */
export const lockedError = (
  runId: string,
  names: readonly string[],
  key: SecretKey | undefined,
): TroupeError => {
  const why =
    key === undefined
      ? 'its journal has sealed fields, and no key was given'
      : 'the key does not open the sealed fields of its journal';
  const message = `Cannot open run '${runId}' as ${why}: ${names.join(', ')}. Pass the \`secretKey\` that sealed them, or set TROUPE_SECRET_KEY; after a change of keys, pass both`;
  const code = key === undefined ? 'secret.missing' : 'secret.wrong-key';
  return new TroupeError(code, message, { runId, details: { names: [...names] } });
};

/** Starts a run with the input, history and states of its first record. */
export const beginAgain = (run: Run, { input, history, states }: Began): void => {
  run.states ??= new RunStates();
  run.states.kept = states ?? {};
  run.beginAgain(input, history);
};

/** Options of a resumed run: the journal determines what it was started with, the caller the rest. */
export const optionsOf = (
  { runId, thread, history, task, budget, limits }: Began,
  options: RunOptions,
): RunOptions => ({
  ...options,
  runId,
  thread,
  history,
  task,
  limits: {
    ...options.limits,
    ...(limits && asGiven<TreeLimits>(limits)),
    budget: budget && asGiven<Budget>(budget),
  },
});

/** A run, its journal, and the store to keep it in. */
export interface Keeping {
  readonly store: JournalStore;
  readonly lease: Lease;
  readonly run: Run;
  readonly journal: RunJournal;
  /** Seals the values of fields. */
  readonly key: SecretKey | undefined;
  /** The first records of a new journal. */
  readonly first?: readonly JournalRecord[] | undefined;
  /** The journal to append to. */
  readonly after?: OpenedJournal | undefined;
}

/** Writes everything that is recorded, and renews the lease for as long as the run lasts. */
export const keepIn = async (keeping: Keeping): Promise<Heartbeat> => {
  const { store, lease, run, journal, key, first, after } = keeping;
  // Programs that store no run do not load this code.
  const [{ JournalSeal }, { takeLetter }] = await Promise.all([
    import('../../../persistence/journal-codec.ts'),
    import('../letters/letters.ts'),
  ]);
  const { runId, secrets } = run;
  const hidden = { key, fields: secrets.hidden };
  const seal = new JournalSeal({ runId, redactor: () => secrets.redactor, hidden, after });
  const writer = new JournalWriter({
    store,
    lease,
    seal,
    content: run.content,
    wish: () => leaseRequestFor(store),
    change: () => ({
      status: journal.status,
      updatedAt: journal.now(),
      ...(journal.dueAt === undefined ? {} : { dueAt: journal.dueAt }),
    }),
    onCommitted: (events) => {
      journal.committed(events);
    },
    onFailure: (error) => {
      heartbeat.stop();
      journal.failed(error);
    },
  });
  const heartbeat = new Heartbeat({
    store,
    run,
    journal,
    takeLetter,
    open: opening(run, key),
    renew: () => writer.renew(),
    everyMs: LEASE_MS / 3,
  });
  journal.asks.onWaits = (isAwaited) => {
    heartbeat.hold(isAwaited);
  };
  journal.write(writer, first);
  const over = (): Promise<void> => {
    heartbeat.stop();
    return writer.release();
  };
  journal.released = run.result.then(over, over);
  return heartbeat;
};

/** Decrypts the letters of a run. */
export const opening =
  ({ secrets: { redactor } }: Run, key: SecretKey | undefined) =>
  async (letters: readonly Letter[]): Promise<readonly Letter[]> => {
    if (letters.length === 0) return letters;
    const { openLetters } = await import('../letters/sealed-letters.ts');
    return openLetters(letters, { secrets: redactor.secrets, key });
  };

/** The lease request of this process. */
export const leaseRequestFor = ({ identity = nobody() }: JournalStore): LeaseWish => ({
  holder: identity.holder,
  ttlMs: LEASE_MS,
  // The machine's clock: a run may have its own.
  now: systemClock.now(),
  isGone: (holder) => identity.isGone(holder),
});

const nobody = onDemand(() => ({ holder: randomId(), isGone: () => false }));
