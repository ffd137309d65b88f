import type { Clock } from '../../base/clock.ts';
import { KeyedQueue } from '../../base/collections/keyed-queue.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';

/** Starts a run whose turn has come. */
type Turn = () => void;

/** Limits of a queue; integers or `Infinity`. */
export interface QueueLimits {
  /** Number of running turns. */
  readonly concurrency: number;
  /** Number of waiting turns of each key. */
  readonly queue: number;
  /** Number of running turns of one agent. */
  readonly perAgent: number;
}

interface QueuedTurn {
  readonly turn: Turn;
  readonly agent: string;
  readonly key: string;
  beganAt: number;
}

/** Weight of the latest run in the mean duration. */
const WEIGHT = 0.2;
/** Retry advice before any run has ended, in ms. */
const FIRST_ADVICE_MS = 1_000;

/**
 * A queue of runs with limited concurrency, strictly in order; keys take turns.
 *
 * I1 At most `concurrency` turns run at any moment, and `perAgent` of one agent.
 * I2 No turn starts before an earlier one of its key, unless that one skipped the queue, or its agent is at its limit.
 *
 * @throws {TroupeError} `engine.invalid` for a limit that is neither a whole number from 1 (`queue`: from 0) nor `Infinity`.
 */
export class RunQueue {
  readonly limits: QueueLimits;
  readonly #clock: Clock;
  readonly #waiting = new Map<Turn, QueuedTurn>();
  readonly #order = new KeyedQueue<QueuedTurn>();
  readonly #taken = new Map<Turn, QueuedTurn>();
  readonly #busy = new Map<string, number>();
  #meanMs: number | undefined;

  constructor({ concurrency, queue, perAgent }: QueueLimits, clock: Clock) {
    this.limits = {
      concurrency: checkCount(concurrency, 1, 'concurrency'),
      queue: checkCount(queue, 0, 'queue'),
      perAgent: checkCount(perAgent, 1, 'perAgent'),
    };
    this.#clock = clock;
  }

  /** @throws `engine.full` if a run of the agent could neither start nor wait. */
  check(agent: string, key: string, runId: string): void {
    const { concurrency, queue } = this.limits;
    const waiting = this.#order.sizeOf(key);
    if (waiting < queue || (this.#taken.size < concurrency && this.#hasRoom(agent))) return;
    const retryAfterMs = Math.ceil(
      (this.#meanMs ?? FIRST_ADVICE_MS) / Math.min(concurrency, this.#taken.size),
    );
    throw new TroupeError(
      'engine.full',
      `Cannot run '${agent}' as the engine is full: ${this.#taken.size} run and ${waiting} wait`,
      { runId, retryable: 'yes', retryAfterMs },
    );
  }

  /** The queue for a run of an agent. */
  lineFor(agent: string, key: string) {
    return {
      /** Starts now if there is room, otherwise in turn. */
      enter: (turn: Turn): void => {
        const place = { turn, agent, key, beganAt: 0 };
        this.#waiting.set(turn, place);
        this.#order.add(place, key);
        this.#admit();
      },
      /** Starts now, outside the limits; ignored if it has started. */
      skip: (turn: Turn): void => {
        const place = this.#waiting.get(turn);
        if (place === undefined) return;
        this.#waiting.delete(turn);
        this.#order.delete(place, place.key);
        turn();
      },
      /** Ends a turn: the next may start. */
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
    while (this.#taken.size < this.limits.concurrency) {
      const next = this.#next();
      if (next === undefined) return;
      this.#waiting.delete(next.turn);
      this.#order.take(next, next.key);
      next.beganAt = this.#clock.now();
      this.#taken.set(next.turn, next);
      this.#busy.set(next.agent, this.#busyWith(next.agent) + 1);
      next.turn();
    }
  }

  #next(): QueuedTurn | undefined {
    for (const place of this.#order) if (this.#hasRoom(place.agent)) return place;
    return undefined;
  }

  #hasRoom(agent: string): boolean {
    return this.#busyWith(agent) < this.limits.perAgent;
  }

  #busyWith(agent: string): number {
    return this.#busy.get(agent) ?? 0;
  }
}

const checkCount = (count: number, least: 0 | 1, option: string): number => {
  if (count === Infinity) return count;
  if (Number.isInteger(count) && count >= least) return count;
  throw new TroupeError(
    'engine.invalid',
    `Cannot make an engine as its ${option} is not a whole number from ${least} (or Infinity): found ${foundText(count)}`,
  );
};
