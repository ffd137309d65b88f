/** Looks like an agent, starts, and hears no abort. */
export default {
  name: 'deaf',
  run: () => new Promise(() => undefined),
  stream: () => {
    process.stderr.write('deaf is at work\n');
    setInterval(() => undefined, 1_000);
    return { events$: { subscribe: () => undefined }, result: new Promise(() => undefined) };
  },
  diagram: () => 'stateDiagram-v2',
};
