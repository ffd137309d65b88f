import { carryOut } from '../machines/outputs.ts';
import type { Actor } from './actor.ts';
import type { Gallery } from './embed/gallery.ts';
import type { Envelope } from './envelope.ts';
import type { Scope } from './quiet-scope.ts';
import type { TurnRecord, Turned } from './turn.ts';
import { firstTurn, turn } from './turn.ts';
import type { Watch } from './watch.ts';

/** Moves machines. Owns what each of them knows. */
export interface Host {
  /** The actor's machine makes its first turn, at `at`. */
  start(actor: Actor, input: unknown, at: number): void;
  deliver(actor: Actor, envelope: Envelope): void;
  /** The actor is over; let go of it. */
  stop(actor: Actor): void;
  /** What an actor's machine knows; undefined for one that is over. */
  contextOf(actor: Actor): unknown;
}

/**
 * Moves machines by the pure turn, holding their records in memory: no XState actor runs.
 *
 * `watch` follows each machine as it moves. A `gallery` shows every move to inspectors.
 */
export const drivenHost = (watch?: Watch, gallery?: Gallery): Host => {
  const records = new Map<Actor, TurnRecord>();

  const carry = (entry: Actor, { record, outputs }: Turned): void => {
    carryOut(outputs, entry);
    if (record.isDone) entry.end(record.output);
  };

  return {
    start: (entry, input, at) => {
      const move = (scope?: Scope): Turned => firstTurn(entry.definition, input, at, scope);
      const turned = gallery === undefined ? move() : gallery.begin(entry, move);
      records.set(entry, turned.record);
      watch?.started(entry, turned.record);
      carry(entry, turned);
    },
    deliver: (entry, envelope) => {
      const record = records.get(entry);
      // What comes in between its end and the run's learning of it comes too late.
      if (record === undefined || record.isDone) return;
      const move = (): Turned => turn(entry.definition, record, envelope);
      const turned = gallery === undefined ? move() : gallery.move(entry, envelope, move);
      records.set(entry, turned.record);
      watch?.moved(entry, envelope, turned.record);
      carry(entry, turned);
    },
    stop: (entry) => {
      if (!records.delete(entry)) return;
      gallery?.stop(entry);
      watch?.stopped(entry);
    },
    contextOf: (entry) => records.get(entry)?.context,
  };
};
