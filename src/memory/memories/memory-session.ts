import type { Clock } from '../../base/clock.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import type {
  Memory,
  MemoryBlock,
  MemoryPlace,
  MemoryRecord,
  MemorySource,
  MemoryWork,
} from '../../contracts/conversations/memory.ts';
import { withinTime } from '../../base/promises/within-time.ts';
import { missingRecords } from './missing-records.ts';
import { memoryText, readRecord } from './memory-text.ts';

/**
 * Mode of writing records: `again` for records that may have been written before, so that those already held are
 * skipped.
 */
export type MemoryWriting = 'yes' | 'again' | 'no';

/** Parameters of a session. */
export interface MemorySessionSetup {
  readonly sources: readonly MemorySource[];
  readonly place: MemoryPlace;
  readonly clock: Clock;
  /** Called on each failure; failures have no other effect. */
  readonly onFailure: (memory: string, work: MemoryWork, thrown: unknown) => void;
}

/** A selection of records; see `RecallPolicy`. */
export interface Recall {
  readonly k: number;
  readonly isWanted: (record: MemoryRecord) => boolean;
  readonly timeoutMs: number;
}

/**
 * The memories of one agent in one run: opened on first use, written to in order, and never the cause of a failure.
 *
 * I1  Records are written in order of arrival; a recall follows all writes requested before it.
 * I2  A memory that throws is reported and stays in use; one that hangs is reported once and abandoned.
 * I3  Its results are validated: anything but a record is dropped.
 */
export class MemorySession {
  /** The input of the run, for the record at its end. */
  input: Json = null;
  readonly #place: MemoryPlace;
  readonly #clock: Clock;
  readonly #held: readonly Held[];
  readonly #onFailure: MemorySessionSetup['onFailure'];
  #written = 0;
  #underWay = 0;

