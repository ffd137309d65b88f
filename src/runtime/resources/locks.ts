import type { Clock } from '../../base/clock.ts';
import type { EngineResource } from '../../contracts/runs/engine.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { randomId } from '../../base/random-id.ts';
import type { HeldLock, LockOptions, LockTimes } from './held-lock.ts';
import type { DefinedTool } from '../../tools/define/define-tool.ts';
import { lockedTool } from './locked-tool.ts';
import type { LockSnapshot } from './named-lock.ts';
import { NamedLock } from './named-lock.ts';
import type { ResourceOptions } from './resource-options.ts';
import { checkMs, clockOf, closedError } from './resource-options.ts';
import { abortError } from './waiting-line.ts';
import { ownerParty } from '../actors/waits.ts';

/** Named locks; see {@link locks}. */
export interface Locks extends EngineResource {
  /** Acquires a lock and holds it until it is released, its lease expires, or the signal aborts. */
  lock(name: string, options?: LockOptions): Promise<HeldLock>;
  /** Wraps a tool so that its calls hold a lock, with a fixed name or one computed from the input. */
  locked<Input>(tool: DefinedTool<Input>, name: string | ((input: Input) => string), times?: LockTimes): Tool;
  /** The locks that are held. */
  snapshot(): readonly LockSnapshot[];
  /** Rejects waiting and new requests with `resource.closed`; held locks can still be released. */
  close(): void;
}

/** Options of {@link locks}, which apply to each lock. */
export interface LocksOptions extends ResourceOptions, LockTimes {}

const DEFAULT_WAIT_MS = 30_000;
const DEFAULT_LEASE_MS = 60_000;

/**
 * Creates named locks that agents of all runs in a process share: exclusive, first come, first served, with limits on waiting and holding.
 *
 * A wait that would close a cycle (a holds x and wants y, b holds y and wants x) is refused at once with `wait.deadlock`, which names the
 * cycle; the others continue. Cycles through a question (ada holds x and asks bob, who wants x) or a child, in this run or another, are
 * detected too if a call of a run passes its `key` as the owner, as `locked` does. A lock lives in this process, within an effect: after a
 * crash it is free, an interrupted tool call is repeated or looked up under a new lock, and `fence` starts again. For locks among processes
 * use a database.
 *
 * @example
 * const files = locks();
 * const edit = files.locked(editFile, ({ path }) => path, { leaseMs: 10_000 });
 * await using held = await files.lock('report.md', { waitMs: 5_000 });
 *
 * @throws {TroupeError} `resource.invalid` for a time that bounds nothing. `lock` rejects with `lock.busy` after the longest wait,
 * with
 * `wait.deadlock`, `run.aborted` and `resource.closed`.
 */
export const locks = (options: LocksOptions = {}): Locks => new NamedLocks(options);

class NamedLocks implements Locks {
  readonly name: string;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #leaseMs: number;
  readonly #locks = new Map<string, NamedLock>();
  /** Makes owner names distinct from those of other locks. */
  readonly #scope = randomId();
  #fence = 0;
  #owners = 0;
  #isClosed = false;

  constructor(options: LocksOptions) {
    this.name = options.name ?? 'locks';
    this.#clock = clockOf(options);
    this.#waitMs = checkMs(options.waitMs ?? DEFAULT_WAIT_MS, 'waitMs', this.#what);
    this.#leaseMs = checkMs(options.leaseMs ?? DEFAULT_LEASE_MS, 'leaseMs', this.#what);
  }

  async lock(name: string, options: LockOptions = {}): Promise<HeldLock> {
    if (this.#isClosed) throw closedError(this.#what);
    if (typeof name !== 'string' || name === '')
      throw new TroupeError('resource.invalid', `Cannot lock anything as it has no name: ${String(name)}`);
    const { callers = [], priority, signal } = options;
    if (signal?.aborted === true) throw abortError(signal, `the lock '${name}'`);
    const wish = {
      owner: options.owner ?? `${name} #${(this.#owners += 1)}`,
      callers,
      priority,
      signal,
      waitMs: checkMs(options.waitMs ?? this.#waitMs, 'waitMs', `the lock '${name}'`),
      leaseMs: checkMs(options.leaseMs ?? this.#leaseMs, 'leaseMs', `the lock '${name}'`),
    };
    return (this.#locks.get(name) ?? this.#make(name)).acquire(wish);
  }

  locked<Input>(
    tool: DefinedTool<Input>,
    name: string | ((input: Input) => string),
    times: LockTimes = {},
  ): Tool {
    return lockedTool(tool, name, times, (wanted, options) => this.lock(wanted, options));
  }

  snapshot(): readonly LockSnapshot[] {
    return [...this.#locks.values()].flatMap((lock) => lock.snapshot());
  }

  close(): void {
    this.#isClosed = true;
    for (const lock of this.#locks.values()) lock.close(closedError(this.#what));
  }

  get #what(): string {
    return `the locks '${this.name}'`;
  }

  #make(name: string): NamedLock {
    const lock = new NamedLock(name, {
      clock: this.#clock,
      partyOf: (owner) => ownerParty(this.#scope, owner),
      nextFence: () => (this.#fence += 1),
      onFree: () => {
        this.#locks.delete(name);
      },
    });
    this.#locks.set(name, lock);
    return lock;
  }
}
