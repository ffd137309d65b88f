import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { Session } from '../session.ts';
import type { StorePlace } from './store-place.ts';
import { storePlace } from './store-place.ts';

/** An open store, and how the command line names it. */
export interface OpenStore {
  readonly store: JournalStore;
  /** Option for further commands on the same store: ` --store runs.db`, or empty. */
  readonly option: string;
}

/**
 * Opens the store of this session, which must exist, and closes it after `work`. If the user has no store yet and names
 * none, it is an empty one.
 *
 * @throws {TroupeError} `command.usage` if there is none, `journal.…` if it is unusable.
 */
export const withStore = async <T>(
  session: Session,
  work: (opened: OpenStore) => T | Promise<T>,
): Promise<T> => {
  const place = knownPlace(session);
  assertStoreThere(session);
  const missing = missingFile(place);
  if (missing !== undefined) return closing(await emptyStore(missing), work);
  return closing(await openAt(place, session), work);
};

/** Opens the store like `withStore`, and creates it if necessary. */
export const withStoreMade = async <T>(
  session: Session,
  work: (opened: OpenStore) => T | Promise<T>,
): Promise<T> => closing(await openAt(knownPlace(session), session), work);

/** Throws where a store was named that is not there. @throws {TroupeError} `command.usage` */
export const assertStoreThere = (session: Session): void => {
  const missing = missingFile(placeOf(session));
  if (missing === undefined || !isNamed(session)) return;
  throw new TroupeError(
    'command.usage',
    `Cannot look for runs as ${optionOf(session)} names a store that is not there: ${missing}. Check its name`,
  );
};

/** The setting that names the store. */
const optionOf = ({ settings }: Session): string =>
  settings.store === undefined ? 'TROUPE_STORE' : settings.storeOption;

/** Throws where a file is there that is no store: SQLite would take a short one for an empty store, and write over it. */
const assertSqlite = (file: string, session: Session): void => {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || (found.isFile() && (found.size === 0 || beginningOf(file) === SQLITE))) return;
  throw new TroupeError(
    'command.usage',
    `Cannot use a store as ${optionOf(session)} names ${found.isFile() ? 'a file that is no SQLite database' : 'a folder'}: ${file}. Name another file`,
  );
};

/** The first bytes of each SQLite database. */
const SQLITE = 'SQLite format 3\0';

const beginningOf = (file: string): string => {
  const bytes = Buffer.alloc(SQLITE.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
  return bytes.toString('latin1');
};

/** The file of a store that is not made yet. */
const missingFile = (place: StorePlace | undefined): string | undefined =>
  place?.kind === 'sqlite' && !existsSync(place.file) ? place.file : undefined;

/** The store of a user without stored runs. */
const emptyStore = async (file: string): Promise<OpenStore> => {
  const { sqliteStore } = await import('../../persistence/sqlite/sqlite-store.ts');
  loadQuietly();
  const store = Object.defineProperty(sqliteStore(':memory:'), 'name', { value: `sqlite:${file}` });
  return { store, option: '' };
};

const knownPlace = (session: Session): StorePlace => {
  const place = placeOf(session);
  if (place === undefined || place.kind === 'none')
    throw new TroupeError(
      'command.usage',
      `Cannot look for runs as there is no store: ${place === undefined ? NO_HOME : 'it is disabled'}; name one with --store FILE`,
    );
  return place;
};

/**
 * Opens the store of this session if possible: a failure of the default store is only reported; a requested one must
 * exist.
 */
export const withStoreIfAny = async <T>(
  session: Session,
  prepare: (store: JournalStore) => Promise<void>,
  work: (opened: OpenStore | undefined) => T | Promise<T>,
): Promise<T> => {
  const place = placeOf(session);
  if (place?.kind === 'none') return work(undefined);
  const found = place === undefined ? new Error(NO_HOME) : await tryOpen(place, session, prepare);
  return found instanceof Error ? work(without(found, session)) : closing(found, work);
};

/** Reads from a store: one that cannot be opened says so here, and not with the first request. */
export const assertReadable = async (store: JournalStore): Promise<void> => {
  await store.list({ limit: 1 });
};

const NO_HOME = 'this user has no data folder';

/** Checks whether the runs of this session are stored where another process finds them. */
export const isKeptOutside = (session: Session): boolean => {
  const kind = placeOf(session)?.kind;
  return kind === 'sqlite' || kind === 'postgres';
};

const placeOf = ({ settings, terminal }: Session): StorePlace | undefined =>
  storePlace({
    given: settings.store,
    option: settings.storeOption,
    environment: terminal.environment,
    folder: terminal.folder,
    platform: process.platform,
  });

const closing = async <T, Store extends OpenStore>(
  found: Store,
  work: (found: Store) => T | Promise<T>,
): Promise<T> => {
  try {
    return await work(found);
  } finally {
    await found.store.close();
  }
};

/** The store, opened and written to; or why the user's own cannot be. */
const tryOpen = async (
  place: StorePlace,
  session: Session,
  prepare: (store: JournalStore) => Promise<void>,
): Promise<OpenStore | Error> => {
  try {
    const found = await openAt(place, session);
    await prepare(found.store);
    return found;
  } catch (thrown) {
    if (isNamed(session) || !isTroupeError(thrown)) throw thrown;
    return thrown;
  }
};

const isNamed = ({ settings, terminal }: Session): boolean =>
  settings.store !== undefined || (terminal.environment['TROUPE_STORE'] ?? '').trim() !== '';

const without = (why: Error, { settings, terminal, sidePaint: paint }: Session): undefined => {
  if (settings.json || settings.quiet) return;
  const line = oneLine(`This run is not stored, as there is no store: ${messageOf(why)}`, 400);
  terminal.stderr.write(`  ${paint.yellow('!')} ${line}\n`);
};

const openAt = async (place: StorePlace, session: Session): Promise<OpenStore> => {
  const { settings } = session;
  switch (place.kind) {
    case 'none':
    case 'memory': {
      const { memoryStore } = await import('../../persistence/memory-store.ts');
      return { store: memoryStore(), option: ' --store memory' };
    }
    case 'postgres': {
      const { postgresStore } = await import('../../persistence/postgres/postgres-store.ts');
      // A connection string may contain a password.
      return {
        store: postgresStore({ connectionString: place.url }),
        option: settings.store === undefined ? '' : ' --store …',
      };
    }
    case 'sqlite': {
      const { sqliteStore } = await import('../../persistence/sqlite/sqlite-store.ts');
      if (isNamed(session)) assertSqlite(place.file, session);
      loadQuietly();
      // Questions and answers are private.
      if (!isNamed(session)) makeOwnFolder(place.file);
      const option = settings.store === undefined ? '' : ` --store ${quoteWord(settings.store)}`;
      return { store: sqliteStore(place.file), option };
    }
  }
};

/** Quotes a word for a shell. */
export const quoteWord = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

const makeOwnFolder = (file: string): void => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch {
    // The store itself reports the problem.
  }
};

/** Suppresses Node's warning that its SQLite is experimental, which a user of the command cannot act on. */
const loadQuietly = (): void => {
  const emitWarning: unknown = Reflect.get(process, 'emitWarning');
  process.emitWarning = () => undefined;
  try {
    process.getBuiltinModule('node:sqlite');
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning);
  }
};
