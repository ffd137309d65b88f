import type { ErrorCode } from '../contracts/errors/error-data.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import type { JournalRow } from '../contracts/journals/journal.ts';
import type { Json } from '../base/json/json.ts';
import type { Redactor, Secrets } from '../contracts/secrets/redactor.ts';
import { platformSha256 } from '../base/platform-sha256.ts';
import type { VaultPlace } from './field-vault.ts';
import { FieldVault } from './field-vault.ts';
import { restoreSecrets, replaceSecrets } from './secret-references.ts';
import type { KnownSecrets, MissingSecrets } from './secret-references.ts';

/** Version of newly written records. */
const journalVersion = 1;

/** Functions that convert a record to the next version, by its version. */
export type Migrations = Readonly<Record<number, (record: Json) => Json>>;

/** The valid prefix of a journal. */
export interface OpenedJournal {
  readonly records: readonly Json[];
  /** Number of valid rows, which is the number of the next one. */
  readonly rows: number;
  /** Checksum of the last valid row, to which the next is chained. */
  readonly check: string;
  /** Names of secrets in its records that are unknown here; `[redacted NAME]` stands for each. */
  readonly missing: readonly string[];
  /** Names of fields that no key opened. */
  readonly lockedFields: readonly string[];
  /** Values of its fields, by name. */
  readonly fields: Secrets;
  /** The reason why it ends early: `journal.corrupt` or `journal.version`. */
  readonly damage: TroupeError | undefined;
}

/** Options of {@link openJournal}. */
export interface OpenOptions {
  readonly migrations?: Migrations;
  /** Target version. Default {@link journalVersion}. */
  readonly version?: number;
  /** Known secrets, by name. Default: none. */
  readonly secrets?: Secrets;
  /** Values of its fields by name, from `unlockFields`. Default: none. */
  readonly fields?: Secrets;
  /** The part of the journal before these rows. Default: none. */
  readonly after?: Pick<OpenedJournal, 'rows' | 'check'> | undefined;
}

/** Options of {@link JournalSeal}. */
export interface SealOptions {
  readonly runId: string;
  /** Finds secrets, which are replaced by references. Default: everything is written unchanged. */
  readonly redactor?: (() => Redactor) | undefined;
  /** Secret fields, and the key that seals them. Default: none. */
  readonly hidden?: Pick<VaultPlace, 'key' | 'fields'> | undefined;
  /** The journal to continue. Default: a new one. */
  readonly after?:
    | (Pick<OpenedJournal, 'rows' | 'check'> & Partial<Pick<OpenedJournal, 'fields'>>)
    | undefined;
  /** Version of the records. Default {@link journalVersion}. */
  readonly version?: number | undefined;
}

/**
 * Serializes records into rows: each is one line of JSON, with a checksum that chains it to the previous row.
 *
 * {@link openJournal} detects rows that were torn, changed, moved, removed or copied from another run. A row counts as soon as it is
 * sealed: if storing it fails, it has to be stored again before the next.
 *
 * @example
 * const redactor = new Redactor({ SHOP_API_KEY: key });
 * const journal = new JournalSeal({ runId: 'r1', redactor: () => redactor });
 * await store.commit(lease, { rows: [journal.seal([{ type: 'input', text: 'Hello' }])], change });
 */
export class JournalSeal {
  readonly #runId: string;
  readonly #redactor: (() => Redactor) | undefined;
  readonly #vault: FieldVault | undefined;
  readonly #version: number;
  #next: number;
  #check: string;

  constructor({ runId, redactor, hidden, after, version = journalVersion }: SealOptions) {
    this.#runId = runId;
    this.#redactor = redactor;
    const written = Object.keys(after?.fields ?? {});
    this.#vault = hidden === undefined ? undefined : new FieldVault({ runId, written, ...hidden });
    this.#version = version;
    this.#next = after?.rows ?? 0;
    this.#check = after?.check ?? '';
  }

  /**
   * Seals new fields before the next row; usually undefined.
   *
   * @throws {TroupeError} `secret.missing` where there are values of fields, and no key to seal them by.
   */
  prepare(): Promise<void> | undefined {
    return this.#vault?.prepare();
  }

