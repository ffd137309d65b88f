import { aBound, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Memory, MemoryRecord, MemorySource } from '../../contracts/conversations/memory.ts';
import { MemoryLog } from './memory-log.ts';
import { memoryShape, memorySource, type MemoryFile, type MemoryOptions } from './memory-source.ts';
import { memoryText, readRecord } from './memory-text.ts';

/** The limits of a {@link windowMemory}. */
export interface WindowMemoryOptions extends MemoryOptions {
  /** Maximum number of records; the oldest are dropped first. Default 20; 0 holds nothing. */
  readonly size?: number | undefined;
}

/**
 * Remembers the newest records without ranking: recall returns them oldest first.
 *
 * @example
 * agent({ name: 'clerk', memory: windowMemory({ scope: 'thread', size: 100 }) });
 *
 * @throws {TroupeError} `agent.invalid` for an option that is unknown or of another type.
 */
export const windowMemory = (options: WindowMemoryOptions = {}): MemorySource =>
  memorySource('window', check(options), async (file) => {
    const window = new Window(file, options.size ?? 20);
    await window.load();
    return window;
  });

const check = optionsCheck<WindowMemoryOptions>({ code: 'agent.invalid', owner: 'a window memory' }, () => ({
  ...memoryShape(),
  size: optional(aBound(0)),
}));

/** Default number of recalled records. */
const RECALLED = 5;

class Window implements Memory {
  readonly #size: number;
  readonly #log: MemoryLog<MemoryRecord>;
  #records: MemoryRecord[] = [];
  /** Number of lines in the file that are no longer remembered. */
  #stale = 0;

  constructor({ files, name }: MemoryFile, size: number) {
    this.#size = size;
    this.#log = new MemoryLog(files, name);
  }

  async load(): Promise<void> {
    this.#records = await this.#log.load(readRecord);
    this.#stale = this.#cut();
  }

  async append(records: readonly MemoryRecord[]): Promise<void> {
    this.#records.push(...records);
    const written = this.#log.append(records);
    this.#stale += this.#cut();
    // Rewriting is rare: the file is at most twice as long as the window.
    if (this.#stale > Math.max(this.#size, 20)) void this.evict().catch(() => undefined);
    await written;
  }

  recall(_query: string, k = RECALLED): readonly MemoryRecord[] {
    return k <= 0 ? [] : this.#records.slice(-k);
  }

  summarise(k = RECALLED): string {
    return memoryText(this.recall('', k));
  }

  async evict(): Promise<number> {
    const gone = this.#stale;
    this.#stale = 0;
    if (gone > 0) await this.#log.rewrite(this.#records);
    return gone;
  }

  reset(): Promise<void> {
    this.#records = [];
    this.#stale = 0;
    return this.#log.rewrite([]);
  }

  #cut(): number {
    const gone = Math.max(0, this.#records.length - this.#size);
    if (gone > 0) this.#records = this.#records.slice(gone);
    return gone;
  }
}
