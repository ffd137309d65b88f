import type * as z from 'zod';
import type { OptionSchema, OptionShape } from '../../base/schemas/option-schemas.ts';
import { optional, optionsSchema } from '../../base/schemas/option-schemas.ts';
import { teamShape } from '../../runtime/define/team-schema.ts';
import type { TeamSetup } from '../../runtime/define/team.ts';

/** One schema for each option of a pattern's own, of which none is forgotten. */
export const setupShape = <Setup extends object>(
  shape: OptionShape<Omit<Setup, keyof TeamSetup>>,
): Readonly<Record<string, z.core.$ZodType>> => ({ ...shape });

/**
 * The schema of a pattern's setup: the options of its own, beside those that every team has.
 *
 * Each may be left out: who and what is needed the pattern says itself, and better (`check.asked`).
 */
export const setupSchema = (shape: Readonly<Record<string, z.core.$ZodType>>): OptionSchema => {
  const leaves = Object.entries<z.core.$ZodType>({ ...teamShape(), ...shape });
  return optionsSchema<Record<string, unknown>>(
    Object.fromEntries(leaves.map(([option, schema]) => [option, optional(schema)])),
  );
};
