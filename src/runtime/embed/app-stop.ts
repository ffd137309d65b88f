import type { Scope } from '../turn/quiet-scope.ts';

/** Tells the stop of a whole app from that of one actor in it, whose machine has left the state that invoked it. */
export class AppStop {
  #isOver = false;
  #watching: { unsubscribe(): void } | undefined;

  /** Watches the app's root, from the first call on. */
  watch(system: Scope['system'] | undefined): void {
    this.#watching ??= system?.inspect((event) => {
      if (event.type === '@xstate.snapshot' && event.actorRef.sessionId === event.rootId)
        this.#isOver = event.snapshot.status === 'stopped';
    });
  }

  /** Stops to watch; true if the app's root is stopped. */
  forget(): boolean {
    const isOver = this.#isOver;
    this.#watching?.unsubscribe();
    this.#watching = undefined;
    this.#isOver = false;
    return isOver;
  }
}
