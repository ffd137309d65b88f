import * as z from 'zod/mini';
import type { Json } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import { inEnglish } from '../../base/schemas/in-english.ts';

const text = onDemand(() => inEnglish(z.string().check(z.trim(), z.minLength(1))));

/** A JSON value that is there: `z.json()` alone would let a missing one pass for null. */
export const jsonSchema = onDemand((): z.ZodMiniType<Json> => z.json());

const wantedCallSchema = onDemand(() =>
  z.union([
    z.pipe(
      text(),
      z.transform((tool): { tool: string; input?: Json | undefined; by?: string | undefined } => ({ tool })),
    ),
    z.strictObject({ tool: text(), input: z.optional(jsonSchema()), by: z.optional(text()) }),
  ]),
);

/** A call of a tool that is expected of a run: what its input has to contain, and by which agent. */
export type WantedCall = z.output<ReturnType<typeof wantedCallSchema>>;

/** The schema of a case: one row of a dataset. */
export const evalCaseSchema = onDemand(() =>
  z.strictObject({
    id: z.optional(text()),
    input: jsonSchema(),
    /** The right answer, as far as there is one. */
    expected: z.optional(jsonSchema()),
    /** An answer on record, which is graded in place of a run. */
    output: z.optional(jsonSchema()),
    /** Calls that are expected, in order. */
    calls: z.optional(z.array(wantedCallSchema())),
    /** The judgement of a person on `output`, or on the recorded run: true if it is good. */
    label: z.optional(z.boolean()),
    /** The same for evaluators by name, where people judged by several criteria. */
    labels: z.optional(z.record(z.string(), z.boolean())),
    tags: z.optional(z.array(text())),
    metadata: z.optional(z.record(z.string(), jsonSchema())),
  }),
);

/** A case as it is read: with an id. */
export type EvalCase = Omit<z.output<ReturnType<typeof evalCaseSchema>>, 'id'> & { readonly id: string };

/** A case as it is written. */
export type EvalCaseInput = z.input<ReturnType<typeof evalCaseSchema>>;
