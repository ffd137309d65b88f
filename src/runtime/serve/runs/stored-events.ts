import type { Clock } from '../../../base/clock.ts';
import { EVENT_VERSION } from '../../../contracts/events/event-version.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { OpenedJournal } from '../../../persistence/journal-codec.ts';
import { beganIn } from '../../journal/resume/stored-run.ts';
import { parseRecords } from '../../journal/replay/parse-records.ts';

/** Rows that are read at once. */
const CHUNK = 500;
/** Time between two looks at the journal of a run that another process has, in ms. */
const LOOK_MS = 500;

/**
 * The records of a stored run, in parts. Secrets stay references: a server opens nothing that was sealed.
 *
 * @throws {TroupeError} `journal.unknown`, `journal.corrupt`, `journal.version`
 */
export class StoredRecords {
  readonly #store: Pick<JournalStore, 'read'>;
  readonly #runId: string;
  #opened: OpenedJournal | undefined;

  constructor(store: Pick<JournalStore, 'read'>, runId: string) {
    this.#store = store;
    this.#runId = runId;
  }

  /** The next records; none where the journal ends by now. */
  async next(): Promise<readonly JournalRecord[]> {
    const rows = await this.#store.read(this.#runId, this.#opened?.rows ?? 0, CHUNK);
    if (rows.length === 0) return [];
    const { openJournal } = await import('../../../persistence/journal-codec.ts');
    const opened = openJournal(this.#runId, rows, { after: this.#opened });
    if (opened.damage !== undefined) throw opened.damage;
    this.#opened = opened;
    return parseRecords(this.#runId, opened.records);
  }

  /** All records that there are by now. */
  async all(): Promise<readonly JournalRecord[]> {
    const found: JournalRecord[] = [];
    for (;;) {
      const records = await this.next();
      if (records.length === 0) return found;
      found.push(...records);
    }
  }
}

/** The events among the records of a run. */
export const eventsAmong = (runId: string, records: readonly JournalRecord[]): readonly RuntimeEvent[] =>
  records.flatMap((record) =>
    record.kind === 'event'
      ? // What a recorded event lacks is what all events of a journal share.
        [{ v: EVENT_VERSION, runId, ...record.event } as RuntimeEvent]
      : [],
  );

/**
 * The events of a stored run, up to its last one; further ones as another process writes them, until the run is here (`isHere`), where there
 * is more to see: they end then.
 */
export class StoredEvents implements AsyncIterator<RuntimeEvent, undefined> {
  readonly #runId: string;
  readonly #records: StoredRecords;
  readonly #clock: Clock;
  readonly #ready: RuntimeEvent[] = [];
  readonly #isHere: () => boolean;
  #isOver = false;
  #wake: () => void = () => undefined;
  #hasNews = false;

  constructor(
    store: Pick<JournalStore, 'read'>,
    runId: string,
    clock: Clock,
    isHere: () => boolean = () => false,
  ) {
    this.#runId = runId;
    this.#records = new StoredRecords(store, runId);
    this.#clock = clock;
    this.#isHere = isHere;
  }

  async next(): Promise<IteratorResult<RuntimeEvent, undefined>> {
    for (;;) {
      const event = this.#ready.shift();
      if (event !== undefined) {
        if (event.type === 'run.ended') this.#isOver = true;
        return { value: event, done: false };
      }
      if (this.#isOver) return { value: undefined, done: true };
      if (this.#isHere()) return { value: undefined, done: true };
      this.#hasNews = false;
      const records = await this.#records.next();
      this.#ready.push(...eventsAmong(this.#runId, records));
      if (records.length === 0 && !this.#isEnded()) await this.#nextLook();
    }
  }

  return(): Promise<IteratorResult<RuntimeEvent, undefined>> {
    this.#isOver = true;
    this.#ready.length = 0;
    this.#wake();
    return Promise.resolve({ value: undefined, done: true });
  }

  /** Looks at the journal at once: there may be more. */
  look(): void {
    this.#hasNews = true;
    this.#wake();
  }

  /** It may have been ended while the store was read. */
  #isEnded(): boolean {
    return this.#isOver;
  }

  async #nextLook(): Promise<void> {
    if (this.#hasNews) return;
    await new Promise<void>((resolve) => {
      const timer = this.#clock.setTimeout(resolve, LOOK_MS);
      this.#wake = () => {
        this.#clock.clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The tenant of a stored run, as its first record has it. @throws {TroupeError} `journal.unknown`, `journal.corrupt` */
export const tenantIn = async (
  store: Pick<JournalStore, 'read'>,
  runId: string,
): Promise<string | undefined> => {
  const rows = { read: (id: string) => store.read(id, 0, 1) };
  return beganIn(runId, await new StoredRecords(rows, runId).next()).tenant;
};
