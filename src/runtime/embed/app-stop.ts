import type { Scope } from '../turn/quiet-scope.ts';

/** Tells the stop of a whole app from that of one actor in it, whose machine has left the state that invoked it. */
export class AppStop {
  /** The app's root is stopped. */
  isOver = false;
  readonly #watching: { unsubscribe(): void };

  constructor(system: Scope['system']) {
    this.#watching = system.inspect((event) => {
      if (event.type === '@xstate.snapshot' && event.actorRef.sessionId === event.rootId)
        this.isOver = event.snapshot.status === 'stopped';
    });
  }

  forget(): void {
    this.#watching.unsubscribe();
  }
}
