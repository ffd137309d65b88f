import type { Envelope } from './envelope.ts';
import type { Actor } from '../actors/actor.ts';
import type { TurnRecord } from './turn.ts';

/**
 * Follows the machines of a run: the faces that an app or an inspector sees are made of it.
 *
 * Each call comes when the actor's record is the new one and before its outputs are carried out: a parent has moved before the child
 * that it engages starts. A watch must not throw, and must not call into the run; it may put off what it does.
 */
export interface Watch {
  /** An actor has made its first turn; the record has no position where that threw. */
  started(actor: Actor, record: TurnRecord): void;
  /** An actor has taken an envelope. */
  moved(actor: Actor, envelope: Envelope, record: TurnRecord): void;
  /** An actor is over, by its own end or stopped; it takes nothing any more. */
  stopped(actor: Actor): void;
}
