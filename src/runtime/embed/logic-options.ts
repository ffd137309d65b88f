import type { RunOptions } from '../../contracts/runs/run-options.ts';

/** Options of the runs that a logic starts. */
export interface LogicOptions extends Omit<RunOptions, 'inspect'> {
  /**
   * The fate of a run whose actor is stopped and not started again at once: aborted (default), or suspended in its `store`, from which it
   * can be resumed.
   */
  readonly onStop?: 'abort' | 'suspend' | undefined;
}
