import type { Actor } from '../actors/actor.ts';

/** The subscriptions of a run. */
export class Topics {
  /** Changes made during the run; an agent's definition applies otherwise. */
  readonly #said = new WeakMap<Actor, Map<string, boolean>>();

  set(actor: Actor, topic: string, isOn: boolean): void {
    const said = this.#said.get(actor) ?? new Map<string, boolean>();
    this.#said.set(actor, said.set(topic, isOn));
  }

  has(actor: Actor, topic: string): boolean {
    return this.#said.get(actor)?.get(topic) ?? actor.definition.mailbox?.topics?.includes(topic) === true;
  }
}
