import { systemClock } from '../base/clock.ts';
import type { Progressed, ServedRun } from './served-run.ts';

/** The time that a call has before it becomes a task; without a limit, it never does. */
export class Turn {
  readonly #up: Promise<undefined>;
  readonly #timer: unknown;

  constructor(ms: number | undefined) {
    let end = (): void => undefined;
    this.#up = new Promise((resolve) => {
      end = () => {
        resolve(undefined);
      };
    });
    this.#timer = ms === undefined ? undefined : systemClock.setTimeout(end, ms);
  }

  /** The next thing of interest in a run; undefined if the time is up before. */
  orNext(run: ServedRun): Promise<Progressed | undefined> {
    return Promise.race([run.next(), this.#up]);
  }

  end(): void {
    systemClock.clearTimeout(this.#timer);
  }
}
