import { getInitialSnapshot, transition } from 'xstate';
import type { SnapshotFrom } from 'xstate';
import { isCallKey, pathInCallKey, runInCallKey } from '../../actors/acting/call-key.ts';
import type { Clock } from '../../base/clock.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { LazyAbort } from '../../base/promises/lazy-abort.ts';
import type { Priority } from '../../contracts/messages/priority.ts';
import type { Lease, LeaseEvent } from '../../machines/resources/lease-machine.ts';
import { leaseMachine } from '../../machines/resources/lease-machine.ts';
import type { Wait } from '../../machines/messages/wait-graph.ts';
import { onSignal } from '../run/shared-signal.ts';
import type { Party } from '../actors/waits.ts';
import { refusalOf, waits } from '../actors/waits.ts';
import type { HeldLock } from './held-lock.ts';
import { checkMs } from './resource-options.ts';
import type { Waiting } from './waiting-line.ts';
import { WaitingLine } from './waiting-line.ts';

/** The current state of a lock. */
export interface LockSnapshot {
  readonly name: string;
  readonly owner: string;
  readonly fence: number;
  /** End of its lease, in ms since 1970. */
  readonly until: number;
  readonly waiting: number;
}

/** A complete request for a lock. */
export interface LockRequest {
  readonly owner: string;
  readonly callers: readonly string[];
  readonly priority: Priority | undefined;
  readonly signal: AbortSignal | undefined;
  readonly waitMs: number;
  readonly leaseMs: number;
}

/** The calls that a lock needs of its environment. */
export interface LockSetting {
  readonly clock: Clock;
  /** The owner as a party of the process's wait graph. */
  readonly partyOf: (owner: string) => Party;
  readonly nextFence: () => number;
  /** Called when the lock is free and nothing waits for it. */
  readonly onFree: () => void;
}

interface Wanted {
  readonly wish: LockRequest;
  readonly lineage: readonly Wait<Party>[];
  wait: Wait<Party>;
}

/**
 * One lock: its lease machine, its waiting requests, and the holder's timer.
 *
 * I1 At most one owner holds it; each holder's fence is larger than the previous one.
 * I2 A waiting request gets the lock in order, or is refused: timed out, cancelled, closed, or the victim of a deadlock.
 */
export class NamedLock {
  readonly name: string;
  readonly #setting: LockSetting;
  readonly #line: WaitingLine<Holding, Wanted>;
  #snapshot: SnapshotFrom<typeof leaseMachine> = getInitialSnapshot(leaseMachine);
  #holding: Holding | undefined;

  constructor(name: string, setting: LockSetting) {
    this.name = name;
    this.#setting = setting;
    this.#line = new WaitingLine({
      clock: setting.clock,
      what: `the lock '${name}'`,
      late: (waitMs, { wish }) => busy(name, waitMs, holderFor(wish.owner, this.#holding?.wish.owner)),
      onLeft: () => {
        this.#move({ type: 'left' });
      },
    });
  }

  acquire(wish: LockRequest): HeldLock | Promise<HeldLock> {
    const holding = this.#holding;
    if (holding === undefined) {
      const lease = this.#leaseFor(wish);
      this.#move({ type: 'taken', lease });
      return this.#hold(wish, lease);
    }
    const wanted = this.#wantedBy(wish, holding.wish.owner);
    const { priority, waitMs, signal } = wish;
    this.#move({ type: 'joined' });
    const turn = this.#line.join(wanted, { priority, waitMs, signal });
    return turn.finally(() => {
      this.#forget(wanted);
    });
  }

