import type { Json } from '../../base/json/json.ts';
import type { Approver } from '../../contracts/people/approval-terms.ts';
import type { InspectedRun, RunInspector } from '../../contracts/events/inspection.ts';

/** A stand-in for an agent or a team in a fork. */
export type ForkedAgent = InspectedRun['root'];

const MOST = 1_000;

/** The runs of this process, for commands that need more of them than their handles. */
export class KnownRuns implements Pick<RunInspector, 'inspects'> {
  readonly #inspector: RunInspector;
  /** The newest last. */
  readonly #roots = new Map<string, ForkedAgent>();
  readonly #misfits = new Map<string, InspectedRun['misfit']>();

  constructor(inspector: RunInspector) {
    this.#inspector = inspector;
  }

  inspects(run: InspectedRun): ReturnType<RunInspector['inspects']> {
    const { runId, root, handle } = run;
    this.#roots.delete(runId);
    this.#roots.set(runId, root);
    const [oldest] = this.#roots.keys();
    if (oldest !== undefined && this.#roots.size > MOST) this.#roots.delete(oldest);
    if (handle !== undefined) {
      const misfit: InspectedRun['misfit'] = (requestId, input, by) => run.misfit(requestId, input, by);
      this.#misfits.set(runId, misfit);
      // A run that ended holds nothing here; it may have been resumed since.
      const forget = (): void => {
        if (this.#misfits.get(runId) === misfit) this.#misfits.delete(runId);
      };
      handle.result.then(forget, forget);
    }
    return this.#inspector.inspects(run);
  }

  /** The stand-in for the agent of a run; undefined for a run of another process. */
  rootOf(runId: string): ForkedAgent | undefined {
    return this.#roots.get(runId);
  }

  /** The reason why an open call cannot be made with these arguments, as far as it is known here. */
  misfit(runId: string, requestId: string, input: Json, by?: Approver): string | undefined {
    return this.#misfits.get(runId)?.(requestId, input, by);
  }
}
