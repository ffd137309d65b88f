import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** The variable that marks what a command starts, so that it is found again when it has left the command's process group. */
export const MARK = 'TROUPE_COMMAND';

/** A process may start another between two looks, and takes a while to end: so often is looked again. */
const MAX_LOOKS = 200;

/** Before looking again at a process that has to end, in ms: it needs its turn of the processor. */
const PAUSE_MS = 5;

/**
 * Kills every process that has this mark among its variables, also one in a separate session (`setsid`, a daemon), and waits until none is
 * left that runs.
 *
 * It is read in `/proc`, so on Linux only; see {@link ProcessTree} for what is done elsewhere. A process that cleared its variables is not found.
 */
export const killMarked = async (mark: string): Promise<void> => {
  const others = new Set<string>();
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    // What was started meanwhile by a process that ended meanwhile is new: it is over only when nothing is new.
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

/** Fields of `/proc/<pid>/stat` behind the name, which may hold anything. */
const STATE = 0;
const FLAGS = 6;
const VARIABLES_END = 48;
const IS_OF_KERNEL = 0x0020_0000;

const memoryKindOf = async (pid: string): Promise<Kind> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  if (stat === '') return 'other';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isOver = fields[STATE] === 'Z' || fields[STATE] === 'X';
  const isOfKernel = (Number(fields[FLAGS]) & IS_OF_KERNEL) !== 0;
  // One that was started with no variables at all has a place for them, an empty one.
  return isOver || isOfKernel || fields[VARIABLES_END] !== '0' ? 'other' : 'open';
};

const kill = (pid: string): void => {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It is gone already.
  }
};
