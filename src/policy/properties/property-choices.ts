import type { Property } from '../../contracts/properties/property.ts';
import type { EventChoice } from './event-pattern.ts';

/** The events that properties speak of, beside the properties: an automaton does not tell them. */
const choices = new WeakMap<Property, readonly EventChoice[]>();

/** Registers what a property speaks of; returns it. */
export const speakingOf = <Given extends Property>(property: Given, said: readonly EventChoice[]): Given => {
  choices.set(property, said);
  return property;
};

/** The events that a property speaks of, as far as they are known: an automaton of an app's own has none. */
export const choicesOf = (property: Property): readonly EventChoice[] => choices.get(property) ?? [];
