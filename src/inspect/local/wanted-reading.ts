import type { RunEntry } from '../../contracts/journals/journal.ts';

/** Time that an answer waits for what is read, in ms. */
const MOMENT_MS = 100;
/** Time after the last question in which entries are still read, in ms. */
const WANTED_MS = 15_000;

/**
 * Reads entries of a store one after the other, in their order, and lets others work in between: as long as somebody asks, and each once, as
 * `read` says.
 */
export class WantedReading {
  readonly #read: (entry: RunEntry) => Promise<boolean>;
  #entries: readonly RunEntry[] = [];
  #wantedUntil = 0;
  #reading: Promise<void> | undefined;

  /** `read` resolves with false for an entry that it knew. */
  constructor(read: (entry: RunEntry) => Promise<boolean>) {
    this.#read = read;
  }

  /** Reads these entries from now on; waits a moment for them. */
  async wants(entries: readonly RunEntry[]): Promise<void> {
    this.#entries = entries;
    this.#wantedUntil = performance.now() + WANTED_MS;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    const moment = new Promise((resolve) => {
      setTimeout(resolve, MOMENT_MS).unref();
    });
    await Promise.race([this.#reading, moment]);
  }

  /** Resolves when all entries that were wanted last are read. */
  async finished(): Promise<void> {
    await this.#reading;
  }

  close(): void {
    this.#wantedUntil = 0;
  }

  async #readAll(): Promise<void> {
    for (const entry of this.#entries) {
      if (performance.now() > this.#wantedUntil) return;
      if (await this.#read(entry)) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
