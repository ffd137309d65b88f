import type { RunFacts } from './run-facts.ts';
import type { Evidence, ExpectedGain, Proof, Suggestion } from './suggestion.ts';

/** A suggestion whose share of the target's total is not computed yet. */
export type Finding = Omit<Suggestion, 'expected'> & { readonly expected: Omit<ExpectedGain, 'share'> };

/** Finds one kind of inefficiency. Keeps counts, and none of the runs. */
export interface Rule {
  take(run: RunFacts): void;
  findings(): readonly Finding[];
}

/** The reason why a suggestion of another model is not proven from records alone. */
export const UNTRIED_MODEL = 'not proven as no other model was tried on these runs';

/** Ids that evidence names. */
const NAMED = 10;

/** Counts occurrences, and the runs that have them. */
export class Tally {
  readonly runs: string[] = [];
  runCount = 0;
  count = 0;
  of = 0;
  latencyMs = 0;
  tokens = 0;
  #costUsd: number | undefined = 0;
  #last: string | undefined;

  /** Undefined as soon as the cost of one is not known. */
  get costUsd(): number | undefined {
    return this.#costUsd;
  }

  /** Counts an occurrence in a run; all of one run follow one another. */
  add(runId: string, gain: { latencyMs?: number; tokens?: number; costUsd?: number | undefined } = {}): void {
    this.count += 1;
    this.latencyMs += gain.latencyMs ?? 0;
    this.tokens += gain.tokens ?? 0;
    const { costUsd } = gain;
    this.#costUsd =
      costUsd === undefined || this.#costUsd === undefined ? undefined : this.#costUsd + costUsd;
    if (this.#last === runId) return;
    this.#last = runId;
    this.runCount += 1;
    if (this.runs.length < NAMED) this.runs.push(runId);
  }

  /** The proof by counting the runs that have them. */
  recounted(): Proof {
    return { by: 'recount', runs: this.runCount };
  }

  /** The same, where nothing would be asked that is not on record. */
  replayed(): Proof {
    return { by: 'replay', runs: this.runCount };
  }

  evidence(measured: Evidence['measured']): Evidence {
    const { runs, runCount, count, of } = this;
    return { runs: [...runs], runCount, count, of, measured };
  }
}

/** Values by agent and a second name, within a bound: further ones are not counted. */
export class Table<Value> {
  readonly #make: () => Value;
  readonly #rows = new Map<
    string,
    { readonly agent: string; readonly name: string; readonly value: Value }
  >();

  constructor(make: () => Value) {
    this.#make = make;
  }

  of(agent: string, name = ''): Value {
    const key = `${agent}\n${name}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known.value;
    const value = this.#make();
    if (this.#rows.size < MOST_ROWS) this.#rows.set(key, { agent, name, value });
    return value;
  }

  get rows(): Iterable<{ readonly agent: string; readonly name: string; readonly value: Value }> {
    return this.#rows.values();
  }
}

const MOST_ROWS = 10_000;
