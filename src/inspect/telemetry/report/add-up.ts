import type { WorkProof, WorkRow } from '../../recording/report/work-report.ts';
import type { RunFiguresOf, RunWork } from './run-work.ts';

/** Names in a report at most: invented ones must not fill it. The rest is left out, the rarest first. */
const MOST_ROWS = 500;
const MOST_PROOFS = 3;
/** Runs that are added up at once. */
const AT_ONCE = 200;

interface Sum {
  readonly of: Pick<RunFiguresOf, 'kind' | 'name'>;
  readonly durations: number[];
  failed: number;
  retries: number;
  tokens: number;
  costUsd: number;
  unpriced: number;
  slowest: readonly WorkProof[];
  dearest: readonly WorkProof[];
  failing: readonly WorkProof[];
}

/** Adds up the work of runs, in parts: others work in between. */
export const addUp = async (runs: ReadonlyMap<string, RunWork>): Promise<readonly WorkRow[]> => {
  const sums = new Map<string, Sum>();
  let count = 0;
  for (const [run, { figures }] of runs) {
    for (const each of figures) add(sumOf(sums, each), run, each);
    count += 1;
    if (count % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return [...sums.values()]
    .toSorted((one, other) => other.durations.length - one.durations.length)
    .slice(0, MOST_ROWS)
    .map(rowOf);
};

const sumOf = (sums: Map<string, Sum>, { kind, name }: RunFiguresOf): Sum => {
  const key = `${kind} ${name}`;
  let sum = sums.get(key);
  if (sum === undefined) {
    const none = { failed: 0, retries: 0, tokens: 0, costUsd: 0, unpriced: 0 };
    sum = { of: { kind, name }, durations: [], ...none, slowest: [], dearest: [], failing: [] };
    sums.set(key, sum);
  }
  return sum;
};

const add = (sum: Sum, run: string, more: RunFiguresOf): void => {
  const { durations, failed, retries, tokens, costUsd, unpriced, slowest, dearest, failedAt } = more;
  for (const ms of durations) sum.durations.push(ms);
  sum.failed += failed;
  sum.retries += retries;
  sum.tokens += tokens;
  sum.costUsd += costUsd;
  sum.unpriced += unpriced;
  if (slowest !== undefined) sum.slowest = withProof(sum.slowest, { run, ...slowest });
  // Its place is that of the dearest call, its value that of all calls of the run.
  if (dearest !== undefined) sum.dearest = withProof(sum.dearest, { run, seq: dearest.seq, value: costUsd });
  if (failedAt !== undefined) sum.failing = withProof(sum.failing, { run, seq: failedAt, value: failed });
};

const withProof = (proofs: readonly WorkProof[], proof: WorkProof): readonly WorkProof[] =>
  [...proofs, proof].toSorted((one, other) => other.value - one.value).slice(0, MOST_PROOFS);

const rowOf = ({ of, durations, ...sum }: Sum): WorkRow => {
  const sorted = Float64Array.from(durations).sort();
  const quantile = (fraction: number): number =>
    sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)] ?? 0;
  return { ...of, count: sorted.length, ...sum, p50: quantile(0.5), p95: quantile(0.95) };
};
