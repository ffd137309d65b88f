import { aBound, objectWith, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Memory, MemoryRecord, MemorySource } from '../../contracts/conversations/memory.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { Summariser } from '../../contracts/conversations/processor.ts';
import { areOrigins, withOrigins } from '../../contracts/tools/origins.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { MemoryLog } from './memory-log.ts';
import { memoryShape, memorySource, type MemoryFile, type MemoryOptions } from './memory-source.ts';
import { memoryText, readRecord } from './memory-text.ts';
import { oneLine, truncateText } from '../processors/truncate-text.ts';

/** Options of a {@link summaryMemory}. */
export interface SummaryMemoryOptions extends MemoryOptions {
  /** Number of records kept verbatim. Default 10. */
  readonly keep?: number | undefined;
  /** For example `modelSummariser(model)`. Default: one line for each record, the newest last. */
  readonly summariser?: Summariser | undefined;
}

/**
 * Keeps the newest records verbatim, and a running summary of all older ones.
 *
 * @example
 * agent({ name: 'clerk', memory: summaryMemory({ keep: 20, summariser: modelSummariser(model) }) });
 *
 * @throws {TroupeError} `agent.invalid` for an option that is unknown or of another type.
 */
export const summaryMemory = (options: SummaryMemoryOptions = {}): MemorySource =>
  memorySource('summary', check(options), async (file) => {
    const memory = new Summing(file, options.keep ?? 10, options.summariser);
    await memory.load();
    return memory;
  });

const check = optionsCheck<SummaryMemoryOptions>(
  { code: 'agent.invalid', owner: 'a summary memory' },
  () => ({
    ...memoryShape(),
    keep: optional(aBound(0)),
    summariser: optional(objectWith(['summarise'], 'not a summariser: write modelSummariser(model)')),
  }),
);

/** Tokens, and four times that many characters. */
const LONGEST = 400;

interface State {
  readonly summary: string;
  /** Origins of what was summed up; absent where there are none. */
  readonly origins?: readonly string[] | undefined;
  readonly records: readonly MemoryRecord[];
}

class Summing implements Memory {
  readonly #keep: number;
  readonly #summariser: Summariser | undefined;
  readonly #log: MemoryLog<State>;
  #summary = '';
  #origins: readonly string[] = [];
  #records: MemoryRecord[] = [];
  #under: Promise<void> | undefined;

  constructor({ files, name }: MemoryFile, keep: number, summariser: Summariser | undefined) {
    this.#keep = keep;
    this.#summariser = summariser;
    this.#log = new MemoryLog(files, name);
  }

  async load(): Promise<void> {
    const state = (await this.#log.load(readState)).at(-1);
    this.#summary = state?.summary ?? '';
    this.#origins = state?.origins ?? [];
    this.#records = [...(state?.records ?? [])];
  }

  async append(records: readonly MemoryRecord[]): Promise<void> {
    this.#records.push(...records);
    // Summarising costs a call: it waits until as many new records have arrived as are kept.
    if (this.#records.length >= this.#keep * 2) await this.evict();
    else await this.#store();
  }

  async recall(_query: string, k = this.#keep): Promise<readonly MemoryRecord[]> {
    const newest = k <= 0 ? [] : this.#records.slice(-Math.min(k, this.#keep));
    const at = newest[0]?.at ?? this.#records.at(-1)?.at ?? 0;
    return this.#summary === '' || newest.length >= k
      ? newest
      : [{ kind: 'note', text: this.#summary, at, ...this.#marks }, ...newest];
  }

  async summarise(k = 5): Promise<string> {
    const newest = k <= 0 ? '' : memoryText(this.#records.slice(-k));
    return [this.#summary, newest].filter((part) => part !== '').join('\n');
  }

  async evict(): Promise<number> {
    // One at a time: two would sum up the same records.
    while (this.#under !== undefined) await this.#under;
    const old = this.#records.slice(0, Math.max(0, this.#records.length - this.#keep));
    if (old.length === 0) return 0;
    let finished = (): void => undefined;
    this.#under = new Promise((resolve) => {
      finished = resolve;
    });
    try {
      this.#summary = await this.#summed(old);
      this.#origins = withOrigins(
        this.#origins,
        old.flatMap(({ origins = [] }) => origins),
      );
      this.#records = this.#records.slice(old.length);
      await this.#store();
      return old.length;
    } finally {
      this.#under = undefined;
      finished();
    }
  }

  reset(): Promise<void> {
    this.#records = [];
    this.#summary = '';
    this.#origins = [];
    return this.#log.rewrite([]);
  }

  async #summed(old: readonly MemoryRecord[]): Promise<string> {
    const lines = [this.#summary, ...old.map(({ kind, text }) => `- ${kind}: ${oneLine(text, 160)}`)];
    const plain = truncateText(lines.filter((line) => line !== '').join('\n'), LONGEST * 4);
    if (this.#summariser === undefined) return plain;
    const turns = old.map(({ kind, text }): Turn => ({ role: 'user', from: kind, text }));
    try {
      const request = { previous: this.#summary, turns, maxTokens: LONGEST };
      const { text } = await this.#summariser.summarise(request, new AbortController().signal);
      return text.trim() === '' ? plain : truncateText(text.trim(), LONGEST * 4);
    } catch {
      return plain;
    }
  }

  #store(): Promise<void> {
    return this.#log.rewrite([{ summary: this.#summary, ...this.#marks, records: this.#records }]);
  }

  get #marks(): Pick<State, 'origins'> {
    return this.#origins.length === 0 ? {} : { origins: this.#origins };
  }
}

const readState = (value: unknown): State | undefined => {
  const plain = toJson(value);
  if (!isJsonObject(plain) || typeof plain['summary'] !== 'string') return undefined;
  const { records: found, origins } = plain;
  const records = Array.isArray(found) ? found.map(readRecord) : [];
  return {
    summary: plain['summary'],
    ...(areOrigins(origins) ? { origins } : {}),
    records: records.filter((record) => record !== undefined),
  };
};
