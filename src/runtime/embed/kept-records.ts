import type { Json } from '../../contracts/json.ts';
import { toJson } from '../../contracts/json.ts';
import type { JournalRecord } from '../../contracts/journal-record.ts';
import type { Redactor } from '../../contracts/secrets/redactor.ts';
import type { FieldVault } from '../../persistence/field-vault.ts';
import { JsonPacker, JsonUnpacker } from '../../persistence/packed-json.ts';
import type { KnownSecrets, MissingSecrets } from '../../persistence/secret-references.ts';
import { dereferenced, referenced } from '../../persistence/secret-references.ts';
import type { KeptRecord } from '../journal/replay/followed.ts';
import { followedBy } from '../journal/replay/followed.ts';
import type { RecordSink } from '../journal/write/journal-writer.ts';

/** Records as a persisted snapshot has them: packed JSON, secrets by their names, with a check of all of them. */
export interface SealedRecords {
  readonly records: readonly Json[];
  readonly check: number;
}

/**
 * The journal of an embedded run: its records in memory, as plain objects, unsealed. What is recorded may be told at once.
 *
 * I1  Events that follow from the other records are counted, not kept.
 * I2  What was sealed once is not looked at again: sealing costs what is new.
 * I3  Where there is a key, what has values of fields in it is recorded once those are sealed: nothing is told, and no call made, before.
 */
export class KeptRecords implements RecordSink {
  readonly #records: KeptRecord[];
  readonly #sealed: Json[] = [];
  readonly #packer = new JsonPacker();
  #check = 0;
  #isClosed = false;
  /** Seals the values of fields; without one their names alone are kept. */
  readonly #vault: FieldVault | undefined;
  #sealing: Promise<void> | undefined;
  /** So many of the records have no value of a field that is not sealed yet. */
  #safe: number;
  #events = 0;
  /** So many of the log's events are recorded. */
  onRecorded: (events: number) => void = () => undefined;
  /** What is secret cannot be sealed. */
  onFailure: (thrown: unknown) => void = () => undefined;

  constructor(records: readonly KeptRecord[] = [], vault?: FieldVault) {
    this.#records = [...records];
    this.#vault = vault;
    this.#safe = vault === undefined ? records.length : 0;
  }

  /** Unpacks sealed records; undefined where they are damaged. */
  static unpacked(sealed: SealedRecords): readonly Json[] | undefined {
    if (sealed.records.reduce(checked, 0) !== sealed.check) return undefined;
    const unpacker = new JsonUnpacker();
    return sealed.records.map((packed) => unpacker.unpack(packed));
  }

  /** Opens unpacked records. The names of secrets that are not known go into `missing`. */
  static opened(unpacked: readonly Json[], known: KnownSecrets, missing: MissingSecrets): KeptRecords {
    // What was sealed were records, and it is whole.
    const records = unpacked.map((record) => dereferenced(record, known, missing)) as unknown;
    return new KeptRecords(records as readonly KeptRecord[]);
  }

  get records(): readonly KeptRecord[] {
    return this.#records.slice();
  }

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  /** The records so far, for a run that goes on from them elsewhere. */
  branch(vault?: FieldVault): KeptRecords {
    return new KeptRecords(this.#records, vault);
  }

  /** Takes in nothing any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** All records, sealed; without the last ones, as long as values of fields in them are not. */
  seal(redactor: Redactor): SealedRecords {
    const take = (name: string): string | undefined => this.#vault?.take(name);
    const end = this.#isSealed() ? this.#records.length : this.#safe;
    for (let index = this.#sealed.length; index < end; index += 1) {
      const record = this.#packer.pack(referenced(toJson(this.#records[index]), redactor, take));
      this.#sealed.push(record);
      this.#check = checked(this.#check, record);
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
      this.#records[at] = followedBy(record.event, last);
    else this.#records.push(followedBy(record.event));
  }

  wrote(events: number): void {
    this.#events = events;
    if (this.#isSealed()) this.#recorded();
  }

  take(): void {
    // Letters are for stored runs.
  }

  /** There is something to wait for only as long as values of fields are being sealed. */
  flush(): void | Promise<void> {
    return this.#isSealed() ? undefined : this.#sealing;
  }

  /** Checks whether all values of fields are sealed, and begins to seal those that are not. */
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

/** Events whose contents are looked up by whoever goes on with a run. */
const LOOKED_UP: ReadonlySet<string> = new Set(['run.started', 'member.refused', 'run.ended']);

/** What models were sent is for those who look on, and is no part of what a run goes on from. */
const isLook = (record: JournalRecord): boolean =>
  record.kind === 'arrived' && (record.arrival.type === 'sent' || record.arrival.type === 'heard');

const SPREAD = 0x01_00_01_93;

const checked = (check: number, record: Json): number => (Math.imul(check, SPREAD) ^ checkOf(record)) >>> 0;

/** A check of a packed value: there are no objects in it, of which a database might change the order. */
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

/** The check of a text in quotes, as JSON has it; undefined for one that JSON may write otherwise. */
const quotedCheck = (text: string): number | undefined => {
  let check = Math.imul(SEED ^ QUOTE, SPREAD);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < FIRST_PLAIN || code > LAST_PLAIN || code === QUOTE || code === BACKSLASH) return undefined;
    check = Math.imul(check ^ code, SPREAD);
  }
  return Math.imul(check ^ QUOTE, SPREAD);
};

const textCheck = (text: string): number => {
  let check = SEED;
  for (let index = 0; index < text.length; index += 1)
    check = Math.imul(check ^ text.charCodeAt(index), SPREAD);
  return check;
};
