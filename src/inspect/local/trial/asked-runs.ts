import type { InspectedRun, RunInspector } from '../../../contracts/events/inspection.ts';
import type { Model } from '../../../contracts/models/model.ts';
import type { AskedCall } from './asked-calls.ts';
import { AskedCalls } from './asked-calls.ts';

/** Runs that are over and whose calls can be made again. */
export const MOST_OVER = 20;

/** The model calls of runs, on their way to another inspector: of those in progress, and of those that ended last. */
export class AskedRuns implements RunInspector {
  readonly #inspector: RunInspector;
  readonly #live = new Map<string, AskedCalls>();
  readonly #over = new Map<string, AskedCalls>();

  constructor(inspector: RunInspector) {
    this.#inspector = inspector;
  }

  inspects(run: InspectedRun): ReturnType<RunInspector['inspects']> {
    const { runId, handle } = run;
    const calls = new AskedCalls();
    this.#over.delete(runId);
    this.#live.set(runId, calls);
    const end = (): void => {
      this.#ends(runId, calls);
    };
    // One that is replayed is over.
    if (handle === undefined) end();
    else handle.result.then(end, end);
    const watch: InspectedRun['watch'] = (next) => {
      run.watch((event) => {
        if ('body' in event) calls.take(event, run);
        next(event);
      });
    };
    return this.#inspector.inspects({ ...run, watch });
  }

  has(runId: string): boolean {
    return this.#live.has(runId) || this.#over.has(runId);
  }

  /** The call of a run by its key. */
  at(runId: string, key: string): AskedCall | undefined {
    return (this.#live.get(runId) ?? this.#over.get(runId))?.at(key);
  }

  /** The models that a run can be continued by, as its agents have them. */
  models(runId: string): readonly Model[] {
    return (this.#live.get(runId) ?? this.#over.get(runId))?.models() ?? [];
  }

  #ends(runId: string, calls: AskedCalls): void {
    // It may have been resumed since.
    if (this.#live.get(runId) !== calls) return;
    this.#live.delete(runId);
    this.#over.set(runId, calls);
    const [oldest] = this.#over.keys();
    if (this.#over.size > MOST_OVER && oldest !== undefined) this.#over.delete(oldest);
  }
}
