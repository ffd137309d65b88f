import { NEVER_AT } from '../../../base/clock.ts';
import type { Port } from '../../../contracts/runs/effect.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { Awaited } from './journal-port.ts';

/** Ports that wait for a time or a person. */
const WAITING: ReadonlySet<Port> = new Set<Port>(['wake', 'pause', 'approve']);

/** The pending effects of a run, from which its status and due time follow. */
export class OpenAsks {
  /** Called with whether the run waits for a person, or a call of it for a time. */
  onWaits: (isAwaited: boolean) => void = () => undefined;
  readonly #open = new Map<string, Ask>();
  /** Requests for people and times of calls, by the key of the effect that waits for them. */
  readonly #waiting = new Map<string, Set<Awaited>>();
  /** Effects that run actors, with the number of those: such an effect waits for what its actors wait for. */
  readonly #running = new Map<string, number>();

  get status(): 'running' | 'waiting' {
    let status: 'running' | 'waiting' = 'running';
    for (const [key, { port }] of this.#open)
      if (WAITING.has(port) || this.#waiting.has(key)) status = 'waiting';
      else if (!this.#running.has(key)) return 'running';
    return status;
  }

  /** Earliest due time among timers, times of calls and requests that expire. */
  get dueAt(): number | undefined {
    let first = Infinity;
    for (const ask of this.#open.values())
      if (ask.port === 'wake' || ask.port === 'pause') first = Math.min(first, ask.input.dueAt);
    for (const requests of this.#waiting.values())
      for (const { expiresAt = Infinity } of requests) first = Math.min(first, expiresAt);
    return first >= NEVER_AT ? undefined : first;
  }

  open(ask: Ask): void {
    this.#open.set(ask.key, ask);
  }

  close(key: string): void {
    this.#open.delete(key);
    if (this.#waiting.delete(key)) this.onWaits(this.#waiting.size > 0);
  }

  runs(key: string, isRunning: boolean): void {
    const count = (this.#running.get(key) ?? 0) + (isRunning ? 1 : -1);
    if (count > 0) this.#running.set(key, count);
    else this.#running.delete(key);
  }

  waits(key: string, request: Awaited, isWaiting: boolean): void {
    const requests = this.#waiting.get(key) ?? new Set();
    if (isWaiting) requests.add(request);
    else requests.delete(request);
    if (requests.size > 0) this.#waiting.set(key, requests);
    else this.#waiting.delete(key);
    this.onWaits(this.#waiting.size > 0);
  }
}
