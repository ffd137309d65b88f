import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { StartSetup } from './create-run.ts';
import { createRun, failToBegin } from './create-run.ts';
import { readGiven, takenHistory } from '../content/read-given.ts';
import type { Definition } from '../define/definition.ts';
import { Handle } from './handle.ts';
import { QueuedHandle } from './queued-handle.ts';
import { startStored } from '../journal/resume/stored-run.ts';
import { inThread, joinThread, noQueue } from '../thread/run-thread.ts';

/** Starts a run of a definition and returns its handle. */
export const startRun = <Output, State>(
  definition: Definition,
  givenInput: unknown,
  givenOptions: RunOptions,
  given: StartSetup,
): RunHandle<Output, State> => {
  const { input, options, blobs = given.blobs } = readGiven(definition, givenInput, givenOptions);
  const setup = { ...given, blobs };
  const { store } = options;
  if (store !== undefined) return startStored(definition, input, { ...options, store }, setup);
  const run = createRun(definition, options, setup);
  const history = joinThread(run, input, options);
  if (history !== undefined) {
    const handle = new QueuedHandle<Output, State>(run, inThread(noQueue, run, history));
    handle.enter(input, options);
    return handle;
  }
  try {
    run.begin(input, takenHistory(options));
  } catch (thrown) {
    failToBegin(run, thrown);
    throw thrown;
  }
  return new Handle<Output, State>(run);
};
