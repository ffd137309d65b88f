import type { RunHandle, RunOptions } from '../contracts/run.ts';
import type { StartSetup } from './create-run.ts';
import { createRun, failToBegin } from './create-run.ts';
import type { Definition } from './definition.ts';
import { Handle } from './handle.ts';
import { startStored } from './journal/stored-run.ts';

/** Starts a run of a definition and hands it over. */
export const startRun = <Output, State>(
  definition: Definition,
  input: unknown,
  options: RunOptions,
  setup: StartSetup,
): RunHandle<Output, State> => {
  const { store } = options;
  if (store !== undefined) return startStored(definition, input, { ...options, store }, setup);
  const run = createRun(definition, options, setup);
  try {
    run.begin(input, options.history);
  } catch (thrown) {
    failToBegin(run, thrown);
    throw thrown;
  }
  return new Handle<Output, State>(run);
};
