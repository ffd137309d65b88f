import type { TraceDisk } from './trace-disk.ts';

/** A log that rows are added to. */
export class LogFile {
  readonly file: string;
  readonly #disk: TraceDisk;
  #bytes: number;
  #last = '';
  /** Lines not yet known to be on disk. */
  #underWay: string;

  /** `before` is what it holds. */
  constructor(disk: TraceDisk, file: string, before: string) {
    this.#disk = disk;
    this.file = file;
    this.#bytes = Buffer.byteLength(before);
    // A line that was cut off is ended before the next one begins.
    this.#underWay = before.endsWith('\n') ? '' : '\n';
  }

  /** Enqueues lines: from now on this file writes them, also when the process ends first. */
  add(text: string): void {
    this.#underWay += text;
  }

  /** Writes what was added. */
  async write(): Promise<void> {
    const added = this.#underWay;
    await this.#disk.append(this.file, added);
    this.#wrote(added);
  }

  /** Gives up what the disk refused: some of it may be there. */
  drop(): void {
    this.#underWay = '\n';
    this.#bytes = Number.NaN;
  }

  /** As the process ends: also what was under way, where nothing of it has come to the disk. */
  appendAtOnce(text: string): void {
    const { atOnce } = this.#disk;
    const lost = atOnce.size(this.file) <= this.#bytes ? this.#underWay : '';
    if (lost + text !== '') atOnce.append(this.file, lost + text);
    this.#wrote(lost + text);
  }

  /** True if the file ends as it was written, and is as long. */
  async isWhole(): Promise<boolean> {
    const found = await this.#disk.read(this.file);
    if (
      found === undefined ||
      !found.subarray(-Buffer.byteLength(this.#last)).equals(Buffer.from(this.#last))
    )
      return false;
    return Number.isNaN(this.#bytes) || found.length === this.#bytes;
  }

  #wrote(text: string): void {
    this.#underWay = '';
    this.#last = text;
    this.#bytes += Buffer.byteLength(text);
  }
}
