import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { StoreIdentity } from '../contracts/journals/journal.ts';

/** The identity of this process to one store; each store gets another one. */
export const processIdentity = (): StoreIdentity => ({ holder: processHolder(), isGone: isProcessGone });

/**
 * A name for this process as the holder of leases: its host, its process id, and a unique suffix, joined by `:`.
 *
 * Each call returns a new name.
 *
 * @example
 * processHolder() // => 'ada.local:4711:0b0e6c2a'
 */
export const processHolder = (): string => `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

/**
 * Checks whether the process of a holder is known to be gone: it ran on this host, and its process id is free.
 *
 * `false` if that is unknown: on another host, or if the id was reused.
 *
 * @example
 * await store.acquire('r1', { holder: processHolder(), ttlMs: 30_000, now: Date.now(), isGone: isProcessGone });
 */
export const isProcessGone = (holder: string): boolean => {
  const [, host, id] = /^(.*):(\d+):[^:]*$/.exec(holder) ?? [];
  if (host !== hostname() || id === undefined) return false;
  try {
    // Signal 0 only checks for existence.
    process.kill(Number(id), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
};
