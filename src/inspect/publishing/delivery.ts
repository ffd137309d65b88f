import type { Clock } from '../../base/clock.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { PublishedBatch, Publisher } from './publisher.ts';

/** The limits of delivery: attempts, and times in ms. */
export interface DeliverySettings {
  readonly attempts: number;
  readonly retryMs: number;
  readonly maxRetryMs: number;
  readonly attemptMs: number;
}

interface DeliverySetup extends DeliverySettings {
  readonly publisher: Publisher;
  readonly clock: Clock;
  /** Called once for each time that the publisher starts to fail. */
  readonly failed: (error: unknown) => void;
}

/** Passes batches to a publisher, one at a time, each until it is accepted or abandoned. */
export class Delivery {
  readonly #setup: DeliverySetup;
  #isFailing = false;
  #isStopped = false;
  /** Ends the current wait. */
  #interrupt: () => void = () => undefined;

  constructor(setup: DeliverySetup) {
    this.#setup = setup;
  }

  /** True once it is accepted, false if it is abandoned. Never rejects. */
  async deliver(batch: PublishedBatch): Promise<boolean> {
    const { attempts, retryMs, maxRetryMs, failed } = this.#setup;
    for (let attempt = 1; !this.#isStopped; attempt += 1) {
      try {
        await this.#attempt(batch);
        this.#isFailing = false;
        return true;
      } catch (error) {
        if (!this.#isFailing) failed(error);
        this.#isFailing = true;
        if (attempt >= attempts || (isTroupeError(error) && error.retryable === 'no')) return false;
      }
      if (!this.#isStopped) await this.#pause(Math.min(maxRetryMs, retryMs * 2 ** (attempt - 1)));
    }
    return false;
  }

  /** Abandons the current batch and all later ones. */
  stop(): void {
    this.#isStopped = true;
    this.#interrupt();
  }

  async #attempt(batch: PublishedBatch): Promise<void> {
    const { publisher, clock, attemptMs } = this.#setup;
    const abort = new AbortController();
    let timer: unknown;
    const givenUp = new Promise<never>((_, reject) => {
      const giveUp = (why: string): void => {
        const message = `Cannot wait for the publisher '${publisher.name}' as ${why}`;
        reject(new TroupeError('publishing.failed', message, { retryable: 'yes', runId: batch.runId }));
      };
      timer = clock.setTimeout(() => {
        giveUp(`it took longer than ${attemptMs} ms`);
      }, attemptMs);
      this.#interrupt = () => {
        giveUp('the run is over');
      };
    });
    try {
      // In a microtask: the run does not wait for the publisher's synchronous work.
      await Promise.race([Promise.resolve().then(() => publisher.publish(batch, abort.signal)), givenUp]);
    } finally {
      clock.clearTimeout(timer);
      this.#interrupt = () => undefined;
      abort.abort();
    }
  }

  #pause(ms: number): Promise<void> {
    const { clock } = this.#setup;
    return new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, ms);
      this.#interrupt = () => {
        clock.clearTimeout(timer);
        resolve();
      };
    });
  }
}
