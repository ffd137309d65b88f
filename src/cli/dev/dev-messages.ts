import * as z from 'zod';
import { breakpointSchema } from '../../inspect/recording/breakpoint.ts';

const run = z.string();

/** Parses a message of a process that `troupe dev` started. */
export const reportSchema = z.union([
  /** It cannot be loaded, or failed. */
  z.object({
    failed: z.string(),
    /** The line that the error names, where it is known. */
    place: z.object({ file: z.string(), line: z.int().positive() }).optional(),
    /** True if a file could not be parsed, and which one is not known. */
    isUnparsed: z.boolean().optional(),
  }),
  /** Its definition is loaded, and waits for its turn. */
  z.object({ isLoaded: z.literal(true) }),
  /** The run of the INPUT has begun, or has ended. */
  z.object({ begun: run }),
  z.object({ ended: run }),
  /** A run that its definition does not continue, and the reason. */
  z.object({ held: run, reason: z.string() }),
  /** A run that its definition continues: of what is on record, nothing is different. */
  z.object({ continued: run }),
  /** It has suspended its runs. */
  z.object({
    left: z.array(run),
    /** Of all runs, and of those that have their own. */
    breakpoints: z.array(z.object({ run: run.optional(), breakpoints: z.array(breakpointSchema) })),
  }),
  // As Node reports to its own `--watch`; what is loaded by its addresses only, a `require` by its file.
  z.object({ 'watch:import': z.array(z.string()) }),
  z.object({ 'watch:require': z.array(z.string()) }),
]);

/** A message of a process that `troupe dev` started. */
export type Report = z.infer<typeof reportSchema>;

/** The runs that a process leaves to the next. */
export type LeftRuns = Extract<Report, { readonly left: unknown }>;

/** Parses a message of `troupe dev` to a process whose definition is loaded. */
export const orderSchema = z.union([
  z.object({
    /** The run of the INPUT that it is to resume; null: it is run anew. */
    main: run.nullable(),
    /** The other runs that it is to resume. */
    others: z.array(run),
    breakpoints: z.array(z.object({ run: run.optional(), breakpoints: z.array(breakpointSchema) })),
  }),
  /** It is to suspend its runs; the time that work under way has for that, in ms. */
  z.object({ suspendWithinMs: z.number() }),
]);

/** A message of `troupe dev` to such a process. */
export type Order = z.infer<typeof orderSchema>;

/** The order to begin. */
export type Begin = Extract<Order, { readonly main: unknown }>;
