/** What `work` costs, in ms of the processor: however much else the machine does, another count than the time on the wall. */
export const processorTime = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};
