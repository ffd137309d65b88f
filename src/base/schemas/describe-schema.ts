import * as z from 'zod/mini';

/** A copy of a schema with a description for models. */
export const describeSchema = <Described extends z.core.$ZodType>(
  schema: Described,
  description: string,
): Described => {
  const copy = z.clone(schema);
  z.globalRegistry.add(copy, { description });
  return copy;
};
