import type { EventBody, RuntimeEvent } from '../../contracts/events/event.ts';
import { EVENT_VERSION } from '../../contracts/events/event-version.ts';
import type { Property, Violation } from '../../contracts/properties/property.ts';
import type { Output } from '../../machines/outputs.ts';
import type { PropertyStates } from '../../policy/properties/property-monitor.ts';
import { statesAfter, violationsIn } from '../../policy/properties/property-monitor.ts';
import type { Heard, Memory } from './memory.ts';

/** The id of the run of a proof. */
export const RUN = 'proof';

/** The properties of a proof. */
export interface Watched {
  /** Asserted first, then those that the policy enforces. */
  readonly properties: readonly Property[];
  readonly asserted: number;
}

/** An event that is about to be published. */
interface Said {
  readonly body: EventBody;
  readonly step?: number | undefined;
  readonly phase?: string | undefined;
}

/** The origin of events, and their time. */
interface Place {
  readonly path: string;
  readonly agent: string;
  readonly at: number;
}

/** Follows the events of one move by the properties of a proof. */
export class Audience {
  readonly violations: Violation[] = [];
  /** All of them; without a memory only. */
  readonly events: RuntimeEvent[] = [];
  readonly #watched: Watched;
  readonly #asserted: readonly Property[];
  readonly #memory: Memory | undefined;
  states: PropertyStates;
  seq: number;

  constructor(watched: Watched, states: PropertyStates, seq: number, memory: Memory | undefined) {
    const { properties, asserted } = watched;
    this.#watched = watched;
    this.#asserted = asserted === properties.length ? properties : properties.slice(0, asserted);
    this.states = states;
    this.seq = seq;
    this.#memory = memory;
  }

  /** Takes an event. Equal tokens stand for equal events of one type. */
  hear(said: Said, place: Place, token: object): void {
    const memory = this.#memory;
    if (memory === undefined) {
      this.#take([this.#eventOf(said, place)]);
      return;
    }
    if (this.#watched.properties.length === 0) return;
    const event = memory.event(token, said.body.type, () => this.#eventOf(said, place));
    this.#heard(memory.heard(event, this.states, () => this.#judge([event])));
  }

  /** Takes the events among the outputs of a turn, in their order. */
  hearTurn(outputs: readonly Output[], place: Place): void {
    const memory = this.#memory;
    if (memory === undefined) this.#take(this.#eventsIn(outputs, place));
    else if (this.#watched.properties.length > 0)
      this.#heard(memory.heard(outputs, this.states, () => this.#judge(this.#eventsIn(outputs, place))));
  }

  /** The first violation of an enforced property that an event would be. */
  wouldViolate(said: Said, place: Place): Violation | undefined {
    const { properties, asserted } = this.#watched;
    if (properties.length === asserted) return undefined;
    const event = this.#eventOf(said, place);
    const after = statesAfter(properties, this.states, event);
    return violationsIn(properties.slice(asserted), after.slice(asserted), event)[0];
  }

  #take(events: readonly RuntimeEvent[]): void {
    this.events.push(...events);
    this.seq += events.length;
    this.#heard(this.#judge(events));
  }

  #heard({ after, violations }: Heard): void {
    this.states = after;
    if (violations.length > 0) this.violations.push(...violations);
  }

  #judge(events: readonly RuntimeEvent[]): Heard {
    const { properties } = this.#watched;
    let after = this.states;
    const violations: Violation[] = [];
    for (const event of events) {
      const next = statesAfter(properties, after, event);
      if (next !== after || event.type === 'run.ended')
        violations.push(...violationsIn(this.#asserted, next, event));
      after = next;
    }
    return { after, violations };
  }

  #eventsIn(outputs: readonly Output[], place: Place): readonly RuntimeEvent[] {
    const said = outputs.flatMap((output): readonly Said[] => {
      if (output.type === 'emit') return [output];
      if (output.type !== 'enter') return [];
      const { phase, step } = output;
      return [{ body: { type: 'phase.entered', phase }, step, phase }];
    });
    return said.map((each, index) => this.#eventOf(each, place, index));
  }

  #eventOf({ body, step, phase }: Said, { path, agent, at }: Place, after = 0): RuntimeEvent {
    const frame = { v: EVENT_VERSION, seq: this.seq + after, at, runId: RUN, path, agent };
    const where = { ...(step === undefined ? {} : { step }), ...(phase === undefined ? {} : { phase }) };
    // A body with the common fields is an event of its type.
    return { ...frame, ...where, ...body } as RuntimeEvent;
  }
}
