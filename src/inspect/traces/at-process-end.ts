/** Something that has to be done before the process is gone; it cannot wait for anything. */
interface Ending {
  endAtOnce(): void;
}

const endings = new Set<Ending>();

const endAll = (): void => {
  for (const ending of endings) ending.endAtOnce();
};

/** Whatever is in it when the process ends is told so: one listener for all, and none while there is nothing. */
export const atProcessEnd = {
  add: (ending: Ending): void => {
    if (endings.size === 0) process.once('exit', endAll);
    endings.add(ending);
  },
  delete: (ending: Ending): void => {
    if (endings.delete(ending) && endings.size === 0) process.removeListener('exit', endAll);
  },
};
