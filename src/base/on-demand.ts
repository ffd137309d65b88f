/**
 * Makes a value on first use and caches it: an import pays for no chart and no schema, a run only for those that it
 * uses.
 *
 * @example
 * const schema = onDemand(() => z.object({ name: z.string() }));
 * schema().parse({ name: 'Ada' });
 */
export const onDemand = /* @__NO_SIDE_EFFECTS__ */ <Made>(make: () => Made): (() => Made) => {
  let made: Made | undefined;
  return () => (made ??= make());
};
