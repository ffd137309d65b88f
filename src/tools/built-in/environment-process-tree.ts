import { execFile } from 'node:child_process';
import { systemClock } from '../../contracts/clock.ts';
import type { Clock } from '../../contracts/clock.ts';

/** A process as a list of all of them has it. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
}

/** Lists the processes of this machine; none where it cannot. */
export type ProcessLister = () => Promise<readonly ListedProcess[]>;

/** What a tree is watched with. */
export interface TreeWatch {
  readonly list: ProcessLister;
  readonly kill: (pid: number) => void;
  readonly clock: Clock;
}

/** Before the first look at the tree of a command that has begun, and the most between two, in ms. */
const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 1_000;

/** So often is looked again for what was started between two looks. */
const MAX_LOOKS = 50;

/**
 * What a command has started, by who started whom, for systems without `/proc`.
 *
 * A list shows no longer who started a process once its parent has ended, so it is looked again and again while the command runs: what
 * leaves for a session of its own is known from then on. What was started and left behind between two looks is not found: 20 ms at the
 * beginning of a command, a second at most.
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

  /** Kills all that is known of the tree, and what it starts meanwhile, until nothing of it is left. */
  async kill(): Promise<void> {
    this.stop();
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      await this.#look();
      if (this.#known.size === 0) return;
      for (const pid of this.#known) this.#watch.kill(pid);
    }
  }

  /** Does not look any more. */
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

  /** Adds what the known ones have started, and forgets who is gone: its number may be somebody else's soon. */
  async #look(): Promise<void> {
    const all = await this.#watch.list().catch((): readonly ListedProcess[] => []);
    const there = new Set(all.map(({ pid }) => pid));
    const children = childrenIn(all);
    // A set that is walked goes on to what is added.
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
      resolve(error === null ? listedIn(stdout) : []);
    });
  });

const listedIn = (text: string): readonly ListedProcess[] =>
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
