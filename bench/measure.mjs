/** The clock of all parts: CPU time of the whole process (garbage collection included), in ms. */
export const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** Options of a worker: `name=value` words. */
export const words = () => Object.fromEntries(process.argv.slice(2).map((word) => word.split('=')));

/** What a worker has to say: one line of JSON. */
export const tell = (found) => {
  process.stdout.write(`${JSON.stringify(found)}\n`);
  process.exit(0);
};
