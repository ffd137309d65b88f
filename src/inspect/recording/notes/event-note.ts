import type { EventBody, RuntimeEvent } from '../../../contracts/events/event.ts';
import type { NotedEvent } from '../../../contracts/events/noted-event.ts';
import { builtEvent } from '../../../contracts/events/noted-event.ts';
import type { RawAnswer, SentRequest } from '../../../contracts/models/sent-request.ts';
import type { NewEntry } from '../entry.ts';
import type { PackRow } from '../packs/pack.ts';
import type { Packer } from '../packs/packer.ts';
import type { Tableau } from '../tableau.ts';
import type { EffectStep } from './event-entries.ts';
import { countOf, effectType, eventEntries } from './event-entries.ts';
import type { Note } from './note.ts';

/** The run of a note: its id, and what redacts the secrets that it alone knows. */
export interface NotedRun {
  readonly runId: string;
  readonly redact: <Value>(value: Value) => Value;
}

/** What an event says beside its parts. */
export interface EventExtras {
  /** What its model was sent, or gave. */
  readonly sent?:
    | { readonly request?: SentRequest | undefined; readonly raw?: RawAnswer | undefined }
    | undefined;
  readonly firstMs?: number | undefined;
  readonly steps: readonly EffectStep[];
}

/** An event as its log has it: it is built, and its secrets are looked for, when it is read. */
export class EventNote implements Note {
  readonly count: number;
  readonly #run: NotedRun;
  readonly #noted: NotedEvent;
  readonly #extras: EventExtras;

  constructor(run: NotedRun, noted: NotedEvent, extras: EventExtras) {
    const { type } = noted.body;
    this.#run = run;
    this.#noted = noted;
    this.#extras = extras;
    let count = type === 'phase.entered' ? 0 : 1;
    const { steps } = extras;
    if (steps.length > 0) {
      const on = effectType(noted.body);
      for (const step of steps) count += countOf(step, on);
    }
    this.count = count;
  }

  entries(): readonly NewEntry[] {
    const { firstMs, steps, sent } = this.#extras;
    const event = builtEvent(this.#run.runId, { ...this.#noted, body: this.#body });
    // With what its model was sent it is still an event of its type.
    const whole = sent === undefined ? event : ({ ...event, ...this.#run.redact(sent) } as RuntimeEvent);
    return eventEntries({ event: whole, firstMs, steps });
  }

  fold(tableau: Tableau, place: number): void {
    // That something was published changes nobody.
    if (this.#extras.steps.length === 0) tableau.length = place + this.count;
    else for (const [nth, entry] of this.entries().entries()) tableau.take(entry, place + nth);
  }

  row(packer: Packer): PackRow {
    const { firstMs, steps, sent } = this.#extras;
    return packer.event(
      this.#run.runId,
      { ...this.#noted, body: this.#body },
      {
        ...(sent === undefined ? undefined : this.#run.redact(sent)),
        ...(firstMs === undefined ? undefined : { firstMs }),
        ...(steps.length === 0 ? undefined : { steps }),
      },
    );
  }

  get #body(): EventBody {
    const { body } = this.#noted;
    const shown = this.#run.redact(body);
    // Only texts in it changed.
    return shown === body ? body : ({ ...shown, type: body.type } as EventBody);
  }
}
