import type { OptionSchema } from '../../base/schemas/option-schemas.ts';
import {
  aBound,
  aFunction,
  aText,
  fulfilling,
  isObject,
  objectLike,
  oneForm,
  optional,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type {
  Embedder,
  Memory,
  MemoryRecord,
  MemorySource,
  Reranker,
  VectorIndex,
} from '../../contracts/conversations/memory.ts';
import { readRanking } from '../../contracts/conversations/read-ranking.ts';
import { readVectors } from '../../contracts/conversations/read-vectors.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { hashingEmbedder } from './hashing-embedder.ts';
import { MemoryLog } from './memory-log.ts';
import { memoryShape, memorySource, type MemoryFile, type MemoryOptions } from './memory-source.ts';
import { memoryText, readRecord } from './memory-text.ts';
import { exactIndex } from './exact-index.ts';
import { fromBase64, toBase64 } from './vector-text.ts';

/** Options of a {@link vectorMemory}. */
export interface VectorMemoryOptions extends MemoryOptions {
  /** Default: {@link hashingEmbedder}, which compares words and not meanings. With a provider: `openaiEmbedder()`. */
  readonly embedder?: Embedder | undefined;
  /** Records; the oldest go first. Default 10,000: all of them are looked at in each search. */
  readonly size?: number | undefined;
  /** Selects among the nearest records by reading them beside the query: `aiSdkReranker(model)`. Default: none. */
  readonly reranker?: Reranker | undefined;
  /** Makes the index. Default: embedded, exact. */
  readonly index?: ((dimensions: number) => VectorIndex) | undefined;
}

/**
 * Remembers by similarity: recall returns the records nearest to the query, the nearest last.
 *
 * With a `reranker`, the nearest 50 are read by it beside the query, and those that answer it best are recalled, the best
 * last. Where it fails, the recall fails.
 *
 * Vectors are stored with the records, so that nothing is embedded twice; those of another embedder, or of another
 * length, are recomputed. What an embedder returns is validated: vectors that do not fit are an error (`model.malformed`).
 *
 * @example
 * agent({ name: 'clerk', memory: vectorMemory({ embedder: openaiEmbedder(), files: folderStore('./memory') }) });
 *
 * @throws {TroupeError} `agent.invalid` for an option that is unknown or of another type.
 */
export const vectorMemory = (options: VectorMemoryOptions = {}): MemorySource =>
  memorySource('vector', check(options), async (file) => {
    const memory = new Vectors(file, options);
    await memory.load();
    return memory;
  });

const check = optionsCheck<VectorMemoryOptions>({ code: 'agent.invalid', owner: 'a vector memory' }, () => ({
  ...memoryShape(),
  embedder: optional(
    oneForm((given) => (isObject(given) && 'doEmbed' in given ? noEmbedder() : anEmbedder())),
  ),
  size: optional(aBound(0)),
  reranker: optional(
    oneForm((given) => (isObject(given) && 'doRerank' in given ? noReranker() : aReranker())),
  ),
  index: optional(aFunction()),
}));

const anEmbedder = (): OptionSchema =>
  objectLike(
    { name: aText(1), dimensions: wholeNumber(1), embed: aFunction() },
    'not an embedder: write openaiEmbedder(), or aiSdkEmbedder(model, { dimensions: 1_536 })',
  );

const noEmbedder = (): OptionSchema =>
  fulfilling(
    () => false,
    'an embedding model of the AI SDK: write aiSdkEmbedder(model, { dimensions: 1_536 })',
  );

const aReranker = (): OptionSchema =>
  objectLike(
    { name: aText(1), candidates: optional(wholeNumber(1)), rank: aFunction() },
    'not a reranker: write aiSdkReranker(model)',
  );

const noReranker = (): OptionSchema =>
  fulfilling(() => false, 'a reranking model of the AI SDK: write aiSdkReranker(model)');

/** Default number of records that a reranker is shown. */
const CANDIDATES = 50;

/** Default number of recalled records. */
const RECALLED = 5;

/** A record with its vector. */
interface Entry {
  readonly record: MemoryRecord;
  readonly embedder: string;
  readonly vector: Float32Array;
}

/** The same as a line of a file. */
interface Line extends Omit<Entry, 'vector'> {
  /** Base64. */
  readonly vector: string;
}

/** The last choice of a reranker, and what it chose from. */
interface Ranked {
  readonly query: string;
  readonly k: number;
  readonly nearest: readonly Entry[];
  readonly best: readonly Entry[];
}

class Vectors implements Memory {
  readonly #embedder: Embedder;
  readonly #reranker: Reranker | undefined;
  readonly #size: number;
  readonly #makeIndex: (dimensions: number) => VectorIndex;
  readonly #log: MemoryLog<Line>;
  readonly #isKept: boolean;
  #index: VectorIndex;
  /** By id, oldest first. */
  readonly #entries = new Map<string, Entry>();
  #asked: { readonly query: string; readonly vector: Float32Array } | undefined;
  #ranked: Ranked | undefined;
  #made = 0;
  #stale = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ files, name }: MemoryFile, { embedder, reranker, size, index }: VectorMemoryOptions) {
    this.#embedder = embedder ?? hashingEmbedder();
    this.#reranker = reranker;
    this.#size = size ?? 10_000;
    this.#makeIndex = index ?? exactIndex;
    this.#index = this.#makeIndex(this.#embedder.dimensions);
    this.#log = new MemoryLog(files, name);
    this.#isKept = files !== undefined;
  }

  async load(): Promise<void> {
    const read = (await this.#log.load(readLine)).map(entryOf);
    const entries = read.slice(Math.max(0, read.length - this.#size));
    const { name, dimensions } = this.#embedder;
    const isOwn = ({ embedder, vector }: Entry): boolean =>
      embedder === name && vector.length === dimensions && vector.every(Number.isFinite);
    const foreign = entries.filter((entry) => !isOwn(entry));
    const renewed = new Map(
      (await this.#embedded(foreign.map(({ record }) => record))).map((entry, at) => [foreign[at], entry]),
    );
    for (const entry of entries) await this.#hold(renewed.get(entry) ?? entry);
    if (entries.length < read.length || foreign.length > 0) await this.#rewrite();
  }

  append(records: readonly MemoryRecord[]): Promise<void> {
    return this.#next(async () => {
      const entries = await this.#embedded(records.filter(({ text }) => text.trim() !== ''));
      for (const entry of entries) await this.#hold(entry);
      if (this.#isKept) await this.#log.append(entries.map(lineOf));
      await this.#cut();
    });
  }

  async recall(query: string, k = RECALLED): Promise<readonly MemoryRecord[]> {
    await this.#last;
    if (k <= 0 || this.#entries.size === 0 || query.trim() === '') return [];
    // The steps of a run mostly ask the same.
    if (this.#asked?.query !== query) {
      const [vector] = await this.#vectorsOf([query]);
      if (vector === undefined) return [];
      this.#asked = { query, vector };
    }
    const { vector } = this.#asked;
    const { candidates = CANDIDATES } = this.#reranker ?? {};
    const isRanked = this.#reranker !== undefined;
    const found = await this.#index.search(vector, isRanked ? Math.max(k, candidates) : k);
    const entries = found.flatMap(({ id }) => this.#entries.get(id) ?? []);
    const best = await this.#best(query, entries, k);
    return best.map(({ record }) => record).reverse();
  }

  /** The best of the nearest entries. A reranker is asked anew only where the query or what is near to it has changed. */
  async #best(query: string, nearest: readonly Entry[], k: number): Promise<readonly Entry[]> {
    const reranker = this.#reranker;
    if (reranker === undefined || nearest.length === 0) return nearest;
    const last = this.#ranked;
    const isSame =
      last?.query === query &&
      last.k === k &&
      last.nearest.length === nearest.length &&
      last.nearest.every((entry, at) => entry === nearest[at]);
    if (isSame) return last.best;
    const texts = nearest.map(({ record }) => record.text);
    const ranking = readRanking(await reranker.rank(query, texts, k), reranker.name, texts.length);
    const best = ranking.slice(0, k).flatMap((at) => nearest[at] ?? []);
    this.#ranked = { query, k, nearest, best };
    return best;
  }

  async summarise(k = RECALLED): Promise<string> {
    await this.#last;
    return memoryText(k <= 0 ? [] : [...this.#entries.values()].slice(-k).map(({ record }) => record));
  }

  evict(): Promise<number> {
    return this.#next(async () => {
      const gone = (await this.#cut()) + this.#stale;
      if (gone > 0) await this.#rewrite();
      return gone;
    });
  }

  reset(): Promise<void> {
    return this.#next(async () => {
      this.#entries.clear();
      this.#index = this.#makeIndex(this.#embedder.dimensions);
      await this.#rewrite();
    });
  }

  async #embedded(records: readonly MemoryRecord[]): Promise<readonly Entry[]> {
    if (records.length === 0) return [];
    const texts = [...new Set(records.map(({ text }) => text))];
    const vectors = await this.#vectorsOf(texts);
    const byText = new Map(texts.map((text, at) => [text, vectors[at]]));
    return records.flatMap((record) => {
      const vector = byText.get(record.text);
      return vector === undefined ? [] : [{ record, embedder: this.#embedder.name, vector }];
    });
  }

  async #vectorsOf(texts: readonly string[]): Promise<readonly Float32Array[]> {
    return readVectors(await this.#embedder.embed(texts), this.#embedder, texts.length);
  }

  async #hold(entry: Entry): Promise<void> {
    const id = String((this.#made += 1));
    await this.#index.add(id, entry.vector);
    this.#entries.set(id, entry);
  }

  async #cut(): Promise<number> {
    const gone = [...this.#entries.keys()].slice(0, Math.max(0, this.#entries.size - this.#size));
    for (const id of gone) {
      this.#entries.delete(id);
      await this.#index.remove(id);
    }
    this.#stale += gone.length;
    if (this.#stale > this.#size) await this.#rewrite();
    return gone.length;
  }

  #rewrite(): Promise<void> {
    this.#stale = 0;
    return this.#isKept ? this.#log.rewrite([...this.#entries.values()].map(lineOf)) : Promise.resolve();
  }

  /** One change after the other. */
  #next<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

const lineOf = (entry: Entry): Line => ({ ...entry, vector: toBase64(entry.vector) });

const entryOf = (line: Line): Entry => ({ ...line, vector: fromBase64(line.vector) });

const readLine = (value: unknown): Line | undefined => {
  const plain = toJson(value);
  if (!isJsonObject(plain)) return undefined;
  const { embedder, vector } = plain;
  const record = readRecord(plain['record']);
  if (record === undefined || typeof embedder !== 'string' || typeof vector !== 'string') return undefined;
  return { record, embedder, vector };
};
