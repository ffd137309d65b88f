import type { ActorEntry } from './actor-entry.ts';

/** What a machine is told: an answer, a failure, a message, an abort. `at` is the only clock that it sees. */
export interface Envelope {
  readonly type: string;
  readonly at: number;
  readonly [key: string]: unknown;
}

/**
 * What moves machines. There are two, live (XState actors) and driven (the pure turn); everything else of a run is the
 * same code, so that they mean the same.
 */
export interface Host {
  start(entry: ActorEntry, input: unknown): void;
  deliver(entry: ActorEntry, envelope: Envelope): void;
  /** The actor is over; let go of it. */
  stop(entry: ActorEntry): void;
}
