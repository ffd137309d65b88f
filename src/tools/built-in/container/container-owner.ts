import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** This machine in names and labels, which take no others than plain characters. */
export const hostMark = (): string => createHash('sha256').update(hostname()).digest('hex').slice(0, 12);

/** A new name for a container, by which its owner is known: the host, the process, and when that started. */
export const newContainerName = (): string =>
  ['troupe', hostMark(), process.pid, startOf(process.pid), randomUUID().slice(0, 8)].join('-');

/** True if a container has an owner on this host that is gone. */
export const isOrphan = (name: string): boolean => {
  const [, host, id, start] = /^troupe-([0-9a-f]+)-(\d+)-(\d+)-[0-9a-f]+$/.exec(name) ?? [];
  if (host !== hostMark() || id === undefined || start === undefined) return false;
  if (!isAlive(Number(id))) return true;
  // Its number may be another process's by now, also ours: the first process of a container always has the same.
  return startOf(Number(id)) !== start;
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
};

/** Field of `/proc/<pid>/stat` after the name, which may contain anything: ticks from the start of the system. */
const STARTED = 19;

/** The start of a process; 0 where that cannot be read. */
const startOf = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[STARTED] ?? '0';
  } catch {
    return '0';
  }
};
