import { errorData, toError } from '../../contracts/error.ts';
import { toJson } from '../../contracts/json.ts';
import type { RunOptions, RunResult } from '../../contracts/run.ts';
import type { Definition } from '../define/definition.ts';
import { processPacer } from './pacer.ts';
import { startRun } from './start-run.ts';

const NOT_BEGUN = 'Cannot begin the run as it threw';

/**
 * Makes and starts a run that nobody holds when its turn comes, in the order of the calls: what is under way goes on
 * first. Ten thousand that are asked for at once are not under way at once then, as far as the process is what they
 * wait for; until its turn a run is a promise.
 *
 * Input and options are those of the call, whatever becomes of them while the run waits.
 */
export const runInTurn = <Output, State>(
  definition: Definition,
  input: unknown,
  options: RunOptions = NO_OPTIONS,
): Promise<RunResult<Output, State>> =>
  new Promise((resolve, reject) => {
    try {
      const given = toJson(input);
      const kept = optionsOf(options);
      processPacer.begin(() => {
        try {
          resolve(startRun<Output, State>(definition, given, kept, { isAttended: false }).result);
        } catch (thrown) {
          reject(notBegun(thrown));
        }
      });
    } catch (thrown) {
      reject(notBegun(thrown));
    }
  });

/** Options may come from JavaScript; a caller of `run` looks for failures in one place. */
const notBegun = (thrown: unknown): Error => toError(errorData(thrown, 'internal', { message: NOT_BEGUN }));

const NO_OPTIONS: RunOptions = Object.freeze({});

const optionsOf = (options: RunOptions): RunOptions => {
  if (options === NO_OPTIONS) return options;
  const { history } = options;
  return history === undefined ? { ...options } : { ...options, history: [...history] };
};
