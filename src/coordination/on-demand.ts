/**
 * What makes a chart when it is first asked for, and gives that one from then on: whoever imports all patterns pays for those that it
 * uses.
 */
export const onDemand = <Made>(make: () => Made): (() => Made) => {
  let made: Made | undefined;
  return () => (made ??= make());
};
