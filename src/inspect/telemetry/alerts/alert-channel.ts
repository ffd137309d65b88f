import { BoundedBuffer } from '../../../base/collections/bounded-buffer.ts';
import type { Clock } from '../../../base/clock.ts';
import { withinTime } from '../../../base/promises/within-time.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Alert } from './alert.ts';

/** Delivers alerts somewhere. `signal` is aborted when it has taken too long. */
export type AlertChannel = (alert: Alert, signal: AbortSignal) => unknown;

/** Alerts that wait for a channel at most; beyond it the oldest are dropped. */
const MOST_WAITING = 100;

interface LineSetup {
  readonly name: string;
  readonly send: AlertChannel;
  readonly clock: () => Clock;
  readonly timeoutMs: number;
  readonly failed: (alert: Alert, channel: string, error: unknown) => void;
}

/** A channel and what waits for it: one alert at a time, none for longer than the limit, and no failure leaves it. */
export class ChannelLine {
  readonly #setup: LineSetup;
  readonly #waiting = new BoundedBuffer<Alert>(MOST_WAITING);
  #work: Promise<void> | undefined;

  constructor(setup: LineSetup) {
    this.#setup = setup;
  }

  offer(alert: Alert): void {
    const oldest = this.#waiting.length === MOST_WAITING ? this.#waiting.peek() : undefined;
    if (this.#waiting.push(alert) && oldest !== undefined)
      this.#fail(oldest, `more than ${MOST_WAITING} alerts wait for it`);
    this.#work ??= this.#deliverAll().finally(() => {
      this.#work = undefined;
    });
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  async #deliverAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      await this.#deliver(next);
  }

  async #deliver(alert: Alert): Promise<void> {
    const { send, timeoutMs: ms, clock, failed, name } = this.#setup;
    const abort = new AbortController();
    const late = (): Error => this.#refusal(`it took longer than ${ms} ms`);
    try {
      // In a microtask: no run waits for what a channel does at once.
      const work = Promise.resolve().then(() => send(alert, abort.signal));
      await withinTime(work, { ms, clock: clock(), late });
    } catch (thrown) {
      failed(alert, name, thrown);
    } finally {
      abort.abort();
    }
  }

  #fail(alert: Alert, why: string): void {
    const { failed, name } = this.#setup;
    failed(alert, name, this.#refusal(why));
  }

  #refusal(why: string): TroupeError {
    const message = `Cannot send an alert by the channel '${this.#setup.name}' as ${why}`;
    return new TroupeError('publishing.failed', message, { retryable: 'yes' });
  }
}
