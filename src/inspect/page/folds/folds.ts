import type { Entry, ResumedEntry } from '../../recording/entry.ts';
import type { TableauData } from '../../recording/tableau.ts';
import { Problems } from './problems.ts';
import type { Resumption } from './resumptions.ts';
import { Resumptions } from './resumptions.ts';
import type { Sums } from './run-sums.ts';
import { RunSums } from './run-sums.ts';
import { Threads } from './threads.ts';
import { WorkSpans } from './work-spans.ts';

/**
 * Folds of a recording's entries, each with an answer for any place of it.
 *
 * F1  A resumed run repeats its events: each counts once.
 */
export class Folds {
  readonly problems = new Problems();
  readonly work = new WorkSpans();
  readonly threads: Threads;
  readonly #sums = new Map<string, RunSums>();
  readonly #resumptions = new Map<string, Resumptions>();
  /** The last event of each run, by its place in the run's own log. */
  readonly #lastSeq = new Map<string, number>();

  constructor(base?: TableauData) {
    this.threads = new Threads(base);
  }

  /** Takes in the next entry. */
  take(entry: Entry): void {
    if (entry.kind === 'resumed') this.#resume(entry);
    this.work.take(entry);
    if (entry.kind !== 'published') this.threads.take(entry);
    if (entry.kind !== 'published' || entry.event.type === 'model.delta') return;
    const { n, actor, event } = entry;
    const { runId, seq } = event;
    if (seq <= (this.#lastSeq.get(runId) ?? -1)) return;
    // A suspended run goes on in place of this end.
    const isEnd = event.type === 'run.ended' && event.error?.code !== 'run.suspended';
    this.#lastSeq.set(runId, event.type === 'run.ended' && !isEnd ? seq - 1 : seq);
    let sums = this.#sums.get(runId);
    if (sums === undefined) this.#sums.set(runId, (sums = new RunSums(event)));
    sums.take(n, event);
    this.work.spend(n, event);
    this.problems.take(n, actor, event);
    this.threads.take(entry);
  }

  #resume(entry: ResumedEntry): void {
    const { run } = entry;
    const known = this.#resumptions.get(run) ?? new Resumptions();
    this.#resumptions.set(run, known);
    known.take(entry);
    if (entry.isInterrupted) this.problems.interrupted(entry);
  }

  /** The places before one at which other processes had continued a run, or all runs. */
  resumptionsAt(length: number, run?: string): readonly Resumption[] {
    const wanted = run === undefined ? [...this.#resumptions.values()] : [this.#resumptions.get(run)];
    return wanted.flatMap((each) => each?.at(length) ?? []);
  }

  /** The sums of one run at a place, or of all that had started by then. */
  sumsAt(length: number, run?: string): readonly Sums[] {
    const wanted = run === undefined ? [...this.#sums.values()] : [this.#sums.get(run)];
    return wanted.flatMap((each) => each?.at(length) ?? []);
  }
}