  /** Serializes records as the next row. */
  seal(records: readonly (Json | object)[]): JournalRow {
    return this.sealText(textOf(records, this.#redactor?.(), (name) => this.#vault?.take(name)));
  }

  /** Makes records that are JSON on one line already the next row. */
  sealText(text: string): JournalRow {
    const n = this.#next;
    const version = this.#version;
    this.#check = checkOf(this.#check, { version, runId: this.#runId, n }, text);
    this.#next = n + 1;
    return { n, text: `{"v":${version},"n":${n},"records":${text},"check":"${this.#check}"}` };
  }
}

/**
 * Parses rows up to the first invalid one: the records before it are valid, and `damage` is the reason for stopping. Never throws.
 *
 * Rows missing at the end cannot be detected.
 *
 * @example
 * const { records, damage } = openJournal('r1', await store.read('r1'));
 * if (damage !== undefined) console.error(damage.message);
 */
export const openJournal = (
  runId: string,
  rows: readonly JournalRow[],
  { migrations = {}, version = journalVersion, secrets = {}, fields = {}, after }: OpenOptions = {},
): OpenedJournal => {
  const records: Json[] = [];
  const missing: MissingSecrets = { secrets: new Set(), fields: new Set() };
  const known: KnownSecrets = { secrets, fields };
  const of = () => ({ missing: [...missing.secrets], lockedFields: [...missing.fields], fields });
  const first = after?.rows ?? 0;
  let check = after?.check ?? '';
  for (const [index, row] of rows.entries()) {
    const n = first + index;
    const found = readRow({ runId, n, check, version }, row);
    const damage =
      'damage' in found
        ? found.damage
        : migrate(runId, n, found, { into: records, migrations, wanted: version, known, missing });
    if (damage !== undefined) return { records, rows: n, check, ...of(), damage };
    if ('check' in found) check = found.check;
  }
  return { records, rows: first + rows.length, check, ...of(), damage: undefined };
};

/** All rows of a log that can be parsed, past damage. */
export interface PastDamage {
  /** Of each row its records, and what is wrong with it. */
  readonly found: readonly { readonly records: readonly Json[]; readonly damage: TroupeError | undefined }[];
  /** Number and predecessor of the next row. */
  readonly rows: number;
  readonly check: string;
}

/** Reads all rows that can be parsed, for looking at a run: {@link openJournal} trusts none that follows a damaged one. Never throws. */
export const readPastDamage = (runId: string, texts: readonly string[]): PastDamage => {
  const known: KnownSecrets = { secrets: {}, fields: {} };
  const missing: MissingSecrets = { secrets: new Set(), fields: new Set() };
  let place: RowPlace = { runId, n: 0, check: '', version: journalVersion };
  const found = texts.map((text) => {
    const row = readRow(place, { n: place.n, text });
    const [, n, written = '', check] = SEALED.exec(text) ?? [];
    // What comes after a damaged row follows what stands there.
    if (check !== undefined) place = { ...place, n: Number(n) + 1, check };
    const records = 'damage' in row ? parse(written) : row.records;
    return {
      records: (Array.isArray(records) ? (records as readonly Json[]) : []).map((record) =>
        restoreSecrets(record, known, missing),
      ),
      damage: 'damage' in row ? row.damage : undefined,
    };
  });
  return { found, rows: place.n, check: place.check };
};

/** The state that the next row has to follow. */
interface RowPlace {
  readonly runId: string;
  readonly n: number;
  readonly check: string;
  readonly version: number;
}

/** The target and options of parsing rows. */
interface Opening extends Required<Pick<OpenOptions, 'migrations'>> {
  readonly into: Json[];
  readonly wanted: number;
  readonly known: KnownSecrets;
  readonly missing: MissingSecrets;
}

interface SoundRow {
  readonly records: readonly Json[];
  readonly version: number;
  readonly check: string;
}

const readRow = (place: RowPlace, { n, text }: JournalRow): SoundRow | { readonly damage: TroupeError } => {
  const { runId, n: next, check } = place;
  if (n > next) return corrupt(place, `row ${next} is missing, row ${n} follows`);
  if (n < next) return corrupt(place, `row ${n} stands out of order, where row ${next} was to be`);
  const version = Number(/^\{"v":(\d{1,9}),/.exec(text)?.[1]);
  if (Number.isNaN(version))
    return corrupt(place, `row ${n} begins with ${JSON.stringify(text.slice(0, 20))}`);
  const written = SEALED.exec(text);
  const isSealed = (as: number): boolean =>
    written !== null && checkOf(check, { version: as, runId, n }, written[2] ?? '') === written[3];
  if (version > place.version) {
    // Newer rows may have another form; but if an older version makes the row valid, its version was changed.
    const older = versionsUpTo(place.version).find(isSealed);
    return older === undefined ? unknownVersion(place, version) : corrupt(place, `row ${n} was changed`);
  }
  if (written === null) return corrupt(place, `row ${n} is torn: it does not end with a check`);
  if (Number(written[1]) !== n)
    return corrupt(place, `row ${n} stands out of order: it says that it is row ${written[1]}`);
  if (!isSealed(version))
    return corrupt(place, `row ${n} was changed${n === 0 ? '' : `, or does not follow row ${n - 1}`}`);
  const records = parse(written[2] ?? '');
  if (!Array.isArray(records)) return corrupt(place, `row ${n} holds no list of records`);
  return { records: records as readonly Json[], version, check: written[3] ?? '' };
};

/** Adds the records of a row to `into`, migrated to the current version; returns an error if that fails. */
const migrate = (
  runId: string,
  n: number,
  { records, version }: SoundRow,
  { into, migrations, wanted, known, missing }: Opening,
): TroupeError | undefined => {
  const hops = Array.from({ length: Math.max(wanted - version, 0) }, (_, hop) => version + hop);
  const step = hops.find((from) => migrations[from] === undefined);
  if (step !== undefined)
    return ofVersion(
      { runId, n },
      version,
      `nothing brings version ${step} to ${step + 1}: row ${n} is of version ${version}, ${wanted} is wanted`,
    );
  try {
    const moved = hops.reduce<readonly Json[]>(
      (now, from) => now.map((record) => migrations[from]?.(record) ?? null),
      records.map((record) => restoreSecrets(record, known, missing)),
    );
    for (const record of moved) into.push(record);
    return undefined;
  } catch (cause) {
    return ofVersion({ runId, n }, version, `a migration from version ${version} broke on row ${n}`, cause);
  }
};

const unknownVersion = (place: RowPlace, found: number) => {
  const supported = versionsUpTo(place.version).join(', ');
  const reason = `row ${place.n} is of version ${found}, which is not known here: supported are ${supported}`;
  return { damage: ofVersion(place, found, reason) };
};

const versionsUpTo = (version: number): readonly number[] =>
  Array.from({ length: version }, (_, before) => before + 1);

const corrupt = ({ runId, n }: RowPlace, found: string) => ({
  damage: damageOf('journal.corrupt', runId, n, `its journal is damaged: ${found}`, { row: n }),
});

const ofVersion = (
  { runId, n }: Pick<RowPlace, 'runId' | 'n'>,
  version: number,
  reason: string,
  cause?: unknown,
): TroupeError => damageOf('journal.version', runId, n, reason, { row: n, version }, cause);

const damageOf = (
  code: ErrorCode,
  runId: string,
  n: number,
  reason: string,
  details: Json,
  cause?: unknown,
): TroupeError => {
  const past = n === 0 ? '' : ` past row ${n - 1}`;
  return new TroupeError(code, `Cannot open the run '${runId}'${past} as ${reason}`, {
    runId,
    details,
    cause,
  });
};

/** A written row: its number, its records, its checksum. */
const SEALED = /^\{"v":\d+,"n":(\d{1,15}),"records":(.*),"check":"([0-9a-f]{16})"\}$/s;

/** Sixteen digits detect accidents; forgery by the owner of a journal is out of scope. */
const checkOf = (
  previous: string,
  { version, runId, n }: Pick<RowPlace, 'version' | 'runId' | 'n'>,
  records: string,
): string => platformSha256(`${previous}\n${version}\n${runId}\n${n}\n${records}`).slice(0, 16);

/** Serializes records; they are searched one by one only if the text may contain a secret. */
const textOf = (
  records: readonly (Json | object)[],
  redactor: Redactor | undefined,
  take: (name: string) => string | undefined,
): string => {
  const text = JSON.stringify(records);
  if (redactor?.mayBeIn(text) !== true) return text;
  // Parsed from its own JSON.
  const plain = JSON.parse(text) as readonly Json[];
  return JSON.stringify(plain.map((record) => replaceSecrets(record, redactor, take)));
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
