import { TroupeError } from '../contracts/errors/error.ts';
import type { JournalRow } from '../contracts/journals/journal.ts';
import type { Json } from '../base/json/json.ts';
import { isJsonObject } from '../base/json/json.ts';
import type { FieldSecret } from '../contracts/secrets/field-secret.ts';
import type { SecretKey } from '../contracts/secrets/secret-key.ts';

/** The secret fields of a run, and the key that seals them. */
export interface VaultPlace {
  readonly runId: string;
  readonly key: SecretKey | undefined;
  /** In order of discovery; append-only. */
  readonly fields: readonly FieldSecret[];
  /** Names of those that are in the journal already. */
  readonly written?: Iterable<string> | undefined;
}

/**
 * The secret fields of a run as its journal stores them: sealed by the user's key, each written once, with the first record that refers to
 * it.
 */
export class FieldVault {
  readonly #place: VaultPlace;
  readonly #written: Set<string>;
  readonly #sealed = new Map<string, string>();
  #count = 0;

  constructor(place: VaultPlace) {
    this.#place = place;
    this.#written = new Set(place.written);
  }

  /**
   * Seals new fields; undefined if there are none.
   *
   * @throws {TroupeError} `secret.missing` where there is no key.
   */
  prepare(): Promise<void> | undefined {
    const { runId, key, fields } = this.#place;
    if (this.#count === fields.length) return undefined;
    const found = fields.slice(this.#count).filter(({ name }) => !this.#written.has(name));
    if (found.length > 0 && key === undefined) throw keyMissing(runId, namesOf(found));
    this.#count = fields.length;
    if (key === undefined || found.length === 0) return undefined;
    const sealing = found.map(async ({ name, value }) => {
      this.#sealed.set(name, await key.seal(value, placeOf(runId, name)));
    });
    return Promise.all(sealing).then(() => undefined);
  }

  /** The sealed field, for the first record that refers to it; undefined for later ones. */
  take(name: string): string | undefined {
    const sealed = this.#sealed.get(name);
    this.#sealed.delete(name);
    this.#written.add(name);
    return sealed;
  }
}

const namesOf = (fields: readonly FieldSecret[]): readonly string[] => fields.map(({ name }) => name);

const placeOf = (runId: string, name: string): string => `${runId}\n${name}`;

/** The error of a run with secret fields and no key. */
export const keyMissing = (runId: string, names: readonly string[]): TroupeError =>
  new TroupeError(
    'secret.missing',
    `Cannot store run '${runId}' as its schemas mark fields as secret, and there is no key to seal them: ${names.join(', ')}. Pass \`secretKey\`, or set TROUPE_SECRET_KEY, to 32 bytes in base64 (\`openssl rand -base64 32\`)`,
    { runId, details: { names: [...names] } },
  );

/** Seals fields for a run, by name. */
export const sealFields = async (
  runId: string,
  fields: readonly FieldSecret[],
  key: SecretKey,
): Promise<ReadonlyMap<string, string>> =>
  new Map(
    await Promise.all(
      fields.map(async ({ name, value }) => [name, await key.seal(value, placeOf(runId, name))] as const),
    ),
  );

/** Marks rows that contain sealed fields. */
const HINT = '{"kind":"sealed","fields":{';

/** The fields in a journal that the key opens, by name. */
export const unlockFields = async (
  runId: string,
  rows: readonly JournalRow[],
  key: SecretKey,
): Promise<Readonly<Record<string, string>>> =>
  unlockRecords(
    runId,
    rows.filter(({ text }) => text.includes(HINT)).flatMap(({ text }) => recordsIn(text)),
    key,
  );

/** The fields in stored records that the key opens, by name. */
export const unlockRecords = async (
  runId: string,
  records: readonly unknown[],
  key: SecretKey,
): Promise<Readonly<Record<string, string>>> => {
  const opened: Record<string, string> = {};
  for (const [name, sealed] of records.flatMap(fieldsIn)) {
    const value = await key.open(sealed, placeOf(runId, name));
    if (value !== undefined) opened[name] = value;
  }
  return opened;
};

/** Names of the sealed fields in records. */
export const sealedFieldsIn = (records: readonly unknown[]): readonly string[] =>
  records.flatMap(fieldsIn).map(([name]) => name);

/** A torn row is reported when the journal is opened. */
const recordsIn = (row: string): readonly Json[] => {
  try {
    const read = JSON.parse(row) as Json;
    const records = isJsonObject(read) ? read['records'] : undefined;
    return Array.isArray(records) ? records : [];
  } catch {
    return [];
  }
};

const fieldsIn = (record: unknown): readonly (readonly [name: string, sealed: string])[] => {
  const fields = isJsonObject(record) && record['kind'] === 'sealed' ? record['fields'] : undefined;
  if (!isJsonObject(fields)) return [];
  return Object.entries(fields).flatMap(([name, sealed]) =>
    typeof sealed === 'string' ? [[name, sealed] as const] : [],
  );
};
