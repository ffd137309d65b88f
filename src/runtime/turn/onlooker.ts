import type { Actor } from '../actors/actor.ts';
import type { Envelope } from './envelope.ts';
import type { Note } from './mover.ts';
import type { Scope } from './quiet-scope.ts';
import type { Turned } from './turn.ts';

/** The way in which a turn is seen while it is made. */
export interface Sight {
  /** The scope of an XState actor, which makes the first turn, and all after it. */
  readonly scope?: Scope | undefined;
  readonly note?: Note | undefined;
}

/** Sees each turn of a run's machines while it is made. Must not throw and must not call into the run. */
export interface Onlooker {
  /** Sees the first turn of an actor, which `move` makes. */
  begin(entry: Actor, move: (sight?: Sight) => Turned): Turned;
  /** Sees a turn, which `move` makes. */
  move(entry: Actor, envelope: Envelope, move: (sight?: Sight) => Turned): Turned;
  /** The actor is over. */
  stop(entry: Actor): void;
}
