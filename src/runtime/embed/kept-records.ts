import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import type { Redactor } from '../../contracts/secrets/redactor.ts';
import type { FieldVault } from '../../persistence/field-vault.ts';
import { JsonPacker, JsonUnpacker } from '../../persistence/packed-json.ts';
import type { KnownSecrets, MissingSecrets } from '../../persistence/secret-references.ts';
import { restoreSecrets, replaceSecrets } from '../../persistence/secret-references.ts';
import type { KeptRecord } from '../journal/replay/derived-events.ts';
import { withDerivedEvent } from '../journal/replay/derived-events.ts';
import type { RecordSink } from '../journal/write/journal-writer.ts';

/** Records in a persisted snapshot: packed JSON with secrets by name, and a checksum over all. */
export interface SealedRecords {
  readonly records: readonly Json[];
  readonly check: number;
}

/**
 * The journal of an embedded run: its records in memory, as plain objects, unsealed. Events are published as soon as they are recorded.
 *
 * I1 Events that follow from other records are counted, not stored.
 * I2 A sealed record is not sealed again: sealing costs new records only.
 * I3 With a key, records that contain secret fields count as recorded once those are sealed; nothing is published and no call
 * made before.
 */
export class KeptRecords implements RecordSink {
  readonly #records: KeptRecord[];
  readonly #sealed: Json[] = [];
  readonly #packer = new JsonPacker();
  #check = 0;
  #isClosed = false;
  /** Seals secret fields; without one only their names are kept. */
  readonly #vault: FieldVault | undefined;
  #sealing: Promise<void> | undefined;
  /** Number of leading records whose secret fields are sealed. */
  #safe: number;
  #events = 0;
  /** Called with the number of the log's events that are recorded. */
  onRecorded: (events: number) => void = () => undefined;
  /** Called if secret fields cannot be sealed. */
  onFailure: (thrown: unknown) => void = () => undefined;

  constructor(records: readonly KeptRecord[] = [], vault?: FieldVault) {
    this.#records = [...records];
    this.#vault = vault;
    this.#safe = vault === undefined ? records.length : 0;
  }

  /** Unpacks sealed records; undefined if they are damaged. */
  static unpacked(sealed: SealedRecords): readonly Json[] | undefined {
    if (sealed.records.reduce(addCheck, 0) !== sealed.check) return undefined;
    const unpacker = new JsonUnpacker();
    return sealed.records.map((packed) => unpacker.unpack(packed));
  }

  /** Opens unpacked records. Names of unknown secrets are added to `missing`. */
  static opened(unpacked: readonly Json[], known: KnownSecrets, missing: MissingSecrets): KeptRecords {
    // Records were sealed, and the checksum matches.
    const records = unpacked.map((record) => restoreSecrets(record, known, missing)) as unknown;
    return new KeptRecords(records as readonly KeptRecord[]);
  }

  get records(): readonly KeptRecord[] {
    return this.#records.slice();
  }

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  /** A copy of the records, for a run that continues from them elsewhere. */
  branch(vault?: FieldVault): KeptRecords {
    return new KeptRecords(this.#records, vault);
  }

  /** Ignores further records. */
  close(): void {
    this.#isClosed = true;
  }

  /** Seals all records; the last ones are left out while their secret fields are not sealed. */
  seal(redactor: Redactor): SealedRecords {
    const take = (name: string): string | undefined => this.#vault?.take(name);
    const end = this.#isSealed() ? this.#records.length : this.#safe;
    for (let index = this.#sealed.length; index < end; index += 1) {
      const record = this.#packer.pack(replaceSecrets(toJson(this.#records[index]), redactor, take));
      this.#sealed.push(record);
      this.#check = addCheck(this.#check, record);
    }
    return { records: this.#sealed.slice(), check: this.#check };
  }

  push(record: JournalRecord): void {
    if (this.#isClosed || isLook(record)) return;
    if (
      record.kind !== 'event' ||
      record.scope !== undefined ||
      record.tick !== undefined ||
      LOOKED_UP.has(record.event.type)
    ) {
      this.#records.push(record);
      return;
    }
    const at = this.#records.length - 1;
    const last = this.#records[at];
    if (last?.kind === 'followed' && at >= this.#sealed.length)
      this.#records[at] = withDerivedEvent(record.event, last);
    else this.#records.push(withDerivedEvent(record.event));
  }

  wrote(events: number): void {
    this.#events = events;
    if (this.#isSealed()) this.#recorded();
  }

  take(): void {
    // Only stored runs have letters.
  }

  /** A promise only while secret fields are being sealed. */
  flush(): void | Promise<void> {
    return this.#isSealed() ? undefined : this.#sealing;
  }

  /** Checks whether all secret fields are sealed, and starts to seal those that are not. */
  #isSealed(): boolean {
    if (this.#sealing !== undefined) return false;
    const sealing = this.#vault?.prepare();
    if (sealing === undefined) {
      this.#safe = this.#records.length;
      return true;
    }
    this.#sealing = sealing.then(
      () => {
        this.#sealing = undefined;
        if (!this.#isSealed()) return this.#sealing;
        this.#recorded();
        return undefined;
      },
      (thrown: unknown) => {
        this.onFailure(thrown);
      },
    );
    return false;
  }

  #recorded(): void {
    if (!this.#isClosed) this.onRecorded(this.#events);
  }
}

/** Events whose contents a resume looks up. */
const LOOKED_UP: ReadonlySet<string> = new Set(['run.started', 'member.refused', 'run.ended']);

/** Model requests are recorded for observers and not needed to resume a run. */
const isLook = (record: JournalRecord): boolean =>
  record.kind === 'arrived' && (record.arrival.type === 'sent' || record.arrival.type === 'heard');

const SPREAD = 0x01_00_01_93;

const addCheck = (check: number, record: Json): number => (Math.imul(check, SPREAD) ^ checkOf(record)) >>> 0;

/** Checksum of a packed value. It contains no objects, whose key order a database might change. */
const checkOf = (packed: Json): number => {
  if (typeof packed === 'string') return quotedCheck(packed) ?? textCheck(JSON.stringify(packed));
  if (typeof packed === 'number') return textCheck(String(packed));
  if (!Array.isArray(packed)) return textCheck(JSON.stringify(packed));
  let check = 1;
  for (const item of packed as readonly Json[]) check = Math.imul(check, SPREAD) ^ checkOf(item);
  return check;
};

const SEED = 0x81_1c_9d_c5;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PLAIN = 0x20;
const LAST_PLAIN = 0x7e;

/** Checksum of a text in quotes, as JSON writes it; undefined if JSON may write it differently. */
const quotedCheck = (text: string): number | undefined => {
  let check = Math.imul(SEED ^ QUOTE, SPREAD);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < FIRST_PLAIN || code > LAST_PLAIN || code === QUOTE || code === BACKSLASH) return undefined;
    check = Math.imul(check ^ code, SPREAD);
  }
  return Math.imul(check ^ QUOTE, SPREAD);
};

/** Checksum of a text. */
export const textCheck = (text: string): number => {
  let check = SEED;
  for (let index = 0; index < text.length; index += 1)
    check = Math.imul(check ^ text.charCodeAt(index), SPREAD);
  return check;
};
