/** Stored runs of this process whose actors were stopped, until their stores are free to give them to others. */
const leavingRuns = new Map<string, Promise<void>>();

/** Registers a stored run as being left until `left` is settled. */
export const leave = (runId: string, left: Promise<void>): void => {
  leavingRuns.set(runId, left);
  const over = (): void => {
    if (leavingRuns.get(runId) === left) leavingRuns.delete(runId);
  };
  left.then(over, over);
};

/** Waits until this process has left a stored run: an actor that is restored at once finds it free. */
export const untilLeft = async (runId: string): Promise<void> => leavingRuns.get(runId);
