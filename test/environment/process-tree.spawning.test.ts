import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import type { ListedProcess } from '../../src/tools/built-in/host/process-tree.ts';
import { listByPs, ProcessTree, treeByPs } from '../../src/tools/built-in/host/process-tree.ts';
import { spawnCaptured } from '../../src/tools/built-in/host/spawn.ts';
import { isThorough } from '../support/thorough.ts';

/** A machine whose processes are numbers: who is killed is gone, and its children are those of process 1. */
const machineOf = (...started: readonly (readonly [pid: number, parent: number])[]) => {
  const running = new Map<number, number>(started);
  const killed: number[] = [];
  const end = (pid: number): void => {
    running.delete(pid);
    for (const [child, parent] of running) if (parent === pid) running.set(child, 1);
  };
  let looks = 0;
  let onLook = (_look: number): void => undefined;
  return {
    killed,
    end,
    start: (pid: number, parent: number): void => void running.set(pid, parent),
    watching: (work: (look: number) => void): void => {
      onLook = work;
    },
    looks: () => looks,
    watch: {
      list: (): Promise<readonly ListedProcess[]> => {
        onLook((looks += 1));
        return Promise.resolve([...running].map(([pid, parent]) => ({ pid, parent })));
      },
      kill: (pid: number): void => {
        killed.push(pid);
        end(pid);
      },
    },
  };
};

describe('what a command started, where there are no marks to find it by,', () => {
  test('[FIND-50] is killed with it: children, their children, and nobody else', async () => {
    const { watch, killed } = machineOf([1, 0], [10, 1], [11, 10], [12, 11], [20, 1], [21, 20]);
    const tree = new ProcessTree(10, { ...watch, clock: virtualClock(0) });
    await tree.kill();
    expect(new Set(killed)).toEqual(new Set([10, 11, 12]));
  });

  test('[FIND-50] is known from a look while it ran, also once its parents have ended', async () => {
    const clock = virtualClock(0);
    const { watch, killed, end } = machineOf([1, 0], [10, 1], [11, 10], [12, 11]);
    const tree = new ProcessTree(10, { ...watch, clock });
    await clock.advance(20);
    end(11);
    end(10);
    await tree.kill();
    expect(killed).toEqual([12]);
    expect(clock.pending).toBe(0);
  });

  test('[FIND-50] is killed, too, where it is started while others are killed', async () => {
    const { watch, killed, start, watching } = machineOf([1, 0], [10, 1], [11, 10]);
    // It starts another as soon as it is looked at, for a while.
    watching((look) => {
      if (look < 5) start(11 + look, 10 + look);
    });
    await new ProcessTree(10, { ...watch, clock: virtualClock(0) }).kill();
    expect(new Set(killed)).toEqual(new Set([10, 11, 12, 13, 14, 15]));
  });

  test('[FIND-50] is not taken for a process that has its number later', async () => {
    const clock = virtualClock(0);
    const { watch, killed, end, start } = machineOf([1, 0], [10, 1], [11, 10]);
    const tree = new ProcessTree(10, { ...watch, clock });
    await clock.advance(20);
    end(11);
    await clock.advance(2_000);
    start(11, 1);
    await tree.kill();
    expect(killed).toEqual([10]);
  });

  test('[FIND-50] is looked at ever more seldom, and not at all once it is over', async () => {
    const clock = virtualClock(0);
    const { watch, looks } = machineOf([1, 0], [10, 1]);
    const tree = new ProcessTree(10, { ...watch, clock });
    await clock.advance(60_000);
    expect(looks()).toBeLessThan(70);
    tree.stop();
    const before = looks();
    await clock.advance(60_000);
    expect(looks()).toBe(before);
    expect(clock.pending).toBe(0);
  });

  test('[FIND-50] a list that cannot be had kills nobody, and throws nothing', async () => {
    const killed: number[] = [];
    const tree = new ProcessTree(10, {
      list: () => Promise.reject(new Error('no ps')),
      kill: (pid) => killed.push(pid),
      clock: virtualClock(0),
    });
    await tree.kill();
    expect(killed).toEqual([]);
  });
});

describe.runIf(process.platform !== 'win32')('a real tree of processes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-tree-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('[FIND-50] ps lists this process under its parent', async () => {
    expect(await listByPs()).toContainEqual({ pid: process.pid, parent: process.ppid });
  });

  if (isThorough)
    test.runIf(process.platform === 'linux')(
      '[FIND-50] what leaves for a session of its own does not outlive the call, found by ps alone',
      async () => {
        const file = join(folder, 'pid');
        // The command runs until it has been looked at, by its own time: a child that clears its variables has no mark.
        const script = `setsid env -i sh -c 'echo $$ > ${file}; exec sleep 1000' </dev/null >/dev/null 2>&1 & wait`;
        const run = spawnCaptured({
          file: '/bin/sh',
          args: ['-c', script],
          env: { PATH: '/bin:/usr/bin' },
          timeoutMs: 3_000,
          maxOutputBytes: 1_000,
          treeOf: treeByPs,
        });
        expect((await run).isTimedOut).toBe(true);
        const pid = Number(readFileSync(file, 'utf8'));
        expect((await listByPs()).map((each) => each.pid)).not.toContain(pid);
      },
    );
});
