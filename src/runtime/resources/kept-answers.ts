import type { ModelAnswer } from '../../contracts/models/model.ts';

/** An answer that is kept, with the time in ms that it took. */
export interface KeptAnswer {
  readonly answer: ModelAnswer;
  readonly durationMs: number;
}

/** Bounds of {@link KeptAnswers}. */
interface Bounds {
  readonly entries: number;
  readonly ttlMs: number;
  readonly bytes: number;
}

interface Entry {
  /** JSON: each caller gets an answer of its own. */
  readonly text: string;
  readonly durationMs: number;
  readonly at: number;
  readonly bytes: number;
}

/** Answers by key, within bounds: the one that was asked for least recently goes first. */
export class KeptAnswers {
  readonly #bounds: Bounds;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The answer of a key that is not too old. The clocks of runs may differ: one from the future is none. */
  find(key: string, now: number): KeptAnswer | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const age = now - entry.at;
    this.#remove(key, entry);
    if (age < 0 || age >= this.#bounds.ttlMs) return undefined;
    this.#put(key, entry);
    // It was an answer when it was written.
    return { answer: JSON.parse(entry.text) as ModelAnswer, durationMs: entry.durationMs };
  }

  keep(key: string, { answer, durationMs }: KeptAnswer, at: number): void {
    const text = textOf(answer);
    if (text === undefined) return;
    const bytes = BYTES_PER_UNIT * (key.length + text.length);
    const known = this.#entries.get(key);
    if (known !== undefined) this.#remove(key, known);
    if (bytes > this.#bounds.bytes) return;
    this.#put(key, { text, durationMs, at, bytes });
    const { entries: most, bytes: mostBytes } = this.#bounds;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= most && this.#bytes <= mostBytes) break;
      this.#remove(oldest, entry);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #put(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

const BYTES_PER_UNIT = 2;

/** A model may be foreign code: what is no JSON is not kept. */
const textOf = (answer: ModelAnswer): string | undefined => {
  try {
    return JSON.stringify(answer);
  } catch {
    return undefined;
  }
};
