import type { FaceSnapshot } from './face-snapshot.ts';

/**
 * The event that gives an actor's face its next snapshot.
 *
 * The snapshot is in a private field, so that code with a reference to the actor cannot forge one.
 */
export class Moved {
  readonly type: string;
  readonly #next: () => FaceSnapshot;

  /** `cause` is the envelope that the machine processed, which inspectors see. */
  constructor(cause: { readonly type: string }, next: () => FaceSnapshot) {
    Object.assign(this, cause);
    this.type = cause.type;
    this.#next = next;
  }

  /** The snapshot in an event; undefined for other events. */
  static next(event: object): FaceSnapshot | undefined {
    return #next in event ? event.#next() : undefined;
  }
}
