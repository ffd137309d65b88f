import type { RunFacts } from '../run-facts.ts';

/** The figures by which a change is judged. */
export const guardMetrics = ['errors', 'latency', 'cost'] as const;

/** `errors`: the share of failed runs; `latency`: ms per run; `cost`: US dollars per run. */
export type GuardMetric = (typeof guardMetrics)[number];

type Figures = Pick<RunFacts, 'status' | 'durationMs' | 'costUsd'>;

/** The figures of the last runs, up to a number. */
export class RunWindow {
  readonly #size: number;
  readonly #runs: Figures[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  add({ status, durationMs, costUsd }: Figures): void {
    this.#runs.push({ status, durationMs, costUsd });
    if (this.#runs.length > this.#size) this.#runs.shift();
  }

  get isFull(): boolean {
    return this.#runs.length === this.#size;
  }

  /** The part of a full window that has failed by now. */
  get failedShare(): number {
    return this.#runs.filter(({ status }) => status === 'failed').length / this.#size;
  }

  /** The mean of a metric; undefined if a cost is not known, or without any run. */
  mean(metric: GuardMetric): number | undefined {
    if (this.#runs.length === 0) return undefined;
    let sum: number | undefined = 0;
    for (const run of this.#runs) {
      const value = valueOf(run, metric);
      sum = value === undefined || sum === undefined ? undefined : sum + value;
    }
    return sum === undefined ? undefined : sum / this.#runs.length;
  }
}

const valueOf = ({ status, durationMs, costUsd }: Figures, metric: GuardMetric): number | undefined => {
  if (metric === 'errors') return status === 'failed' ? 1 : 0;
  return metric === 'latency' ? durationMs : costUsd;
};
