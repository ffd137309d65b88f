import { Dice } from './dice.ts';
import type { Aspect, Choosable, Decision, Script } from '../decision.ts';

/** Draws a decision at a place; undefined leaves it calm. */
export type Draw<What extends Aspect> = (dice: Dice) => Choosable[What] | undefined;

/**
 * Makes the decisions of one run: by a seed, or by a script.
 *
 * I1 A decision follows from the seed, the place and its aspect alone: it is the same whatever was decided before, so a script may lose some of its
 * decisions and mean the same by the others.
 */
export class Choices {
  readonly seed: number;
  readonly #scripted: ReadonlyMap<string, Decision> | undefined;
  readonly #made = new Map<string, Decision | undefined>();

  constructor({
    seed,
    decisions,
  }: {
    readonly seed: number;
    readonly decisions?: Script['decisions'] | undefined;
  }) {
    this.seed = seed;
    this.#scripted =
      decisions === undefined
        ? undefined
        : new Map(decisions.map((decision) => [`${decision.what} ${decision.at}`, decision]));
  }

  /** The decisions that were not calm, as they were made. */
  get decisions(): readonly Decision[] {
    return [...this.#made.values()].flatMap((decision) => decision ?? []);
  }

  /** Draws of the whole run, by their name. */
  dice(name: string): Dice {
    return new Dice(`${this.seed} ${name}`);
  }

  /** Checks whether a seed decides, and not a script. */
  get isFree(): boolean {
    return this.#scripted === undefined;
  }

  /** The decision at a place; undefined if it is calm. A second question has the same answer. */
  take<What extends Aspect>(at: string, what: What, draw: Draw<What>): Choosable[What] | undefined {
    const key = `${what} ${at}`;
    if (!this.#made.has(key)) this.#made.set(key, this.#decide(at, what, draw));
    // Kept under its own aspect.
    return this.#made.get(key)?.value as Choosable[What] | undefined;
  }

  #decide<What extends Aspect>(at: string, what: What, draw: Draw<What>): Decision | undefined {
    if (this.#scripted !== undefined) return this.#scripted.get(`${what} ${at}`);
    const value = draw(this.dice(`${what} ${at}`));
    // Value and aspect belong together.
    return value === undefined ? undefined : ({ at, what, value } as Decision);
  }
}
