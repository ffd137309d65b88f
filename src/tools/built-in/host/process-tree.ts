import { execFile } from 'node:child_process';
import { systemClock } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';

/** A process as a list of all of them has it. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
}

/** Lists the processes of this machine; none where it cannot. */
export type ProcessLister = () => Promise<readonly ListedProcess[]>;

/** The tools for watching a process tree. */
export interface TreeWatch {
  readonly list: ProcessLister;
  readonly kill: (pid: number) => void;
  readonly clock: Clock;
}

/** First and longest interval between two scans of a running command, in ms. */
const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 1_000;

/** Maximum number of scans for processes started between two scans. */
const MAX_LOOKS = 50;

/**
 * The process tree of a command, by parent ids, for systems without `/proc`.
 *
 * A process list no longer shows the parent once it has ended, so it is read repeatedly while the command runs: a
 * process that moves to a session of its own is then known. One that was started and orphaned between two scans is
 * missed: 20 ms at the start of a command, a second at most.
 */
export class ProcessTree {
  readonly #watch: TreeWatch;
  readonly #known = new Set<number>();
  #everyMs = FIRST_LOOK_MS;
  #timer: unknown;
  #isOver = false;

  constructor(root: number, watch: TreeWatch) {
    this.#watch = watch;
    this.#known.add(root);
    this.#arm();
  }

  /** Kills all known processes of the tree, and those that they start meanwhile, until none is left. */
  async kill(): Promise<void> {
    this.stop();
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      await this.#look();
      if (this.#known.size === 0) return;
      for (const pid of this.#known) this.#watch.kill(pid);
    }
  }

  /** Stops scanning. */
  stop(): void {
    this.#isOver = true;
    this.#watch.clock.clearTimeout(this.#timer);
  }

  #arm(): void {
    this.#timer = this.#watch.clock.setTimeout(() => {
      this.#everyMs = Math.min(LAST_LOOK_MS, this.#everyMs * 2);
      void this.#look().then(() => {
        if (!this.#isOver) this.#arm();
      });
    }, this.#everyMs);
  }

  /** Adds children of known processes, and forgets ended ones: their numbers may be reused soon. */
  async #look(): Promise<void> {
    const all = await this.#watch.list().catch((): readonly ListedProcess[] => []);
    const there = new Set(all.map(({ pid }) => pid));
    const children = childrenIn(all);
    // Iterating over a set includes entries added meanwhile.
    for (const pid of this.#known) for (const child of children.get(pid) ?? []) this.#known.add(child);
    for (const pid of this.#known) if (!there.has(pid)) this.#known.delete(pid);
  }
}

const childrenIn = (all: readonly ListedProcess[]): ReadonlyMap<number, readonly number[]> => {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of all) {
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [pid]);
    else known.push(pid);
  }
  return children;
};

/** Of a list of many thousand processes. */
const MOST_BYTES = 4_000_000;
const LIST_MS = 5_000;

/** Lists by `ps`, as every POSIX system has it; a process that is over and only not yet collected is left out. */
export const listByPs: ProcessLister = () =>
  new Promise((resolve) => {
    const options = { timeout: LIST_MS, maxBuffer: MOST_BYTES, env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' } };
    execFile('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'state='], options, (error, stdout) => {
      resolve(error === null ? parseProcesses(stdout) : []);
    });
  });

const parseProcesses = (text: string): readonly ListedProcess[] =>
  text.split('\n').flatMap((line) => {
    const [pid, parent, state] = line.trim().split(/\s+/);
    if (pid === undefined || parent === undefined || state?.startsWith('Z') === true) return [];
    return /^\d+$/.test(pid) && /^\d+$/.test(parent) ? [{ pid: Number(pid), parent: Number(parent) }] : [];
  });

/** Watches the tree of a command by `ps`. */
export const treeByPs = (root: number): ProcessTree =>
  new ProcessTree(root, {
    list: listByPs,
    kill: (pid) => {
      if (pid === process.pid) return;
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It is gone already.
      }
    },
    clock: systemClock,
  });
