import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Variable that marks the processes of a command, so that they are found even outside its process group. */
export const MARK = 'TROUPE_COMMAND';

/** Maximum number of scans: a process may start another between two scans, and takes a while to end. */
const MAX_LOOKS = 200;

/** Pause before the next scan, in ms: an ending process needs processor time. */
const PAUSE_MS = 5;

/**
 * Kills every process that has this mark among its variables, also one in a separate session (`setsid`, a daemon), and waits until none is
 * left that runs.
 *
 * It is read from `/proc`, so on Linux only; see {@link ProcessTree} for other systems. A process that cleared its variables is not found.
 */
export const killMarked = async (mark: string): Promise<void> => {
  const others = new Set<string>();
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    // A process that ended meanwhile may have started a new one: it is over only when nothing is new.
    const pids = (await processes()).filter((pid) => !others.has(pid));
    if (pids.length === 0) return;
    const kinds = await Promise.all(pids.map(async (pid) => kindOf(pid, `${MARK}=${mark}`)));
    for (const [index, pid] of pids.entries())
      if (kinds[index] === 'marked') kill(pid);
      else if (kinds[index] === 'other') others.add(pid);
    if (kinds.some((kind) => kind !== 'other')) await pause(PAUSE_MS);
  }
};

/** True if processes can be found by their marks here. */
export const hasMarks = existsSync('/proc/self/environ');

const processes = async (): Promise<readonly string[]> => {
  const names = await readdir('/proc').catch((): string[] => []);
  return names.filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
};

/** `open` is a process that shows no variables now: it is just being replaced by another program, which will have them, or about to end. */
type Kind = 'marked' | 'open' | 'other';

const kindOf = async (pid: string, entry: string): Promise<Kind> => {
  const variables = await readFile(`/proc/${pid}/environ`, 'latin1').catch(codeOf);
  if (typeof variables === 'object') return variables.code === 'ESRCH' ? memoryKindOf(pid) : 'other';
  if (variables === '') return memoryKindOf(pid);
  return variables.split('\0').includes(entry) ? 'marked' : 'other';
};

const codeOf = (thrown: unknown): { readonly code: unknown } => ({
  code: thrown instanceof Error && 'code' in thrown ? thrown.code : undefined,
});

/** Fields of `/proc/<pid>/stat` after the name, which may contain anything. */
const STATE = 0;
const FLAGS = 6;
const VARIABLES_START = 47;
const VARIABLES_END = 48;
const IS_OF_KERNEL = 0x0020_0000;

const memoryKindOf = async (pid: string): Promise<Kind> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  if (stat === '') return 'other';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isOver = fields[STATE] === 'Z' || fields[STATE] === 'X';
  const isOfKernel = (Number(fields[FLAGS]) & IS_OF_KERNEL) !== 0;
  // A process started without any variables has an empty block for them. A block that is not empty is that of a program that
  // has just replaced the one whose variables could not be read: the next scan reads them.
  const start = fields[VARIABLES_START];
  const isEmpty = start !== '0' && start === fields[VARIABLES_END];
  return isOver || isOfKernel || isEmpty ? 'other' : 'open';
};

const kill = (pid: string): void => {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It is gone already.
  }
};
