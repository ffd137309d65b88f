import * as z from 'zod/mini';
import type { ProgramEnd } from './program.ts';

/** The schema of a program's code. */
export const inputSchema = z.object({ code: z.string() });

const consoleSchema = z.array(z.string());

/** The schema of the end of a program. An output is there or not: `exactOptional` is younger than the oldest Zod that is supported. */
export const endSchema: z.ZodMiniType<ProgramEnd, ProgramEnd> = z.union([
  z.object({ ok: z.literal(true), output: z.json(), console: consoleSchema }),
  z.object({ ok: z.literal(true), console: consoleSchema }),
  z.object({ ok: z.literal(false), error: z.string(), console: consoleSchema }),
]);
