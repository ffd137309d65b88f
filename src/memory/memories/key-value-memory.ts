import { aBound, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { areOrigins } from '../../contracts/tools/origins.ts';
import type { Memory, MemoryRecord, MemorySource } from '../../contracts/conversations/memory.ts';
import { MemoryLog } from './memory-log.ts';
import { memoryShape, memorySource, type MemoryFile, type MemoryOptions } from './memory-source.ts';
import { memoryText } from './memory-text.ts';

/** Values by key, beside what every memory can. */
export interface KeyValueMemory extends Memory {
  get(key: string): Json | undefined;
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<boolean>;
  keys(): readonly string[];
  /** The same store with another set of keys. */
  namespace(name: string): KeyValueMemory;
  /** Returns a read-only view of the same store. */
  readOnly(): KeyValueMemory;
}

/** Options of {@link keyValueMemory}. */
export interface KeyValueMemoryOptions extends MemoryOptions {
  /** Keys; the ones written longest ago go first. Default 1,000. */
  readonly size?: number | undefined;
}

/**
 * Remembers values by key. A record is a value too: its key is `metadata.key`, else a generated one.
 *
 * @example
 * const source = keyValueMemory({ scope: 'shared' });
 * const settings = await source.open({ runId: 'r', agent: 'ada' });
 * await settings.set('currency', 'EUR');
 *
 * @throws {TroupeError} `agent.invalid` for an option that is unknown or of another type. From a read-only view,
 * `memory.read-only` on a write.
 */
export const keyValueMemory = (options: KeyValueMemoryOptions = {}): MemorySource<KeyValueMemory> =>
  memorySource('key-value', check(options), async (file) => {
    const store = new Store(file, options.size ?? 1_000);
    await store.load();
    return new View(store, '', false);
  });

const check = optionsCheck<KeyValueMemoryOptions>(
  { code: 'agent.invalid', owner: 'a key-value memory' },
  () => ({
    ...memoryShape(),
    size: optional(aBound(0)),
  }),
);

/** A change; `value` is absent where the key was deleted. */
interface Entry {
  readonly key: string;
  readonly at: number;
  readonly value?: Json | undefined;
  readonly origins?: readonly string[] | undefined;
}

class Store {
  readonly entries = new Map<string, Entry>();
  readonly #log: MemoryLog<Entry>;
  readonly #size: number;
  #stale = 0;

  constructor({ files, name }: MemoryFile, size: number) {
    this.#log = new MemoryLog(files, name);
    this.#size = size;
  }

  async load(): Promise<void> {
    for (const entry of await this.#log.load(readEntry)) this.#apply(entry);
  }

  async write(changes: readonly Entry[]): Promise<void> {
    for (const entry of changes) this.#apply(entry);
    const written = this.#log.append(changes);
    if (this.#stale > this.#size) {
      this.#stale = 0;
      void this.#log.rewrite([...this.entries.values()]).catch(() => undefined);
    }
    await written;
  }

  async evict(): Promise<number> {
    const gone = [...this.entries.keys()].slice(0, Math.max(0, this.entries.size - this.#size));
    for (const key of gone) this.entries.delete(key);
    if (gone.length > 0) await this.#log.rewrite([...this.entries.values()]);
    return gone.length;
  }

  #apply(entry: Entry): void {
    if (this.entries.delete(entry.key)) this.#stale += 1;
    if (entry.value === undefined) this.#stale += 1;
    else this.entries.set(entry.key, entry);
  }
}

class View implements KeyValueMemory {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #isReadOnly: boolean;

  constructor(store: Store, prefix: string, isReadOnly: boolean) {
    this.#store = store;
    this.#prefix = prefix;
    this.#isReadOnly = isReadOnly;
  }

  get(key: string): Json | undefined {
    return this.#store.entries.get(this.#prefix + key)?.value;
  }

  set(key: string, value: Json, at = 0): Promise<void> {
    return this.#write([{ key: this.#prefix + key, value: toJson(value), at }]);
  }

  async delete(key: string): Promise<boolean> {
    const isThere = this.get(key) !== undefined;
    await this.#write(isThere ? [{ key: this.#prefix + key, at: 0 }] : []);
    return isThere;
  }

  keys(): readonly string[] {
    return this.#entries().map(({ key }) => key.slice(this.#prefix.length));
  }

  namespace(name: string): KeyValueMemory {
    // A slash in a name would let one namespace reach into another.
    return new View(this.#store, `${this.#prefix}${encodeURIComponent(name)}/`, this.#isReadOnly);
  }

  readOnly(): KeyValueMemory {
    return new View(this.#store, this.#prefix, true);
  }

  async append(records: readonly MemoryRecord[]): Promise<void> {
    await this.#write(
      records.map((record, index) => {
        const given = record.metadata?.['key'];
        const key =
          typeof given === 'string' ? given : `${record.kind}:${record.at}:${this.#count() + index}`;
        const { text: value, at, origins } = record;
        return { key: this.#prefix + key, value, at, ...(origins === undefined ? {} : { origins }) };
      }),
    );
    await this.evict();
  }

  recall(query: string, k = 8): readonly MemoryRecord[] {
    const words = wordsOf(query);
    const fit = ({ key, value }: Entry): number => {
      const said = new Set(wordsOf(`${key} ${JSON.stringify(value)}`));
      return words.filter((word) => said.has(word)).length;
    };
    return this.#entries()
      .map((entry, index) => ({ entry, index, score: fit(entry) }))
      .sort((a, b) => b.score - a.score || b.index - a.index)
      .slice(0, Math.max(0, k))
      .reverse()
      .map(({ entry: { key, value, at, origins } }) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        const name = key.slice(this.#prefix.length);
        const marks = origins === undefined ? {} : { origins };
        return { kind: 'fact', text: `${name}: ${text}`, at, metadata: { key: name }, ...marks };
      });
  }

  summarise(k = 5): string {
    return memoryText(this.recall('', k));
  }

  async evict(): Promise<number> {
    this.#check();
    return this.#store.evict();
  }

  reset(): Promise<void> {
    return this.#write(this.#entries().map(({ key }) => ({ key, at: 0 })));
  }

  #entries(): readonly Entry[] {
    return [...this.#store.entries.values()].filter(({ key }) => key.startsWith(this.#prefix));
  }

  #count(): number {
    return this.#store.entries.size;
  }

  async #write(changes: readonly Entry[]): Promise<void> {
    this.#check();
    if (changes.length > 0) await this.#store.write(changes);
  }

  #check(): void {
    if (!this.#isReadOnly) return;
    const message = 'Cannot write to this memory as it is a read-only view: write through its owner';
    throw new TroupeError('memory.read-only', message);
  }
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];

const readEntry = (value: unknown): Entry | undefined => {
  const plain = toJson(value);
  if (!isJsonObject(plain) || typeof plain['key'] !== 'string') return undefined;
  const at = typeof plain['at'] === 'number' ? plain['at'] : 0;
  const { origins } = plain;
  return {
    key: plain['key'],
    at,
    ...(plain['value'] === undefined ? {} : { value: plain['value'] }),
    ...(areOrigins(origins) ? { origins } : {}),
  };
};
