import type { RunOptions } from '../../contracts/runs/run-options.ts';

/** Options of the runs that a logic starts. */
export interface LogicOptions extends Omit<RunOptions, 'inspect'> {
  /**
   * The fate of a run whose actor is stopped and not started again at once: aborted, or suspended in its `store`, from which it can be
   * resumed. Default `'abort'`; `'suspend'` for a run in a `store` whose snapshot was persisted, when it is stopped with its whole app: the
   * snapshot is the run's address in the store.
   */
  readonly onStop?: 'abort' | 'suspend' | undefined;
}
