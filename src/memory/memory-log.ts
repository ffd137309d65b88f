import type { KeyValueFiles } from '../contracts/memory.ts';

/**
 * A list of JSON values in one file, a line each.
 *
 * I1  Writes go one after the other, in the order in which they were asked for.
 * I2  A line cut off by a crash is passed over, and so is one that `read` does not take: the rest is read.
 */
export class MemoryLog<Entry> {
  readonly #files: KeyValueFiles | undefined;
  readonly #name: string;
  #last: Promise<void> = Promise.resolve();
  #isCut = false;

  /** Without files nothing is written: what is in memory is all there is. */
  constructor(files: KeyValueFiles | undefined, name: string) {
    this.#files = files;
    this.#name = name;
  }

  async load(read: (value: unknown) => Entry | undefined): Promise<Entry[]> {
    const text = (await this.#files?.read(this.#name)) ?? '';
    this.#isCut = text !== '' && !text.endsWith('\n');
    return text.split('\n').flatMap((line) => {
      if (line === '') return [];
      try {
        const entry = read(JSON.parse(line));
        return entry === undefined ? [] : [entry];
      } catch {
        return [];
      }
    });
  }

  append(entries: readonly Entry[]): Promise<void> {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    return this.#next(async (files) => {
      const start = this.#isCut ? '\n' : '';
      this.#isCut = false;
      await files.append(this.#name, `${start}${lines}`);
    });
  }

  rewrite(entries: readonly Entry[]): Promise<void> {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    return this.#next((files) => (lines === '' ? files.remove(this.#name) : files.write(this.#name, lines)));
  }

  /** Resolves when everything asked for so far is written. */
  flush(): Promise<void> {
    return this.#last;
  }

  #next(work: (files: KeyValueFiles) => Promise<void>): Promise<void> {
    const files = this.#files;
    if (files === undefined) return Promise.resolve();
    const done = this.#last.then(() => work(files));
    // A write that failed is told to the one who asked for it, and does not stop the next.
    this.#last = done.catch(() => undefined);
    return done;
  }
}