  constructor({ sources, place, clock, onFailure }: MemorySessionSetup) {
    this.#place = place;
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.#held = sources.map((source) => ({
      source,
      last: DONE,
      isLost: false,
      isGivenUp: false,
      isReadOnly: false,
    }));
  }

  /**
   * Writes to all memories, one after the other; resolves when that is done, and never rejects. What comes after it waits for
   * `when`, too.
   */
  remember(records: readonly MemoryRecord[], when?: Promise<MemoryWriting>): Promise<void> {
    if (records.length === 0) return DONE;
    this.#written += records.length;
    this.#underWay += 1;
    return Promise.all(
      this.#held.map((held) =>
        this.#next(
          held,
          'remember',
          WRITE_MS,
          async (memory) => {
            if (held.isReadOnly) return;
            const missing = (await when) === 'again' ? await missingRecords(memory, records) : records;
            if (missing.length > 0) await memory.append(missing);
          },
          when,
        ),
      ),
    ).then(() => {
      this.#underWay -= 1;
    });
  }

  /** Resolves when all requested writes are done, or after a time limit; undefined if none is pending. Never rejects. */
  written(patienceMs: number): Promise<void> | undefined {
    return this.#underWay === 0 ? undefined : this.#settled(patienceMs);
  }

  async #settled(ms: number): Promise<void> {
    const all = Promise.all(this.#held.map(({ last }) => last));
    const isLate = (): TroupeError => late('write to the memory', ms);
    try {
      await withinTime(all, { ms, clock: this.#clock, late: isLate });
    } catch {
      // A hanging write reports itself.
    }
  }

  /** Recalls matching records from all memories, each asked for `k`; never rejects. */
  async recall(query: string, recall: Recall): Promise<MemoryBlock> {
    const { k, isWanted, timeoutMs } = recall;
    // Own records of this run, and of unwanted kinds, are filtered out later.
    const ask = Math.min(k * SHARE + this.#written, MOST);
    const found = await Promise.all(
      this.#held.map((held) =>
        this.#next(held, 'recall', timeoutMs, async (memory) => {
          const given: unknown = await memory.recall(query, ask);
          if (!Array.isArray(given))
            throw new TypeError(`it returned ${typeof given} and not a list of records`);
          return given.flatMap((each) => readRecord(each) ?? []).filter((record) => this.#isNews(record));
        }),
      ),
    );
    const records = found.flatMap((each) => (k <= 0 ? [] : (each ?? []).filter(isWanted).slice(-k)));
    return { isEnabled: true, query, records, summary: memoryText(records) };
  }

  /** Lets pending work finish within a time limit, and releases the memories; never rejects. */
  async close(patienceMs: number): Promise<void> {
    const clock = this.#clock;
    if (this.#underWay > 0) {
      const all = Promise.all(this.#held.map(({ last }) => last));
      const isLate = (): TroupeError => late('write to the memory', patienceMs);
      try {
        await withinTime(all, { ms: patienceMs, clock, late: isLate });
      } catch (thrown) {
        this.#onFailure(this.#names, 'remember', thrown);
      }
    }
    await Promise.all(
      this.#held.map(async ({ source }) => {
        try {
          const isLate = (): TroupeError => late('close the memory', patienceMs);
          await withinTime(source.release(this.#place), { ms: patienceMs, clock, late: isLate });
        } catch (thrown) {
          this.#onFailure(source.name, 'release', thrown);
        }
      }),
    );
  }

  get #names(): string {
    return this.#held.map(({ source }) => source.name).join(', ');
  }

  /** The agent's own actions in this run are in its conversation already. */
  #isNews({ runId, agent }: MemoryRecord): boolean {
    return runId !== this.#place.runId || agent !== this.#place.agent;
  }

  /** Serialises operations, each with a time limit. */
  #next<Value>(
    held: Held,
    work: MemoryWork,
    ms: number,
    does: (memory: Memory) => Promise<Value>,
    when?: Promise<MemoryWriting>,
  ): Promise<Value | undefined> {
    const before = when === undefined ? held.last : held.last.then(() => when);
    const done = this.#inTurn(held, before, work, ms, does);
    held.last = done.then(() => undefined);
    return done;
  }

  async #inTurn<Value>(
    held: Held,
    before: Promise<unknown>,
    work: MemoryWork,
    ms: number,
    does: (memory: Memory) => Promise<Value>,
  ): Promise<Value | undefined> {
    const { source } = held;
    let now = work;
    const isLate = (): TroupeError => {
      held.isLost = true;
      return late(`${now === 'open' ? 'open' : work} the memory`, ms);
    };
    const job = async (): Promise<Value> => {
      now = 'open';
      const memory = await source.open(this.#place);
      now = work;
      return does(memory);
    };
    const patience = { ms, clock: this.#clock, late: isLate };
    try {
      // A recall is awaited: it does not wait for a hanging write.
      const said = await (work === 'recall' ? withinTime(before, patience) : before);
      if (said === 'no') return undefined;
      return held.isLost ? undefined : await withinTime(job(), patience);
    } catch (thrown) {
      if (isTroupeError(thrown, 'memory.read-only')) held.isReadOnly = true;
      if (!held.isGivenUp) this.#onFailure(source.name, now, thrown);
      held.isGivenUp = held.isLost;
      return undefined;
    }
  }
}

/** A memory of the session, with its state. */
interface Held {
  readonly source: MemorySource;
  /** Never rejects. */
  last: Promise<void>;
  /** It hung once. */
  isLost: boolean;
  /** True once that was reported. */
  isGivenUp: boolean;
  isReadOnly: boolean;
}

const DONE = Promise.resolve();

const late = (what: string, ms: number): TroupeError =>
  new TroupeError('memory.failed', `Cannot ${what} as it takes too long: more than ${ms} ms`);

/** One write may have to ask a model for a summary, or a provider for vectors. */
const WRITE_MS = 30_000;
/** Factor by which more records are requested than needed, as some kinds are filtered out. */
const SHARE = 4;
const MOST = 1_000;
