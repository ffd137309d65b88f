import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { PRIVATE } from '../../persistence/private-files.ts';
import { isProcessGone, processHolder } from '../../persistence/process-holder.ts';
import { codeOf } from '../traces/trace-disk.ts';

/** The name of this process, as the holder of locks. */
const HOLDER = processHolder();

/**
 * Acquires the right to write a chain, `FILE.lock`; returns its holder where another writer has it. The lock of a process that is gone is
 * taken over.
 */
export const lockChain = (file: string): string | undefined => {
  const lock = lockOf(file);
  for (;;) {
    try {
      writeFileSync(lock, HOLDER, { flag: 'wx', mode: PRIVATE });
      return undefined;
    } catch (thrown) {
      if (codeOf(thrown) !== 'EEXIST') throw thrown;
    }
    const holder = holderOf(lock);
    if (holder !== undefined && !isGone(holder)) return holder;
    if (holder !== undefined) removeLock(lock, holder);
  }
};

/** Releases a chain. */
export const unlockChain = (file: string): void => {
  rmSync(lockOf(file), { force: true });
};

const lockOf = (file: string): string => `${file}.lock`;

const holderOf = (lock: string): string | undefined => {
  try {
    return readFileSync(lock, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
};

/** A process with the id of this one, on its host, was before it: a container gives each of its processes the same. */
const isGone = (holder: string): boolean =>
  isProcessGone(holder) || (holder !== HOLDER && processOf(holder) === processOf(HOLDER));

const processOf = (holder: string): string => holder.replace(/:[^:]*$/, '');

/** Removes the lock of a holder that is gone; one that another process took over meanwhile is put back. */
const removeLock = (lock: string, gone: string): void => {
  const aside = `${lock}~${randomUUID()}`;
  try {
    renameSync(lock, aside);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return;
    throw thrown;
  }
  if (holderOf(aside) === gone) rmSync(aside, { force: true });
  else renameSync(aside, lock);
};
