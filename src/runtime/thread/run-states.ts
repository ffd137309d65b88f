import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';

/** The states of a thread's agents, by name: from earlier runs, and from this one. */
export class RunStates {
  /** States from earlier runs of the thread. */
  kept: Readonly<Record<string, Json>>;
  readonly #now = new Map<string, Json>();

  constructor(kept: Readonly<Record<string, Json>> = {}) {
    this.kept = kept;
  }

  /** Final states of this run's agents. */
  get now(): Readonly<Record<string, Json>> {
    return Object.fromEntries(this.#now);
  }

  /** Records the final state of an agent; among several of one name the last one counts. */
  ended(agent: string, state: Json): void {
    this.#now.set(agent, state);
  }
}

/** The initial state of an agent: the stored one over its definition's. */
export const stateOver = (defined: Json, kept: Json | undefined): Json => {
  if (kept === undefined) return defined;
  // Keys added to the definition since then start as defined.
  return isJsonObject(defined) && isJsonObject(kept) ? { ...defined, ...kept } : kept;
};
