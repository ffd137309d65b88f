import type { Json } from '../../base/json/json.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Property, Violation } from '../../contracts/properties/property.ts';

/** The states of several properties, in their order. */
export type PropertyStates = readonly Json[];

/** The states before any event. */
export const initialStates = (properties: readonly Property[]): PropertyStates =>
  properties.map(({ initial }) => initial);

/** The states after an event: the same list where none changed. */
export const statesAfter = (
  properties: readonly Property[],
  states: PropertyStates,
  event: RuntimeEvent,
): PropertyStates => {
  let isSame = true;
  const after = properties.map((property, index) => {
    const before = states[index] ?? property.initial;
    const next = property.next(before, event);
    if (next !== before) isSame = false;
    return next;
  });
  return isSame ? states : after;
};

/** The violations of states, at an event. */
export const violationsIn = (
  properties: readonly Property[],
  states: PropertyStates,
  event: RuntimeEvent,
): readonly Violation[] => {
  const isOver = event.type === 'run.ended';
  return properties.flatMap((property, index) => {
    const reason = property.violation(states[index] ?? property.initial, isOver);
    return reason === undefined ? [] : [violationAt(property.name, reason, event)];
  });
};

/**
 * Follows the events of one run by properties.
 *
 * I1 Its states are a fold over the events alone: a resumed run has them again.
 * I2 A call that is on record has begun: its repetition after a crash, under its key, is not another one.
 */
export class PropertyMonitor {
  readonly #properties: readonly Property[];
  readonly #violated = new Set<string>();
  readonly #begun = new Set<string>();
  #states: PropertyStates;

  constructor(properties: readonly Property[]) {
    this.#properties = properties;
    this.#states = initialStates(properties);
  }

  /** Takes the next event; returns the properties that it violates, each once. */
  take(event: RuntimeEvent): readonly Violation[] {
    const call = callOf(event);
    if (call !== undefined && this.#begun.has(call)) return [];
    if (call !== undefined) this.#begun.add(call);
    const after = statesAfter(this.#properties, this.#states, event);
    const isJudged = after !== this.#states || event.type === 'run.ended';
    this.#states = after;
    if (!isJudged) return [];
    const fresh = violationsIn(this.#properties, after, event).filter(
      ({ rule }) => !this.#violated.has(rule),
    );
    for (const { rule } of fresh) this.#violated.add(rule);
    return fresh;
  }

  /** The first violation that an event would be, without taking it. */
  wouldViolate(event: RuntimeEvent): Violation | undefined {
    const call = callOf(event);
    if (call !== undefined && this.#begun.has(call)) return undefined;
    const after = statesAfter(this.#properties, this.#states, event);
    return violationsIn(this.#properties, after, event)[0];
  }
}

/** The start of an attempt of a call. */
const callOf = (event: RuntimeEvent): string | undefined =>
  event.type === 'tool.started' ? `${event.path} ${event.callId} ${event.attempt}` : undefined;

const violationAt = (rule: string, reason: string, event: RuntimeEvent): Violation => ({
  rule,
  reason,
  seq: event.seq,
  event: event.type,
  path: event.path,
  agent: event.agent,
  ...(event.step === undefined ? {} : { step: event.step }),
  ...('tool' in event && typeof event.tool === 'string' ? { tool: event.tool } : {}),
});
