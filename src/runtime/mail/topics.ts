import type { Actor } from '../actors/actor.ts';

/** Who gets what is published. */
export class Topics {
  /** What agents said in the course of the run; what they were defined with comes before. */
  readonly #said = new WeakMap<Actor, Map<string, boolean>>();

  set(actor: Actor, topic: string, isOn: boolean): void {
    const said = this.#said.get(actor) ?? new Map<string, boolean>();
    this.#said.set(actor, said.set(topic, isOn));
  }

  has(actor: Actor, topic: string): boolean {
    return this.#said.get(actor)?.get(topic) ?? actor.definition.mailbox?.topics?.includes(topic) === true;
  }
}
