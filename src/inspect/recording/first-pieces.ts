import type { DeltaEvent, EventBody, LiveEvent } from '../../contracts/events/event.ts';
import type { EventMoment } from '../../contracts/events/noted-event.ts';

/** A model call that is under way. */
interface Asked {
  readonly at: number;
  /** The text of an attempt that broke, which this one continues: it is streamed again first. */
  readonly continues: string;
  firstMs?: number | undefined;
}

/**
 * Times from the request of a model to the first piece of its answer, where its stream is seen.
 *
 * Of each attempt there is its own: what an attempt repeats of the one before it is no piece of its answer.
 */
export class FirstPieces {
  readonly #asked = new Map<string, Asked>();
  /** The text of the last attempt of an actor, where it broke. */
  readonly #broken = new Map<string, string>();

  /** Takes in an event; gives the time in ms where it ends an attempt of which a piece was seen. */
  take(event: EventBody | LiveEvent, { path, at }: Pick<EventMoment, 'path' | 'at'>): number | undefined {
    switch (event.type) {
      case 'model.asked':
        this.#asked.set(event.key, { at, continues: this.#broken.get(path) ?? '' });
        this.#broken.delete(path);
        return undefined;
      case 'model.interrupted':
        this.#broken.set(path, event.text);
        return this.#end(event.key);
      case 'model.answered':
      case 'model.discarded':
      case 'model.failed':
        return this.#end(event.key);
      default:
        return undefined;
    }
  }

  /** Takes in a piece of an answer. */
  takeDelta({ key, at, delta, offset = 0 }: DeltaEvent): void {
    const asked = this.#asked.get(key);
    if (asked === undefined || asked.firstMs !== undefined || delta.type === 'progress') return;
    if (delta.type === 'text' && asked.continues.startsWith(delta.text, offset)) return;
    asked.firstMs = at - asked.at;
  }

  #end(key: string): number | undefined {
    const asked = this.#asked.get(key);
    this.#asked.delete(key);
    return asked?.firstMs;
  }
}
