import type { RuntimeEvent } from '../../../contracts/events/runtime-event.ts';
import type { RunStatus } from '../../../contracts/runs/run-status.ts';
import type { RunTotals } from '../../../contracts/runs/run-totals.ts';
import { RunCounter } from '../../../runtime/actors/run-counter.ts';
import { countBelow } from '../timeline.ts';

/** The status of a run at a place of its recording. */
export type SummedStatus = 'running' | 'paused' | 'suspended' | RunStatus;

/** The sums of a run up to a place of its recording. */
export interface Sums {
  readonly agent: string;
  readonly status: SummedStatus;
  /** In ms since 1970, by the clock of the run. */
  readonly startedAt: number;
  /** Undefined while it goes on. */
  readonly endedAt: number | undefined;
  readonly totals: Omit<RunTotals, 'durationMs'>;
  /** False if its beginning is not recorded: what was used before is not counted until the run ends. */
  readonly isWhole: boolean;
}

/** Events that change what a run has used, or its status. */
const COUNTED: ReadonlySet<RuntimeEvent['type']> = new Set([
  'step.ended',
  'model.asked',
  'model.answered',
  'model.discarded',
  'model.interrupted',
  'context.compacted',
  'tool.finished',
  'model.retrying',
  'model.fell-back',
  'tool.retrying',
  'run.started',
  'run.paused',
  'run.resumed',
  'run.ended',
]);

/**
 * Sums of one run at any place of its recording.
 *
 * S1  At the end of a run they are its totals.
 */
export class RunSums {
  readonly #counter = new RunCounter();
  readonly #places: number[] = [];
  readonly #sums: Sums[] = [];
  readonly #startedAt: number;
  readonly #isWhole: boolean;

  constructor(first: RuntimeEvent) {
    this.#startedAt = first.at;
    this.#isWhole = first.seq === 0;
  }

  /** Takes in the event at a place of the recording. */
  take(n: number, event: RuntimeEvent): void {
    this.#counter.count(event);
    if (this.#sums.length > 0 && !COUNTED.has(event.type)) return;
    const { agent, status } = this.#sums.at(-1) ?? { agent: event.agent, status: 'running' };
    this.#places.push(n);
    this.#sums.push({
      agent,
      status: statusAfter(event) ?? status,
      startedAt: this.#startedAt,
      endedAt: event.type === 'run.ended' ? event.at : undefined,
      totals: event.type === 'run.ended' ? event.totals : this.#counter.totals,
      isWhole: this.#isWhole || event.type === 'run.ended',
    });
  }

  /** The sums after the first entries of the recording; undefined if the run had not started. */
  at(length: number): Sums | undefined {
    return this.#sums[countBelow(this.#places, length) - 1];
  }
}

const statusAfter = (event: RuntimeEvent): SummedStatus | undefined => {
  switch (event.type) {
    case 'run.paused':
      return 'paused';
    case 'run.started':
    case 'run.resumed':
      return 'running';
    case 'run.ended':
      return event.error?.code === 'run.suspended' ? 'suspended' : event.status;
    default:
      return undefined;
  }
};

/** Adds up the totals of several runs; an unknown cost makes the sum unknown. */
export const totalsOf = (all: readonly Sums[]): Omit<RunTotals, 'durationMs'> => {
  const sum = (of: (totals: Sums['totals']) => number | undefined): number =>
    all.reduce((total, { totals }) => total + (of(totals) ?? 0), 0);
  const unpriced = [...new Set(all.flatMap(({ totals }) => totals.unpriced ?? []))];
  const estimated = sum((each) => each.estimated);
  return {
    steps: sum((each) => each.steps),
    modelCalls: sum((each) => each.modelCalls),
    toolCalls: sum((each) => each.toolCalls),
    inputTokens: sum((each) => each.inputTokens),
    outputTokens: sum((each) => each.outputTokens),
    cachedTokens: sum((each) => each.cachedTokens),
    retries: sum((each) => each.retries),
    ...(unpriced.length === 0 ? { costUsd: sum((each) => each.costUsd) } : { unpriced }),
    ...(estimated === 0 ? {} : { estimated }),
  };
};
