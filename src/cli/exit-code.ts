/** How the command ends, as its help says. */
export const exitCode = {
  answered: 0,
  /** The run failed, or stopped without an answer. */
  unanswered: 1,
  /** What was asked for makes no sense, or is not there. */
  usage: 2,
  /** Left while it waits for somebody, or long: it can be gone on with. As BSD's sysexits have it: try again later. */
  parked: 75,
  /** Ctrl-C, as shells have it: 128 and the number of the signal. */
  aborted: 130,
} as const;
