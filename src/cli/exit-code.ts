/** Exit codes of the command, as in its help. */
export const exitCode = {
  answered: 0,
  /** The run failed, or stopped without an answer. */
  unanswered: 1,
  /** Invalid command line, or a missing file or run. */
  usage: 2,
  /** Parked while it waits for a person, or for long; resumable. As in BSD's sysexits: try again later. */
  parked: 75,
  /** Ctrl-C, as shells have it: 128 and the number of the signal. */
  aborted: 130,
} as const;
