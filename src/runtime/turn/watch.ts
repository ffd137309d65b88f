import type { Envelope } from './envelope.ts';
import type { Actor } from '../actors/actor.ts';
import type { TurnRecord } from './turn-record.ts';

/**
 * Follows the machines of a run: the actors that apps and inspectors see are derived from it.
 *
 * Called when the actor has its new record and before the outputs are carried out: a parent has moved before the child that it engages
 * starts. A watch must not throw and must not call into the run, but may defer work.
 */
export interface Watch {
  /** The actor has made its first turn; the record has no position if that threw. */
  started(actor: Actor, record: TurnRecord): void;
  /** The actor has processed an envelope. */
  moved(actor: Actor, envelope: Envelope, record: TurnRecord): void;
  /** The actor has ended or was stopped; it accepts no more envelopes. */
  stopped(actor: Actor): void;
}
