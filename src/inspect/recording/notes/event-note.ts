import type { EventBody, RuntimeEvent } from '../../../contracts/events/event.ts';
import type { NotedEvent } from '../../../contracts/events/noted-event.ts';
import { builtEvent } from '../../../contracts/events/noted-event.ts';
import type { NewEntry } from '../entry.ts';
import type { NotedSent, PackRow } from '../packs/pack.ts';
import type { Packer } from '../packs/packer.ts';
import type { Tableau } from '../tableau.ts';
import type { EffectStep } from './event-entries.ts';
import { countOf, effectEntries, effectType, eventEntries } from './event-entries.ts';
import type { Note } from './note.ts';

/** The run of a note: its id, and what redacts the secrets that it alone knows. */
export interface NotedRun {
  readonly runId: string;
  readonly redact: <Value>(value: Value) => Value;
}

/** The facts about an event beside its parts. */
interface NotedExtras {
  readonly sent: NotedSent | undefined;
  readonly firstMs: number | undefined;
  readonly steps: readonly EffectStep[];
}

/** An event as its log has it: it is built, and its secrets are looked for, when it is read. */
export class EventNote implements Note {
  readonly count: number;
  readonly #run: NotedRun;
  readonly #noted: NotedEvent;
  readonly #sent: NotedSent | undefined;
  readonly #firstMs: number | undefined;
  readonly #steps: readonly EffectStep[];

  constructor(run: NotedRun, noted: NotedEvent, { sent, firstMs, steps }: NotedExtras) {
    this.#run = run;
    this.#noted = noted;
    this.#sent = sent;
    this.#firstMs = firstMs;
    this.#steps = steps;
    let count = noted.body.type === 'phase.entered' ? 0 : 1;
    if (steps.length > 0) {
      const on = effectType(noted.body);
      for (const step of steps) count += countOf(step, on);
    }
    this.count = count;
  }

  entries(): readonly NewEntry[] {
    const event = builtEvent(this.#run.runId, { ...this.#noted, body: this.#shownBody() });
    const sent = this.#shownSent();
    // With what its model was sent it is still an event of its type.
    const whole = sent === undefined ? event : ({ ...event, ...sent } as RuntimeEvent);
    return eventEntries({ event: whole, firstMs: this.#firstMs, steps: this.#steps });
  }

  fold(tableau: Tableau, place: number): void {
    const end = place + this.count;
    // That something was published changes nobody.
    tableau.length = end;
    if (this.#steps.length === 0) return;
    const { runId: run } = this.#run;
    const { seq, moment } = this.#noted;
    const about = { run, owner: `${run}/${moment.path}`, at: moment.at, seq };
    const effects = effectEntries(this.#steps, about, this.#shownBody());
    let n = end - effects.length;
    for (const entry of effects) tableau.take(entry, n++);
  }

  row(packer: Packer): PackRow {
    const { seq, moment } = this.#noted;
    const about = packer.moment(this.#run.runId, moment);
    const body = packer.shown(this.#shownBody());
    const [steps, firstMs] = [this.#steps, this.#firstMs];
    const given = this.#shownSent();
    const sent = given === undefined ? 0 : packer.shown(given);
    if (firstMs !== undefined) return [1, seq, about, body, steps, sent, firstMs];
    if (sent !== 0) return [1, seq, about, body, steps, sent];
    return steps.length === 0 ? [1, seq, about, body] : [1, seq, about, body, steps];
  }

  #shownBody(): EventBody {
    const { body } = this.#noted;
    const shown = this.#run.redact(body);
    // Only texts in it changed.
    return shown === body ? body : ({ ...shown, type: body.type } as EventBody);
  }

  #shownSent(): NotedSent | undefined {
    return this.#sent && this.#run.redact(this.#sent);
  }
}
