import { readdir, readFile } from 'node:fs/promises';

/** The variable that marks what a command starts, so that it is found again when it has left the command's process group. */
export const MARK = 'TROUPE_COMMAND';

/** A process may start another between a look and its end: so often is looked again. */
const MAX_ROUNDS = 20;

/**
 * Kills every process that has this mark among its variables, also one in a session of its own (`setsid`, a daemon): until none is left.
 *
 * It is read in `/proc`, so on Linux only; elsewhere the process group is all that is killed. A process that cleared its variables is not found.
 */
export const killMarked = async (mark: string): Promise<void> => {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await markedProcesses(`${MARK}=${mark}`);
    if (found.length === 0) return;
    for (const pid of found) kill(pid);
  }
};

const markedProcesses = async (entry: string): Promise<number[]> => {
  const names = await readdir('/proc').catch((): string[] => []);
  const pids = names.filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const marked = await Promise.all(
    pids.map(async (pid) => {
      // Of a process of somebody else, or one that is over, nothing can be read.
      const variables = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return variables.split('\0').includes(entry) ? [Number(pid)] : [];
    }),
  );
  return marked.flat();
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
};
