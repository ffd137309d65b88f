import type { FaceSnapshot } from './face-snapshot.ts';

/**
 * The event by which the runtime shows an actor's face its next snapshot.
 *
 * Only the runtime makes one, as the snapshot is in a private field: an answer cannot be forged by who has a reference to the actor.
 */
export class Moved {
  readonly type: string;
  readonly #next: () => FaceSnapshot;

  /** `cause` is the envelope that the machine took: inspectors see it. */
  constructor(cause: { readonly type: string }, next: () => FaceSnapshot) {
    Object.assign(this, cause);
    this.type = cause.type;
    this.#next = next;
  }

  /** The snapshot that an event brings; undefined for any other event. */
  static next(event: object): FaceSnapshot | undefined {
    return #next in event ? event.#next() : undefined;
  }
}
