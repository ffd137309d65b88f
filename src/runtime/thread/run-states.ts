import type { Json } from '../../contracts/json.ts';
import { isJsonObject } from '../../contracts/json.ts';

/** The states of the agents of a thread, by name: what a run begins with, and what its agents came to. */
export class RunStates {
  /** What earlier runs of the thread left. */
  kept: Readonly<Record<string, Json>>;
  readonly #now = new Map<string, Json>();

  constructor(kept: Readonly<Record<string, Json>> = {}) {
    this.kept = kept;
  }

  /** What the agents of this run came to. */
  get now(): Readonly<Record<string, Json>> {
    return Object.fromEntries(this.#now);
  }

  /** An agent is over; of several of one name the last one counts. */
  ended(agent: string, state: Json): void {
    this.#now.set(agent, state);
  }
}

/** The state that an agent begins with: what was kept of it, over what its definition says. */
export const stateOver = (defined: Json, kept: Json | undefined): Json => {
  if (kept === undefined) return defined;
  // A key that the definition has had only since then begins as defined.
  return isJsonObject(defined) && isJsonObject(kept) ? { ...defined, ...kept } : kept;
};
