import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/clock.ts';
import { withinTime } from '../../base/promises/within-time.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { nobodyWaits } from '../../contracts/errors/nobody-waits.ts';
import type { BatchMember, MemberHolder } from './batch-member.ts';
import type { BatchSend } from './batch-service.ts';

/** In ms: a request to the service that takes longer is given up. */
const REQUEST_MS = 600_000;

/**
 * The calls that wait for the same thing, which may be of several runs: its timer is on the clock of one that is still there.
 *
 * I1 Where nobody waits any more, no timer is armed and no request is pending.
 */
export class BatchMembers implements MemberHolder, Iterable<BatchMember> {
  readonly #members = new Map<string, BatchMember>();
  readonly #onLeft: (member: BatchMember) => void;
  #alarm:
    | { readonly dueAt: number; readonly ring: () => void; readonly clock: Clock; readonly timer: unknown }
    | undefined;
  readonly #requests = new Set<AbortController>();

  /** `onLeft` is called for a member that was settled, or aborted. */
  constructor(onLeft: (member: BatchMember) => void = () => undefined) {
    this.#onLeft = onLeft;
  }

  get size(): number {
    return this.#members.size;
  }
  get clock(): Clock {
    for (const { clock } of this.#members.values()) return clock;
    return systemClock;
  }
  has(id: string): boolean {
    return this.#members.has(id);
  }
  [Symbol.iterator](): Iterator<BatchMember> {
    return [...this.#members.values()][Symbol.iterator]();
  }

  /** Takes a member in, from wherever it was. */
  join(member: BatchMember): void {
    if (member.isOver) return;
    member.holder?.lose(member);
    member.holder = this;
    this.#members.set(member.id, member);
  }

  /** Hands all members over. */
  release(): readonly BatchMember[] {
    const all = [...this];
    this.#members.clear();
    this.#rest();
    return all;
  }

  left(member: BatchMember): void {
    if (this.#members.get(member.id) !== member) return;
    this.lose(member);
    this.#onLeft(member);
  }

  lose(member: BatchMember): void {
    if (this.#members.get(member.id) !== member) return;
    this.#members.delete(member.id);
    const alarm = this.#alarm;
    if (this.#members.size === 0) this.#rest();
    else if (alarm?.clock === member.clock) this.arm(alarm.dueAt - alarm.clock.now(), alarm.ring);
  }

  /** Sets the one timer. */
  arm(ms: number, ring: () => void): void {
    this.#disarm();
    if (this.#members.size === 0) return;
    const { clock } = this;
    const timer = clock.setTimeout(
      () => {
        this.#alarm = undefined;
        ring();
      },
      Math.max(0, ms),
    );
    this.#alarm = { dueAt: clock.now() + ms, ring, clock, timer };
  }

  /** Makes a request to the service: within a time limit, and only for as long as anybody waits. */
  async request<Value>(make: (send: BatchSend) => Promise<Value>): Promise<Value> {
    const controller = new AbortController();
    this.#requests.add(controller);
    const late = (): TroupeError => {
      const error = new TroupeError(
        'model.timeout',
        `Cannot reach the service of batches as it did not answer in ${REQUEST_MS} ms`,
        {
          retryable: 'yes',
        },
      );
      controller.abort(error);
      return error;
    };
    try {
      return await withinTime(make({ signal: controller.signal }), {
        ms: REQUEST_MS,
        clock: this.clock,
        late,
      });
    } finally {
      this.#requests.delete(controller);
    }
  }

  #rest(): void {
    this.#disarm();
    for (const controller of this.#requests) controller.abort(nobodyWaits('ask for a batch'));
  }

  #disarm(): void {
    if (this.#alarm !== undefined) this.#alarm.clock.clearTimeout(this.#alarm.timer);
    this.#alarm = undefined;
  }
}
