import type { EventChoice } from './event-pattern.ts';
import { speakingOf } from './property-choices.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import type { Property } from '../../contracts/properties/property.ts';
import { aText, optionsSchema } from '../../base/schemas/option-schemas.ts';
import { onDemand } from '../../base/on-demand.ts';

/** A property that can be given another name. */
export interface NamedProperty extends Property {
  /** The same property by another name: that of a violation, and of the rule that denies a call. */
  named(name: string): NamedProperty;
}

/** Makes a property that can be renamed, and that speaks of some events. */
export const nameable = (property: Property, said: readonly EventChoice[] = []): NamedProperty => {
  const { name, initial } = property;
  const made = Object.freeze({
    name,
    initial,
    next: (...given: Parameters<Property['next']>) => property.next(...given),
    violation: (...given: Parameters<Property['violation']>) => property.violation(...given),
    named: (other: string) => {
      checkOptions(
        nameSchema(),
        { name: other },
        { code: 'policy.invalid', owner: `the property '${name}'` },
      );
      return nameable({ ...property, name: other }, said);
    },
  });
  return speakingOf(made, said);
};

const nameSchema = onDemand(() => optionsSchema<{ name: string }>({ name: aText(1) }));
