/** A run that its program does not continue for the time being, and the reason. */
export interface HeldRun {
  readonly run: string;
  readonly reason: string;
}

/** The messages of a command on its page, which shows them as they change. */
export class CommandNotes {
  #problem: string | undefined;
  #held: readonly HeldRun[] = [];
  #tell: () => void = () => undefined;

  /** The message above all runs; undefined: none. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The runs that are not continued. */
  get held(): readonly HeldRun[] {
    return this.#held;
  }

  /** Replaces both. */
  say(problem: string | undefined, held: readonly HeldRun[]): void {
    this.#problem = problem;
    this.#held = held;
    this.renew();
  }

  /** Has pages ask again: also where the runs of other processes have changed. */
  renew(): void {
    this.#tell();
  }

  /** Calls `tell` with each change from now on. */
  onChange(tell: () => void): void {
    this.#tell = tell;
  }
}
