import { carryOut } from '../../machines/outputs.ts';
import type { Actor } from '../actors/actor.ts';
import type { Envelope } from './envelope.ts';
import type { Onlooker, Sight } from './onlooker.ts';
import type { Turned } from './turn.ts';
import { firstTurn, turn } from './turn.ts';
import type { Watch } from './watch.ts';

/** Moves machines. Owns their state, each on its actor. */
export interface Host {
  /** Starts the actor's machine with its first turn, at `at`. */
  start(actor: Actor, input: unknown, at: number): void;
  deliver(actor: Actor, envelope: Envelope): void;
  /** Releases the machine of an actor that is over. */
  stop(actor: Actor): void;
  /** The machine's context; undefined for an actor that is over. */
  contextOf(actor: Actor): unknown;
}

/**
 * Moves machines by the pure turn and keeps their records on their actors: no XState actor runs.
 *
 * `watch` follows each machine as it moves.
 */
export class DrivenHost implements Host {
  /** Shows every move to the run's inspector. */
  onlooker: Onlooker | undefined;
  readonly #watch: Watch | undefined;

  constructor(watch?: Watch) {
    this.#watch = watch;
  }

  start(entry: Actor, input: unknown, at: number): void {
    const move = ({ scope, note }: Sight = {}): Turned => firstTurn(entry.definition, input, at, scope, note);
    const turned = this.onlooker === undefined ? move() : this.onlooker.begin(entry, move);
    entry.record = turned.record;
    this.#watch?.started(entry, turned.record);
    carry(entry, turned);
  }

  deliver(entry: Actor, envelope: Envelope): void {
    const { record } = entry;
    // An envelope that arrives between the machine's end and the run's handling of it is late.
    if (record === undefined || record.isDone) return;
    const { onlooker } = this;
    const turned =
      onlooker === undefined
        ? turn(entry.definition, record, envelope)
        : onlooker.move(entry, envelope, ({ note } = {}) => turn(entry.definition, record, envelope, note));
    entry.record = turned.record;
    this.#watch?.moved(entry, envelope, turned.record);
    carry(entry, turned);
  }

  stop(entry: Actor): void {
    if (entry.record === undefined) return;
    entry.record = undefined;
    this.onlooker?.stop(entry);
    this.#watch?.stopped(entry);
  }

  contextOf(entry: Actor): unknown {
    return entry.record?.context;
  }
}

const carry = (entry: Actor, { record, outputs }: Turned): void => {
  carryOut(outputs, entry);
  if (record.isDone) entry.end(record.output);
};
