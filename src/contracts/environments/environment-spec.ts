import * as z from 'zod/mini';
import { onDemand } from '../../base/on-demand.ts';

/** An environment as data, for a task that names one: `{ type: 'host', root: '/srv/work' }`. */
export const environmentSpecSchema = onDemand(() =>
  z.looseObject({ type: z.string().check(z.trim(), z.minLength(1)) }),
);

/** See {@link environmentSpecSchema}. */
export type EnvironmentSpec = z.infer<ReturnType<typeof environmentSpecSchema>>;
