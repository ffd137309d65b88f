import type { LiveEvent } from '../../../contracts/events/event.ts';
import { OpenWork } from '../../../events/progress/open-work.ts';

/** Owns what is under way in a run, and which of its calls the client has been sent. */
export class UiCalls {
  readonly #work = new OpenWork();
  /** The calls that the client has been sent, of those whose result may come. */
  readonly #shown = new Set<string>();

  /** Notes an event. */
  take(event: LiveEvent): void {
    this.#work.take(event);
  }

  /** Checks whether the run does nothing but wait for people. */
  get isWaiting(): boolean {
    return this.#work.isWaiting;
  }

  /** Checks whether no call of the message is without a result, but for `own`, and those that run the agent at `path`. */
  isFreeAt(path: string, own?: string): boolean {
    return [...this.#work.calls].every(([id, call]) => id === own || path.startsWith(`${call.path}/`));
  }

  /** Notes that the client is sent a call; false if it has it. */
  show(toolCallId: string): boolean {
    if (this.#shown.has(toolCallId)) return false;
    this.#shown.add(toolCallId);
    return true;
  }

  /** The client has exactly these calls. */
  rejoin(toolCallIds: Iterable<string>): void {
    this.#shown.clear();
    for (const each of toolCallIds) this.#shown.add(each);
  }

  /** Forgets all calls without a result, and returns the ids of those that the client has. */
  takeOpen(): readonly string[] {
    const ids = [...this.#work.calls.keys()].filter((id) => this.#shown.has(id));
    this.#work.forgetCalls();
    return ids;
  }
}
