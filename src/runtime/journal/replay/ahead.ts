import type { EventBody } from '../../../contracts/events/event.ts';
import type { KeptRecord } from './derived-events.ts';
import type { EventEnvelope } from './recorded-event.ts';
import { isIdenticalEvent } from './recorded-event.ts';

/** Holds back what is shown of a run, in parts. */
export interface Hold {
  /** Begins a part: what is shown from now on is in it. */
  hold(): void;
  /** Shows the oldest part. */
  release(): void;
}

interface ExpectedEvent {
  readonly body: EventBody;
  readonly place: EventEnvelope;
}

/**
 * The part of a job that a replay has run ahead of its records: a row may end in the midst of a job, which cannot stop there.
 *
 * I1 Nothing of it is shown before the records have come that it needs.
 * I2 Records confirm the events of it one by one. What else arrives among them was missed: the replay has to be repeated from the start.
 */
export class Ahead {
  readonly #hold: Hold;
  readonly #events: ExpectedEvent[] = [];
  #isHolding = false;
  #hasEvent = false;

  constructor(hold: Hold) {
    this.#hold = hold;
  }

  /** Called where the next record would be read, and there is none yet. */
  meet(): void {
    if (this.#isHolding && !this.#hasEvent) return;
    this.#isHolding = true;
    this.#hasEvent = false;
    this.#hold.hold();
  }

  /** Takes in an event that is not on record yet. */
  expect(event: ExpectedEvent): void {
    this.#hasEvent = true;
    this.#events.push(event);
  }

  /** Confirms events by the next records; returns the records behind them, or undefined if something else is on record. */
  confirm(records: readonly KeptRecord[]): readonly KeptRecord[] | undefined {
    const confirmed = records.slice(0, this.#events.length);
    for (const record of confirmed) {
      if (!isRecordOf(record, this.#events.shift())) return undefined;
      this.#hold.release();
    }
    const rest = records.slice(confirmed.length);
    if (rest.length > 0 && this.#isHolding) {
      this.#isHolding = false;
      this.#hold.release();
    }
    return rest;
  }
}

const isRecordOf = (record: KeptRecord, event: ExpectedEvent | undefined): boolean =>
  event !== undefined &&
  record.kind === 'event' &&
  record.tick === undefined &&
  record.scope === undefined &&
  isIdenticalEvent(record.event, event.body, event.place);
