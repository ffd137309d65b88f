import { errorData, toError } from '../../contracts/errors/error.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { readGiven } from '../content/read-given.ts';
import type { Definition } from '../define/definition.ts';
import { processPacer } from './pacer.ts';
import { checkRunOptions } from './run-schema.ts';
import { startRun } from './start-run.ts';

const NOT_BEGUN = 'Cannot start the run as it threw';

/**
 * Starts a run without a handle when it is its turn, in order of the calls, after work in progress. So ten thousand concurrent calls are
 * not in progress at once as far as they wait for the process; until its turn, a run is just a promise.
 *
 * Input and options are copied at the call.
 */
export const runInTurn = <Output, State>(
  definition: Definition,
  input: unknown,
  options: RunOptions = NO_OPTIONS,
): Promise<RunResult<Output, State>> =>
  new Promise((resolve, reject) => {
    try {
      if (options !== NO_OPTIONS) checkRunOptions(definition.name, options);
      const read = readGiven(definition, input, options);
      const kept = optionsOf(read.options);
      const setup = { isAttended: false, blobs: read.blobs };
      processPacer.begin(() => {
        try {
          resolve(startRun<Output, State>(definition, read.input, kept, setup).result);
        } catch (thrown) {
          reject(notBegun(thrown));
        }
      });
    } catch (thrown) {
      reject(notBegun(thrown));
    }
  });

/** Rejects instead of throwing, so that failures of `run` arrive in one place, also for invalid options from JavaScript. */
const notBegun = (thrown: unknown): Error => toError(errorData(thrown, 'internal', { message: NOT_BEGUN }));

const NO_OPTIONS: RunOptions = Object.freeze({});

const optionsOf = (options: RunOptions): RunOptions => {
  if (options === NO_OPTIONS) return options;
  const { history } = options;
  return history === undefined ? { ...options } : { ...options, history: [...history] };
};
