import { TroupeError } from '../../contracts/errors/error.ts';

/** Something that is started for the first of the runs that overlap, and stopped after the last. */
export class SharedUse<T> {
  readonly #name: string;
  readonly #stop: (value: T) => Promise<void>;
  #runs = 0;
  #abort = new AbortController();
  #starting: Promise<T> | undefined;
  #value: { readonly value: T } | undefined;

  constructor(name: string, stop: (value: T) => Promise<void>) {
    this.#name = name;
    this.#stop = stop;
  }

  get isStarted(): boolean {
    return this.#value !== undefined;
  }

  /**
   * Waits until it is started, by the first run's `start`, which leaves nothing behind where it fails. Every call, failed or not, has a
   * {@link leave} of its own.
   */
  async enter(start: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<void> {
    this.#runs += 1;
    const starting = (this.#starting ??= start(this.#abort.signal));
    this.#value = { value: await this.#unlessAborted(starting, signal) };
  }

  /** Stops it after the last run; a start that is under way is aborted. */
  async leave(): Promise<void> {
    this.#runs -= 1;
    if (this.#runs > 0) return;
    const starting = this.#starting;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#starting = undefined;
    this.#value = undefined;
    // A start that failed has left nothing.
    const started = await starting?.then(
      (value) => ({ value }),
      () => undefined,
    );
    if (started !== undefined) await this.#stop(started.value);
  }

  /** @throws `tool.failed` if no run has started it. */
  current(): T {
    if (this.#value !== undefined) return this.#value.value;
    throw new TroupeError('tool.failed', `Cannot use ${this.#name} as no run has started it`);
  }

  #unlessAborted(starting: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (signal === undefined) return starting;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        reject(new TroupeError('tool.cancelled', `Cannot start ${this.#name} as the run was cancelled`));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      void starting.then(resolve, reject).finally(() => {
        signal.removeEventListener('abort', onAbort);
      });
    });
  }
}
