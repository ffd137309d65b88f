import type { EventOf, RuntimeEvent } from '../../../contracts/events/event.ts';
import type { Entry } from '../../recording/entry.ts';

/**
 * The events of one run, from the entries of a recording that may have others.
 *
 * E1  They are those of the run's own log: requests and raw answers, which only recordings and traces have, are left out.
 * E2  A resumed run repeats its events, and goes on in place of the end by which it was suspended: each event counts once.
 */
export class RunEvents {
  readonly run: string;
  readonly #events: RuntimeEvent[] = [];
  /** Places of entries by the number of their event. */
  readonly #places = new Map<number, number>();
  #tooLarge = 0;

  constructor(run: string) {
    this.run = run;
  }

  get all(): readonly RuntimeEvent[] {
    return this.#events;
  }

  get last(): RuntimeEvent | undefined {
    return this.#events.at(-1);
  }

  /** The end of the run; undefined while it goes on. */
  get end(): EventOf<'run.ended'> | undefined {
    return this.last?.type === 'run.ended' ? this.last : undefined;
  }

  /** Number of events before the first that is recorded; 0 if all are. */
  get missing(): number {
    return this.#events[0]?.seq ?? 0;
  }

  /** Number of events of which only the head was sent. */
  get tooLarge(): number {
    return this.#tooLarge;
  }

  /** The place in the recording at which an event was added. */
  placeOf({ seq }: RuntimeEvent): number | undefined {
    return this.#places.get(seq);
  }

  /** Takes in the next entry of the recording, and says what became of it. */
  take(entry: Entry): 'added' | 'replaced' | 'ignored' {
    if (entry.kind !== 'published' || entry.event.type === 'model.delta') return 'ignored';
    const { n, event } = entry;
    if ('cut' in event) {
      // It has only its type left; its actor says whose it is.
      this.#tooLarge += Number(entry.actor.startsWith(`${this.run}/`));
      return 'ignored';
    }
    if (event.runId !== this.run) return 'ignored';
    const { last } = this;
    const isReplaced = last !== undefined && isSuspension(last) && event.seq >= last.seq;
    if (last !== undefined && event.seq <= last.seq && !isReplaced) return 'ignored';
    if (isReplaced) this.#events.pop();
    this.#events.push(inLog(event));
    this.#places.set(event.seq, n);
    return isReplaced ? 'replaced' : 'added';
  }
}

const isSuspension = (event: RuntimeEvent): boolean =>
  event.type === 'run.ended' && event.error?.code === 'run.suspended';

const inLog = (event: RuntimeEvent): RuntimeEvent => {
  if (event.type === 'model.asked') {
    const { request: _, ...logged } = event;
    return logged;
  }
  if (event.type !== 'model.answered') return event;
  const { raw: _, ...logged } = event;
  return logged;
};