  snapshot(): readonly LockSnapshot[] {
    if (this.#holding === undefined) return [];
    const { fence, until, waiting } = this.#snapshot.context;
    return [{ name: this.name, owner: this.#holding.wish.owner, fence, until, waiting }];
  }

  close(error: TroupeError): void {
    for (const waiting of this.#line) this.#refuse(waiting, error);
  }

  /** @throws `wait.deadlock` if the wait would close a cycle. */
  #wantedBy(wish: LockRequest, holder: string): Wanted {
    const { partyOf } = this.#setting;
    const wait = this.#waitFor(wish, holder);
    const callers = wish.callers.map(partyOf);
    const lineage = callers.map((who, index): Wait<Party> => ({
      who,
      on: [callers[index + 1] ?? wait.who],
      kind: 'child',
    }));
    for (const each of lineage) waits.note(each);
    const circle = waits.add(wait);
    if (circle === undefined) return { wish, lineage, wait };
    for (const each of lineage) waits.remove(each);
    throw refusalOf(circle);
  }

  #waitFor({ owner }: LockRequest, holder: string): Wait<Party> {
    const { partyOf } = this.#setting;
    return { who: partyOf(owner), on: [partyOf(holder)], kind: 'lock', what: this.name };
  }

  #forget({ wait, lineage }: Wanted): void {
    waits.remove(wait);
    for (const each of lineage) waits.remove(each);
  }

  #leaseFor({ leaseMs }: LockRequest): Lease {
    return { fence: this.#setting.nextFence(), until: this.#setting.clock.now() + leaseMs };
  }

  #hold(wish: LockRequest, { fence }: Lease): Holding {
    const holding = new Holding(this.name, wish, fence, this.#setting.clock, {
      released: () => {
        this.#over({ type: 'released', fence });
      },
      expired: () => {
        this.#over({ type: 'expired', fence, at: this.#setting.clock.now() });
      },
      renewed: (until) => {
        this.#move({ type: 'renewed', fence, until });
      },
    });
    this.#holding = holding;
    return holding;
  }

  /** Ends the lease; the first waiting request holds the lock from this moment on. */
  #over(event: Extract<LeaseEvent, { readonly next?: unknown }>): void {
    const first = this.#line.first;
    if (first === undefined) {
      this.#move(event);
      this.#holding = undefined;
      this.#setting.onFree();
      return;
    }
    const { wish } = first.about;
    const next = this.#leaseFor(wish);
    this.#move({ ...event, next });
    const holding = this.#hold(wish, next);
    this.#forget(first.about);
    this.#line.serve(holding);
    for (const waiting of this.#line) this.#waitOn(waiting, wish.owner);
  }

  /** Waiting requests now wait for the new holder. */
  #waitOn(waiting: Waiting<Wanted>, holder: string): void {
    const { about } = waiting;
    waits.remove(about.wait);
    about.wait = this.#waitFor(about.wish, holder);
    const circle = waits.add(about.wait);
    if (circle !== undefined) this.#refuse(waiting, refusalOf(circle));
  }

  #refuse(waiting: Waiting<Wanted>, error: TroupeError): void {
    this.#move({ type: 'left' });
    this.#line.refuse(waiting, error);
  }

  #move(event: LeaseEvent): void {
    [this.#snapshot] = transition(leaseMachine, this.#snapshot, event);
  }
}

interface Ends {
  readonly released: () => void;
  readonly expired: () => void;
  readonly renewed: (until: number) => void;
}

class Holding implements HeldLock {
  readonly name: string;
  readonly wish: LockRequest;
  readonly fence: number;
  readonly #clock: Clock;
  readonly #ends: Ends;
  readonly #lost = new LazyAbort();
  readonly #forget: () => void;
  #timer: unknown;
  #isHeld = true;

  constructor(name: string, wish: LockRequest, fence: number, clock: Clock, ends: Ends) {
    this.name = name;
    this.wish = wish;
    this.fence = fence;
    this.#clock = clock;
    this.#ends = ends;
    this.#arm(wish.leaseMs);
    const { signal } = wish;
    this.#forget =
      signal === undefined
        ? () => undefined
        : onSignal(signal, () => {
            this.release();
          });
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  renew(leaseMs = this.wish.leaseMs): void {
    const ms = checkMs(leaseMs, 'leaseMs', `the lock '${this.name}'`);
    if (!this.#isHeld) throw lostLock(this.name, this.wish.leaseMs);
    this.#clock.clearTimeout(this.#timer);
    this.#arm(ms);
    this.#ends.renewed(this.#clock.now() + ms);
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#end();
    this.#ends.released();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.release();
    return Promise.resolve();
  }

  #arm(ms: number): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#end();
      this.#ends.expired();
      this.#lost.abort(lostLock(this.name, this.wish.leaseMs));
    }, ms);
  }

  #end(): void {
    this.#isHeld = false;
    this.#clock.clearTimeout(this.#timer);
    this.#forget();
  }
}

/** The holder as it is named to who waits: a run is not told of the ids of others, which may be another tenant's. */
const holderFor = (owner: string, holder = '?'): string => {
  if (!isCallKey(holder)) return `'${holder}'`;
  return runInCallKey(holder) === runInCallKey(owner)
    ? `'${pathInCallKey(holder)}'`
    : 'a call of another run';
};

const busy = (name: string, waitMs: number, holder: string): TroupeError =>
  new TroupeError(
    'lock.busy',
    `Cannot wait for the lock '${name}' any longer as it was not free within ${waitMs} ms: ${holder} has it`,
    { retryable: 'yes' },
  );

/** The error for a holder whose lease has expired. */
const lostLock = (name: string, leaseMs: number): TroupeError =>
  new TroupeError(
    'lock.lost',
    `Cannot keep the lock '${name}' as its lease of ${leaseMs} ms is over: renew it while the work goes on`,
    { retryable: 'maybe' },
  );
