import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { StoreIdentity } from '../contracts/journal.ts';

/** This process, to one store: another one to each. */
export const processIdentity = (): StoreIdentity => ({ holder: processHolder(), isGone: isProcessGone });

/**
 * A name for this process as the holder of leases: its host, its process id, and something unique, joined by `:`.
 *
 * Each call gives another name.
 *
 * @example
 * processHolder() // => 'ada.local:4711:0b0e6c2a'
 */
export const processHolder = (): string => `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

/**
 * Checks whether the process that a holder's name stands for is known to be gone: it was on this host, and nobody has its process id.
 *
 * `false` where nobody can know: on another host, or when the id was given to another process since.
 *
 * @example
 * await store.acquire('r1', { holder: processHolder(), ttlMs: 30_000, now: Date.now(), isGone: isProcessGone });
 */
export const isProcessGone = (holder: string): boolean => {
  const [, host, id] = /^(.*):(\d+):[^:]*$/.exec(holder) ?? [];
  if (host !== hostname() || id === undefined) return false;
  try {
    // Signal 0 only asks.
    process.kill(Number(id), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
};
