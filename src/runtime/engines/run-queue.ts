import type { Clock } from '../../contracts/clock.ts';
import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';

/** Begins something whose turn has come. */
type Turn = () => void;

/** What a queue holds to; each is a whole number, or `Infinity`. */
export interface QueueLimits {
  /** Turns that are taken at any moment. */
  readonly concurrency: number;
  /** Turns that wait. */
  readonly queue: number;
  /** Turns that one agent has at any moment. */
  readonly perAgent: number;
}

interface Place {
  readonly agent: string;
  beganAt: number;
}

/** The weight of the last run in the time that runs take. */
const WEIGHT = 0.2;
/** The time after which to come back where no run has ended yet, in ms. */
const FIRST_ADVICE_MS = 1_000;

/**
 * Runs in line: so many at a time, strictly in the order in which they came.
 *
 * I1  At most `concurrency` turns are taken at any moment, and `perAgent` of one agent.
 * I2  No turn begins before one that entered earlier, unless that one skipped the line, or its agent has all it may have.
 *
 * @throws {TroupeError} `engine.invalid` for a limit that is neither a whole number from 1 (`queue`: from 0) nor `Infinity`.
 */
export class RunQueue {
  readonly limits: QueueLimits;
  readonly #clock: Clock;
  readonly #waiting = new Map<Turn, Place>();
  readonly #taken = new Map<Turn, Place>();
  readonly #busy = new Map<string, number>();
  #meanMs: number | undefined;

  constructor({ concurrency, queue, perAgent }: QueueLimits, clock: Clock) {
    this.limits = {
      concurrency: checked(concurrency, 1, 'concurrency'),
      queue: checked(queue, 0, 'queue'),
      perAgent: checked(perAgent, 1, 'perAgent'),
    };
    this.#clock = clock;
  }

  /** @throws `engine.full` if a run of the agent could neither begin nor wait. */
  check(agent: string, runId: string): void {
    const { concurrency, queue } = this.limits;
    if (this.#waiting.size < queue || (this.#taken.size < concurrency && this.#hasRoom(agent))) return;
    const retryAfterMs = Math.ceil(
      (this.#meanMs ?? FIRST_ADVICE_MS) / Math.min(concurrency, this.#taken.size),
    );
    throw new TroupeError(
      'engine.full',
      `Cannot run '${agent}' as the engine is full: ${this.#taken.size} go on and ${this.#waiting.size} wait`,
      { runId, retryable: 'yes', retryAfterMs },
    );
  }

  /** The place in line of a run of an agent. */
  lineFor(agent: string) {
    return {
      /** Begins now if there is room, else when it is its turn. */
      enter: (turn: Turn): void => {
        this.#waiting.set(turn, { agent, beganAt: 0 });
        this.#admit();
      },
      /** Begins now, whoever else waits or is under way, and without taking a place; nothing if it has begun. */
      skip: (turn: Turn): void => {
        if (this.#waiting.delete(turn)) turn();
      },
      /** What the turn began is over: the next may begin. */
      over: (turn: Turn): void => {
        this.#over(turn);
      },
    };
  }

  #over(turn: Turn): void {
    const place = this.#taken.get(turn);
    if (place === undefined) return;
    this.#taken.delete(turn);
    const left = this.#busyWith(place.agent) - 1;
    if (left === 0) this.#busy.delete(place.agent);
    else this.#busy.set(place.agent, left);
    const tookMs = this.#clock.now() - place.beganAt;
    this.#meanMs = this.#meanMs === undefined ? tookMs : this.#meanMs * (1 - WEIGHT) + tookMs * WEIGHT;
    this.#admit();
  }

  #admit(): void {
    for (const [turn, place] of this.#waiting) {
      if (this.#taken.size >= this.limits.concurrency) return;
      if (!this.#hasRoom(place.agent)) continue;
      this.#waiting.delete(turn);
      place.beganAt = this.#clock.now();
      this.#taken.set(turn, place);
      this.#busy.set(place.agent, this.#busyWith(place.agent) + 1);
      turn();
    }
  }

  #hasRoom(agent: string): boolean {
    return this.#busyWith(agent) < this.limits.perAgent;
  }

  #busyWith(agent: string): number {
    return this.#busy.get(agent) ?? 0;
  }
}

const checked = (count: number, least: 0 | 1, option: string): number => {
  if (count === Infinity) return count;
  if (Number.isInteger(count) && count >= least) return count;
  throw new TroupeError(
    'engine.invalid',
    `Cannot make an engine as its ${option} is no whole number from ${least} (or Infinity): ${foundText(count)}`,
  );
};
