import type { InspectedRun } from '../../contracts/events/inspection.ts';

/** Holds runs as they begin until somebody looks; those that begin later are not held. */
export class Hold {
  readonly #held = new Set<NonNullable<InspectedRun['handle']>>();
  #isAwaited: boolean;

  constructor(isAwaited: boolean) {
    this.#isAwaited = isAwaited;
  }

  take({ handle }: InspectedRun): void {
    if (!this.#isAwaited || handle === undefined) return;
    handle.pause();
    this.#held.add(handle);
    const forget = (): void => {
      this.#held.delete(handle);
    };
    handle.result.then(forget, forget);
  }

  /** Somebody looks. */
  release(): void {
    this.#isAwaited = false;
    for (const handle of this.#held) handle.resume();
    this.#held.clear();
  }
}
