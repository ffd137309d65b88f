import { LogHistogram } from './log-histogram.ts';
import type { ModelTiming, TenantTiming, Timing } from './snapshot.ts';
import type { Use } from '../work/usage-in.ts';
import type { Work, WorkEnd } from '../work/work.ts';

/** Counts and durations under one name. */
export class Series {
  readonly #name: string;
  readonly #outcomes: Record<WorkEnd['outcome'], number> = { done: 0, failed: 0, unfinished: 0 };
  readonly #durations = new LogHistogram();

  constructor(name: string) {
    this.#name = name;
  }

  ended({ startedAt }: Work, { at, outcome }: WorkEnd): void {
    this.#outcomes[outcome] += 1;
    this.#durations.add(at - startedAt);
  }

  timing(): Timing {
    return { name: this.#name, ...this.#outcomes, durationMs: this.#durations.distribution() };
  }
}

/** Beside that, what a model's answers used. */
export class ModelSeries extends Series {
  readonly #used = {
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    reasoningTokens: 0,
    costUsd: 0,
    unpriced: 0,
  };
  readonly #firstChunks = new LogHistogram();

  override ended(work: Work, end: WorkEnd): void {
    super.ended(work, end);
    if (end.by?.type !== 'model.answered' || end.outcome !== 'done') return;
    const { usage, costUsd } = end.by;
    const used = this.#used;
    used.inputTokens += usage.input;
    used.outputTokens += usage.output;
    used.cachedTokens += usage.cached ?? 0;
    used.reasoningTokens += usage.reasoning ?? 0;
    if (costUsd === undefined) used.unpriced += 1;
    else used.costUsd += costUsd;
  }

  firstChunk(afterMs: number): void {
    this.#firstChunks.add(afterMs);
  }

  override timing(): ModelTiming {
    return { ...super.timing(), ...this.#used, firstChunkMs: this.#firstChunks.distribution() };
  }
}

/** Beside that, what runs used. */
export class TenantSeries extends Series {
  readonly #used = { inputTokens: 0, outputTokens: 0, costUsd: 0, unpriced: 0 };

  spent({ usage, costUsd }: Use): void {
    this.#used.inputTokens += usage.input;
    this.#used.outputTokens += usage.output;
    if (costUsd === undefined) this.#used.unpriced += 1;
    else this.#used.costUsd += costUsd;
  }

  override timing(): TenantTiming {
    return { ...super.timing(), ...this.#used };
  }
}

const OTHER = '(other)';

/** Series by name, bounded: invented names must not fill the memory. */
export class SeriesBook<Each extends Series> {
  readonly #most: number;
  readonly #open: (name: string) => Each;
  readonly #series = new Map<string, Each>();

  constructor(most: number, open: (name: string) => Each) {
    this.#most = most;
    this.#open = open;
  }

  get all(): readonly Each[] {
    return [...this.#series.values()];
  }

  get isCut(): boolean {
    return this.#series.has(OTHER);
  }

  of(name: string): Each {
    const found = this.#series.get(name);
    if (found !== undefined) return found;
    if (this.#series.size >= this.#most && name !== OTHER) return this.of(OTHER);
    const made = this.#open(name);
    this.#series.set(name, made);
    return made;
  }
}
