import type { EventMoment } from '../../../contracts/events/noted-event.ts';
import type { Redactor } from '../../../contracts/secrets/redactor.ts';
import type { MomentRow, NotedMove, MoveRow, PackRow, Word, WordList } from './pack.ts';
import { LONGEST_WORD } from './pack.ts';
import { changedFields } from './part-changes.ts';
import { ShortForms } from './references.ts';

/** A turn: of whom, when, and the event that it answered to. */
interface PackedTurn {
  readonly actor: string;
  readonly at: number;
  readonly event: { readonly type: string } | undefined;
}

/** Writes the rows of one pack, with secrets redacted. `unpack` is its inverse. */
export class Packer {
  readonly #redactor: Redactor;
  readonly #words = new Map<string, number>();
  readonly #lists = new Map<readonly string[], number>();
  /** The parts of contexts that the pack has, by actor. */
  readonly #parts = new Map<string, Map<string, unknown>>();
  readonly #short = new ShortForms();
  #moment: EventMoment | undefined;
  #run: string | undefined;
  #at = 0;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** The row of a moment; 0 if it is that of the event before. */
  moment(runId: string, moment: EventMoment): MomentRow | 0 {
    if (moment === this.#moment && runId === this.#run) return 0;
    this.#moment = moment;
    this.#run = runId;
    const { path, agent, at, step, phase } = moment;
    const [run, where, who] = [this.#word(runId), this.#word(path), this.#word(agent)];
    return [run, where, who, this.#later(at), step ?? null, phase === undefined ? null : this.#word(phase)];
  }

  /** The row of a turn with those moves. */
  turn({ actor, at, event }: PackedTurn, moves: readonly NotedMove[]): PackRow {
    let parts = this.#parts.get(actor);
    if (parts === undefined) this.#parts.set(actor, (parts = new Map<string, unknown>()));
    const rows: MoveRow[] = [];
    const [who, later] = [this.#word(actor), this.#later(at)];
    const type = event === undefined ? null : this.shown(event);
    for (const move of moves) rows.push(this.#move(move, event?.type, parts));
    return [2, who, later, type, rows];
  }

  #move(
    { on, arrows, states, patch }: NotedMove,
    type: string | undefined,
    had: Map<string, unknown>,
  ): MoveRow {
    const ways = this.#list(arrows);
    const places = this.#list(states);
    const [shown, parts] = patch === undefined ? ([0, 0] as const) : this.#patch(patch, had);
    if (on !== type) return [ways, places, shown, parts, this.#word(on)];
    if (parts !== 0) return [ways, places, shown, parts];
    return shown === 0 ? [ways, places] : [ways, places, shown];
  }

  /** A patch in which parts that the pack has are there by their new fields alone, and the names of these. */
  #patch(
    patch: Readonly<Record<string, unknown>>,
    had: Map<string, unknown>,
  ): readonly [Readonly<Record<string, unknown>>, readonly Word[] | 0] {
    const shown: Record<string, unknown> = {};
    let names: Word[] | 0 = 0;
    for (const key in patch) {
      const part = patch[key];
      const changed = changedFields(had.get(key), part);
      had.set(key, part);
      shown[key] = changed ?? part;
      if (changed !== undefined) (names = names === 0 ? [] : names).push(this.#word(key));
    }
    return [this.shown(shown), names];
  }

  /** A value as it stands in a row: with references, and without secrets. */
  shown<Value extends object>(value: Value): Value {
    // Short or not, it is written as JSON, and read back as what it was.
    return this.#redactor.value(this.#short.write(value)) as Value;
  }

  /** The time since the row before. */
  #later(at: number): number {
    const later = at - this.#at;
    this.#at = at;
    return later;
  }

  #word(text: string): Word {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    const shown = this.#redactor.text(text);
    // Who reads it counts the same ones.
    if (shown.length <= LONGEST_WORD) this.#words.set(text, this.#words.size);
    return shown;
  }

  #list(ids: readonly string[]): WordList {
    const known = this.#lists.get(ids);
    if (known !== undefined) return known;
    this.#lists.set(ids, this.#lists.size);
    return this.#redactor.value(ids);
  }
}
