import type { Budget } from '../../../contracts/budget.ts';
import { patientClock, systemClock } from '../../../contracts/clock.ts';
import { errorData, toError, TroupeError } from '../../../contracts/error.ts';
import type { JournalRow, JournalStore, Lease, Letter, LeaseWish } from '../../../contracts/journal.ts';
import type { Began, JournalRecord } from '../../../contracts/journal-record.ts';
import { onDemand } from '../../../contracts/on-demand.ts';
import type { RunHandle, RunOptions } from '../../../contracts/run.ts';
import type { TreeLimits } from '../../../contracts/tree-limits.ts';
import type { OpenedJournal } from '../../../persistence/journal-codec.ts';
import type { SecretKey } from '../../../contracts/secrets/secret-key.ts';
import { randomId } from '../../../contracts/random-id.ts';
import { givenSecrets, secretKeyOf } from '../../../policy/secret-key-of.ts';
import { modelSecrets } from '../../actors/models.ts';
import { hideInput, markedFields } from '../../secrets/hide-fields.ts';
import { redactorOf } from '../../../policy/redaction.ts';
import type { Definition } from '../../define/definition.ts';
import type { Line } from '../../run/held-handle.ts';
import { HeldHandle } from '../../run/held-handle.ts';
import { joinThread, noLine } from '../../thread/run-thread.ts';
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

/** The time that a process may be silent before another may take its runs over, in ms. */
const LEASE_MS = 15_000;

/** A run and the journal that it is to be kept in. */
export interface Journaled {
  readonly run: Run;
  readonly journal: RunJournal;
}

/** What the caller of a run that has a journal decides. */
export interface JournaledSetup extends StartSetup {
  /** True if what models are sent is recorded, too. Default true. */
  readonly keepsSent?: boolean | undefined;
}

