import type * as z from 'zod';

/**
 * The fields of an object schema, each made when the object is first used: zod asks for them then, and once. For schemas that a module
 * gives away, as it must not take long to load.
 *
 * @example
 * const point = z.object(fieldsOnDemand({ x: () => z.number(), y: () => z.number() }));
 */
export const fieldsOnDemand = /* @__NO_SIDE_EFFECTS__ */ <
  Makers extends Readonly<Record<string, () => z.core.$ZodType>>,
>(
  makers: Makers,
): Fields<Makers> =>
  // The compiler cannot see that each maker became a field of its name.
  Object.defineProperties(
    {},
    Object.fromEntries(Object.entries(makers).map(([name, get]) => [name, { get, enumerable: true }])),
  ) as Fields<Makers>;

type Fields<Makers extends Readonly<Record<string, () => z.core.$ZodType>>> = {
  -readonly [Name in keyof Makers]: ReturnType<Makers[Name]>;
};
