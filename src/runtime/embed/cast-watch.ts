import type { Actor } from '../actors/actor.ts';
import type { Envelope } from '../turn/envelope.ts';
import type { TurnRecord } from '../turn/turn-record.ts';
import type { Watch } from '../turn/watch.ts';
import type { Cast } from './cast.ts';
import type { Face, FaceHome } from './face.ts';

/** The run whose moves are shown. */
export interface WatchedSeat {
  readonly home: FaceHome;
  readonly cast: Cast;
  /** False once the run was left: its moves are no longer shown. */
  readonly isCurrent: () => boolean;
  /** Shows an update in order. */
  readonly show: (show: () => void) => void;
}

/** Shows the interpreter's moves of one run by its faces. */
export class CastWatch implements Watch {
  /** Faces of actors that the run has started. */
  readonly alive = new Set<Face>();
  /** While records are replayed, nothing is shown. */
  isQuiet = false;
  readonly #seat: WatchedSeat;

  constructor(seat: WatchedSeat) {
    this.#seat = seat;
  }

  started({ path, definition, sponsor }: Actor, record: TurnRecord): void {
    const { home, cast, isCurrent, show } = this.#seat;
    if (!isCurrent() || record.position === undefined) return;
    const known = cast.at(path);
    if (known !== undefined) {
      known.stand(record);
      this.alive.add(known);
      return;
    }
    const parent = sponsor.kind === 'root' ? undefined : cast.at(sponsor.parent.path);
    const face = cast.add({ home, path, definition, latest: record, parent });
    if (this.isQuiet) return;
    const { latest } = face;
    show(() => {
      cast.engage(face, latest);
    });
  }

  moved({ path }: Actor, envelope: Envelope, record: TurnRecord): void {
    const { cast, isCurrent, show } = this.#seat;
    const face = cast.at(path);
    if (!isCurrent() || record.position === undefined || face === undefined) return;
    face.stand(record);
    if (this.isQuiet) return;
    const { latest } = face;
    show(() => {
      face.show(envelope, latest);
    });
  }

  stopped({ path }: Actor): void {
    const { cast, isCurrent } = this.#seat;
    const face = cast.at(path);
    if (isCurrent() && face !== undefined && face !== cast.root) this.remove(face);
  }

  /** Removes a face, and stops its actor in order. */
  remove(face: Face): void {
    const { cast, show } = this.#seat;
    cast.remove(face);
    show(() => {
      cast.stop(face);
    });
  }
}