/** Makes a run with a journal; it has not begun, and is not written anywhere yet. */
export const journaled = (
  definition: Definition,
  options: RunOptions,
  { keepsSent, ...setup }: JournaledSetup,
  reading?: Reading,
): Journaled => {
  const clock = options.clock === undefined ? systemClock : patientClock(options.clock);
  const attached = new JournaledRun();
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

/** A run that is kept in a store, and where it waits: it begins once it is its turn and the store has it. */
export const storedRun = (
  definition: Definition,
  input: unknown,
  options: RunOptions & { readonly store: JournalStore },
  setup: StartSetup,
  line: Line = noLine,
): { readonly run: Run; readonly line: Line } => {
  const { run, journal } = journaled(definition, options, { ...setup, isAttended: true });
  run.secrets.give(modelSecrets(definition, options.model));
  hideInput(run.secrets, definition, input);
  const earlier = joinThread(run, input, options);
  const opening = async (): Promise<Opened | undefined> => {
    const { store, secretKey } = options;
    const key = secretKeyOf(secretKey);
    const fields = key === undefined ? markedFields(definition) : [];
    // A program that stores no run does not load what that takes.
    if (fields.length > 0)
      throw (await import('../../../persistence/field-vault.ts')).keyMissing(run.runId, fields);
    const history = earlier === undefined ? options.history : await earlier();
    const { assertReadable } = await import('../replay/check-records.ts');
    const began = assertReadable(beganWith(run, definition, input, { ...options, history }));
    const entry = entryOf(began, began.at, (text) => run.secrets.text(text));
    const lease = await enterRun(store, entry, wishFor(store));
    if (run.ending.isLost) {
      await store.release(lease);
      return undefined;
    }
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

/** What a run that its store has taken in begins with. */
interface Opened {
  readonly history: RunOptions['history'];
}

/** Waits for a store as long as the run may take: one that never answers ends a run that is aborted, or whose time is up. */
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
  const handle = new HeldHandle<Output, State>(run, line);
  handle.enter(input, options);
  return handle;
};

const NOT_OPENED = 'Cannot begin the run as its store failed';

/** What it takes to go on with a run. */
export interface Taken {
  readonly store: JournalStore;
  readonly lease: Lease;
  readonly records: readonly JournalRecord[];
  readonly began: Began;
  readonly opened: OpenedJournal;
  readonly key: SecretKey | undefined;
}

/** What opens a journal beside the variables of the process. */
export type KnownHere = Pick<RunOptions, 'secrets' | 'secretKey'>;

/** What is known beside the variables, with what the models of an agent know. */
export const knownTo = (
  definition: Definition,
  { model, secrets, secretKey }: KnownHere & Pick<RunOptions, 'model'>,
): KnownHere => ({ secrets: { ...modelSecrets(definition, model), ...secrets }, secretKey });

/** Takes a run over from whoever had it, with all that its journal has. */
export const takeOver = async (store: JournalStore, runId: string, given: KnownHere = {}): Promise<Taken> => {
  const key = secretKeyOf(given.secretKey);
  const lease = await store.acquire(runId, wishFor(store));
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
  const { openJournal } = await import('../../../persistence/journal-codec.ts');
  const { checkRecords } = await import('../replay/check-records.ts');
  const { secrets } = redactorOf(undefined, givenSecrets(given));
  const rows = await store.read(runId);
  const key = secretKeyOf(given.secretKey);
  const fields = key === undefined ? {} : await unlocked(runId, rows, key);
  const opened = openJournal(runId, rows, { secrets, fields });
  if (opened.damage !== undefined) throw opened.damage;
  const records = checkRecords(runId, opened.records);
  const [began] = records;
  if (began?.kind === 'began') return { records, began, opened };
  const isEmpty = records.length === 0;
  const why = isEmpty ? 'it had not begun: run it once more' : 'its journal does not say how it began';
  const code = isEmpty ? 'journal.unknown' : 'journal.corrupt';
  throw new TroupeError(code, `Cannot go on with run '${runId}' as ${why}`, { runId });
};

/** The values of fields in a journal; whoever has no key does not load what that takes. */
const unlocked = async (runId: string, rows: readonly JournalRow[], key: SecretKey) => {
  const { unlockFields } = await import('../../../persistence/field-vault.ts');
  return unlockFields(runId, rows, key);
};

/** What was stored by a name alone has to be known where a run goes on: a placeholder is nothing to call a tool with. */
export const assertSecretsKnown = (
  runId: string,
  { missing, lockedFields }: Pick<OpenedJournal, 'missing' | 'lockedFields'>,
  key: SecretKey | undefined,
): void => {
  if (lockedFields.length > 0) throw lockedOut(runId, lockedFields, key);
  if (missing.length === 0) return;
  const names = missing.join(', ');
  const message = `Cannot go on with run '${runId}' as its journal refers to secrets that are not known here: ${names}. Set the variables, or give them as \`secrets\``;
  throw new TroupeError('secret.missing', message, { runId, details: { names: [...missing] } });
};

/** Why values of fields are not known: nobody gave the key that sealed them, or it was another. */
export const lockedOut = (
  runId: string,
  names: readonly string[],
  key: SecretKey | undefined,
): TroupeError => {
  const why =
    key === undefined
      ? 'its journal has values of fields that are sealed, and there is no key to open them by'
      : 'the key does not open the values of fields that its journal has sealed';
  const message = `Cannot go on with run '${runId}' as ${why}: ${names.join(', ')}. Give the \`secretKey\` that it was kept by, or set TROUPE_SECRET_KEY; after a change of keys, give both`;
  const code = key === undefined ? 'secret.missing' : 'secret.wrong-key';
  return new TroupeError(code, message, { runId, details: { names: [...names] } });
};

/** Begins a run that is on record with what it was begun with. */
export const beginAgain = (run: Run, { input, history, states }: Began): void => {
  run.states ??= new RunStates();
  run.states.kept = states ?? {};
  run.beginAgain(input, history);
};

/** What a run was begun with is its journal's to say; the rest is whose process goes on with it. */
export const optionsOf = (
  { runId, thread, history, task, budget, limits }: Began,
  options: RunOptions,
): RunOptions => ({
  ...options,
  runId,
  thread,
  history,
  task,
  budget: budget && asGiven<Budget>(budget),
  limits: limits && asGiven<TreeLimits>(limits),
});

/** Where a run is to be kept. */
export interface Keeping {
  readonly store: JournalStore;
  readonly lease: Lease;
  readonly run: Run;
  readonly journal: RunJournal;
  /** Seals the values of fields. */
  readonly key: SecretKey | undefined;
  /** What a new journal begins with. */
  readonly first?: readonly JournalRecord[] | undefined;
  /** The journal that is gone on with. */
  readonly after?: OpenedJournal | undefined;
}

/** Has all that is recorded written, and keeps the lease for as long as the run lasts. */
export const keepIn = async (keeping: Keeping): Promise<Heartbeat> => {
  const { store, lease, run, journal, key, first, after } = keeping;
  // Whoever keeps no run does not load what that takes.
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
    wish: () => wishFor(store),
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

/** Opens what is sealed of a run's letters. */
export const opening =
  ({ secrets: { redactor } }: Run, key: SecretKey | undefined) =>
  async (letters: readonly Letter[]): Promise<readonly Letter[]> => {
    if (letters.length === 0) return letters;
    const { openLetters } = await import('../letters/sealed-letters.ts');
    return openLetters(letters, { secrets: redactor.secrets, key });
  };

/** Who this process is to a store. */
export const wishFor = ({ identity = nobody() }: JournalStore): LeaseWish => ({
  holder: identity.holder,
  ttlMs: LEASE_MS,
  // Of the machine: a run may have a clock of its own.
  now: systemClock.now(),
  isGone: (holder) => identity.isGone(holder),
});

const nobody = onDemand(() => ({ holder: randomId(), isGone: () => false }));
