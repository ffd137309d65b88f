import type { LiveEvent } from '../../../contracts/events/event.ts';
import { FirstError } from './first-error.ts';
import type { Work, WorkEnd, WorkListener } from './work.ts';

/** Checks whether a piece of work had begun before this process took its run. */
export const isFromBefore = ({ scope, by }: Pick<Work, 'scope' | 'by'>): boolean =>
  scope.isRepeated?.(by) === true;

/**
 * Passes on what happens in this process only: a resumed run repeats its events from the first, and what counts would count again what
 * another process has counted. Work that had ended is left out; work that is still open begins here once all is repeated.
 *
 * N1  A listener receives the end of work whose beginning it has received, and of no other.
 */
export class NewWork implements WorkListener {
  readonly #listener: WorkListener;
  /** Open work that was repeated, by run, those that engage others first. */
  readonly #repeated = new Map<string, Set<Work>>();

  constructor(listener: WorkListener) {
    this.#listener = listener;
  }

  began(work: Work): void {
    if (!isFromBefore(work)) {
      this.#catchUp(work.runId);
      this.#listener.began?.(work);
      return;
    }
    const known = this.#repeated.get(work.runId);
    if (known !== undefined) {
      known.add(work);
      return;
    }
    this.#repeated.set(work.runId, new Set([work]));
    // All is repeated in one go: what is open after it may be silent for days.
    queueMicrotask(() => {
      try {
        this.#catchUp(work.runId);
      } catch (thrown) {
        work.scope.failed?.(thrown);
      }
    });
  }

  ended(work: Work, end: WorkEnd): void {
    const { by } = end;
    const isPast = by === undefined || work.scope.isRepeated?.(by) === true;
    if (!isPast) this.#catchUp(work.runId);
    if (this.#repeated.get(work.runId)?.delete(work) !== true) this.#listener.ended?.(work, end);
  }

  noted(event: LiveEvent, about: Work | undefined): void {
    if (about?.scope.isRepeated?.(event) === true) return;
    this.#catchUp(event.runId);
    this.#listener.noted?.(event, about);
  }

  /** Begins what is still open of what was repeated. */
  #catchUp(runId: string): void {
    const open = this.#repeated.get(runId);
    if (open === undefined) return;
    this.#repeated.delete(runId);
    const fault = new FirstError();
    for (const work of open)
      fault.watch(() => {
        this.#listener.began?.(work);
      });
    fault.surface();
  }
}
