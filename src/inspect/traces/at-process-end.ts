/** Work for the end of the process: synchronous, as nothing is waited for. */
interface Ending {
  endAtOnce(): void;
}

const endings = new Set<Ending>();

const endAll = (): void => {
  for (const ending of endings) ending.endAtOnce();
};

/** Notifies its members when the process ends: one listener for all, and none while there are none. */
export const atProcessEnd = {
  add: (ending: Ending): void => {
    if (endings.size === 0) process.once('exit', endAll);
    endings.add(ending);
  },
  delete: (ending: Ending): void => {
    if (endings.delete(ending) && endings.size === 0) process.removeListener('exit', endAll);
  },
};
