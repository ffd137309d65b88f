import type { RunOptions } from '../../contracts/run.ts';

/** What the run of each actor of a logic may be told beside its input. */
export interface LogicOptions extends Omit<RunOptions, 'inspect'> {
  /**
   * What becomes of the run when its actor is stopped, and not started again at once: it is aborted (default), or suspended, where it is
   * in a `store`: whoever resumes it goes on.
   */
  readonly onStop?: 'abort' | 'suspend' | undefined;
}
