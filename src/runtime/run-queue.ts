import { TroupeError } from '../contracts/error.ts';

/** Begins something whose turn has come. */
type Turn = () => void;

/**
 * Runs in line: so many at a time, strictly in the order in which they came.
 *
 * I1  At most `concurrency` turns are taken at any moment.
 * I2  No turn begins before one that entered earlier, unless that one skipped the line.
 *
 * @throws {TroupeError} `engine.invalid` for a concurrency that is neither a whole number from 1 nor `Infinity`.
 */
export class RunQueue {
  readonly concurrency: number;
  readonly #waiting = new Set<Turn>();
  readonly #taken = new Set<Turn>();

  constructor(concurrency: number) {
    if (concurrency !== Infinity && !(Number.isInteger(concurrency) && concurrency >= 1))
      throw new TroupeError(
        'engine.invalid',
        `Cannot make an engine as its concurrency is no whole number from 1 (or Infinity): ${String(concurrency)}`,
      );
    this.concurrency = concurrency;
  }

  /** Begins now if there is room, else when it is its turn. */
  enter(turn: Turn): void {
    this.#waiting.add(turn);
    this.#admit();
  }

  /** Begins now, whoever else waits or is under way, and without taking a place; nothing if it has begun. */
  skip(turn: Turn): void {
    if (this.#waiting.delete(turn)) turn();
  }

  /** What the turn began is over: the next may begin. */
  over(turn: Turn): void {
    if (this.#taken.delete(turn)) this.#admit();
  }

  #admit(): void {
    for (const turn of this.#waiting) {
      if (this.#taken.size >= this.concurrency) return;
      this.#waiting.delete(turn);
      this.#taken.add(turn);
      turn();
    }
  }
}
