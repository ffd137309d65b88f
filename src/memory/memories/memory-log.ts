import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';

/**
 * A list of JSON values in one file, one per line.
 *
 * I1  Writes are performed one after the other, in order of request.
 * I2  A line truncated by a crash is skipped, and so is one that `read` refuses: the rest is read.
 */
export class MemoryLog<Entry> {
  readonly #files: KeyValueFiles | undefined;
  readonly #name: string;
  #last: Promise<void> = Promise.resolve();
  #isCut = false;

  /** Without files everything stays in memory. */
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

  /** Resolves when all requested writes are done. */
  flush(): Promise<void> {
    return this.#last;
  }

  #next(work: (files: KeyValueFiles) => Promise<void>): Promise<void> {
    const files = this.#files;
    if (files === undefined) return Promise.resolve();
    const done = this.#last.then(() => work(files));
    // A failed write rejects for its caller, and does not stop the next.
    this.#last = done.catch(() => undefined);
    return done;
  }
}
