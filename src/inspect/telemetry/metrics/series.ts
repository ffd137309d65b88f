import { LogHistogram } from './log-histogram.ts';
import type { Usage } from '../../../contracts/models/usage.ts';
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

/** Tokens and money: none yet. */
const nothingSpent = () => ({ inputTokens: 0, outputTokens: 0, costUsd: 0, unpriced: 0 });

const addSpent = (
  sum: ReturnType<typeof nothingSpent>,
  { input, output }: Usage,
  costUsd: number | undefined,
): void => {
  sum.inputTokens += input;
  sum.outputTokens += output;
  if (costUsd === undefined) sum.unpriced += 1;
  else sum.costUsd += costUsd;
};

/** Beside that, what a model's answers used. */
export class ModelSeries extends Series {
  readonly #spent = nothingSpent();
  readonly #parts = { cachedTokens: 0, reasoningTokens: 0 };
  readonly #firstChunks = new LogHistogram();

  override ended(work: Work, end: WorkEnd): void {
    super.ended(work, end);
    if (end.by?.type !== 'model.answered' || end.outcome !== 'done') return;
    const { usage, costUsd } = end.by;
    addSpent(this.#spent, usage, costUsd);
    this.#parts.cachedTokens += usage.cached ?? 0;
    this.#parts.reasoningTokens += usage.reasoning ?? 0;
  }

  firstChunk(afterMs: number): void {
    this.#firstChunks.add(afterMs);
  }

  override timing(): ModelTiming {
    return {
      ...super.timing(),
      ...this.#spent,
      ...this.#parts,
      firstChunkMs: this.#firstChunks.distribution(),
    };
  }
}

/** Beside that, what runs used. */
export class TenantSeries extends Series {
  readonly #spent = nothingSpent();

  spent({ usage, costUsd }: Use): void {
    addSpent(this.#spent, usage, costUsd);
  }

  override timing(): TenantTiming {
    return { ...super.timing(), ...this.#spent };
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
