import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TraceDisk } from './trace-disk.ts';
import type { LinesFile } from './trace-folder.ts';
import { traceFileNames } from './trace-folder.ts';
import type { TraceFile } from './trace-schema.ts';

/** A file that lines are added to, with what it holds by now. */
export class LinesOnDisk {
  readonly #disk: TraceDisk;
  readonly #name: string;
  readonly #file: string;
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;
  #lines = 0;
  /** What is to be written, or is being: it may or may not be there. */
  #underWay = '';
  #hasAdded = false;

  constructor(disk: TraceDisk, folder: string, file: LinesFile) {
    this.#disk = disk;
    this.#name = traceFileNames[file];
    this.#file = join(folder, this.#name);
  }

  /** Takes into account what is there, and gives it. */
  async read(): Promise<string> {
    const before = await this.#disk.read(this.#file);
    if (before === undefined || before.length === 0) return '';
    const text = before.toString('utf8');
    this.#count(before, text);
    // A line that was cut off is ended before the next one begins.
    if (!text.endsWith('\n')) this.#underWay = '\n';
    return text;
  }

  /** Takes lines to be written next: from now on they are this file's to keep, also where the process ends first. */
  add(text: string): void {
    if (text !== '') this.#underWay += text;
    this.#hasAdded ||= text !== '';
  }

  /** Writes what was added. */
  async write(): Promise<void> {
    if (!this.#hasAdded) return;
    const added = this.#underWay;
    await this.#disk.append(this.#file, added);
    this.#underWay = '';
    this.#hasAdded = false;
    this.#count(Buffer.from(added), added);
  }

  /** As the process ends: also what was under way, where nothing of it has come to the disk. */
  appendAtOnce(text: string): void {
    const { atOnce } = this.#disk;
    const lost = atOnce.size(this.#file) <= this.#bytes ? this.#underWay : '';
    if (lost + text !== '') atOnce.append(this.#file, lost + text);
    const added = this.#underWay + text;
    this.#underWay = '';
    this.#count(Buffer.from(added), added);
  }

  get told(): TraceFile {
    return {
      name: this.#name,
      bytes: this.#bytes,
      lines: this.#lines,
      sha256: this.#hash.copy().digest('hex'),
    };
  }

  #count(bytes: Buffer, text: string): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#lines += text.split('\n').length - 1;
  }
}
