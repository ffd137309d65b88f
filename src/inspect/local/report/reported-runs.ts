import type { InspectedRun, RunInspector } from '../../../contracts/events/inspection.ts';
import { builtEvent } from '../../../contracts/events/noted-event.ts';
import type { WorkBook } from '../../telemetry/report/work-book.ts';

/** The work of the runs of this process, on their way to another inspector. */
export class ReportedRuns implements RunInspector {
  readonly #inspector: RunInspector;
  readonly #book: WorkBook;

  constructor(inspector: RunInspector, book: WorkBook) {
    this.#inspector = inspector;
    this.#book = book;
  }

  inspects(run: InspectedRun): ReturnType<RunInspector['inspects']> {
    const watch: InspectedRun['watch'] = (next) => {
      run.watch((event) => {
        if ('body' in event && this.#book.wants(event.body.type, run.runId, event.moment.path))
          this.#book.take(builtEvent(run.runId, event));
        next(event);
      });
    };
    return this.#inspector.inspects({ ...run, watch });
  }
}
