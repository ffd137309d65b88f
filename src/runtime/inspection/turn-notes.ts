import type { InspectedTurn, Microstep } from '../../contracts/events/inspection.ts';
import type { Actor } from '../actors/actor.ts';
import { bareSnapshot } from '../embed/face-snapshot.ts';
import type { Envelope } from '../turn/envelope.ts';
import type { Onlooker, Sight } from '../turn/onlooker.ts';
import type { Turned } from '../turn/turn.ts';

/** Tells a listener of each turn, by references: no XState actor is made, and each machine is moved as if nobody looked on. */
export class TurnNotes implements Onlooker {
  readonly #turned: (turn: InspectedTurn) => void;

  /** `turned` must not throw. */
  constructor(turned: (turn: InspectedTurn) => void) {
    this.#turned = turned;
  }

  begin(entry: Actor, move: (sight: Sight) => Turned): Turned {
    return this.#note(entry, undefined, move);
  }

  move(entry: Actor, envelope: Envelope, move: (sight: Sight) => Turned): Turned {
    return this.#note(entry, envelope, move);
  }

  stop(): void {
    // That it is over is an event of the run.
  }

  #note(
    { path, definition: { machine } }: Actor,
    event: Envelope | undefined,
    move: (sight: Sight) => Turned,
  ): Turned {
    const microsteps: Microstep[] = [];
    const turned = move({ note: (microstep) => microsteps.push(microstep) });
    const { value, context, status, output } = turned.record.position ?? bareSnapshot(machine);
    this.#turned({ path, machine, event, microsteps, value, context, status, output });
    return turned;
  }
}
