import type { Agent } from '../../contracts/agents/agent.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData, TroupeError } from '../../contracts/errors/error.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';

/** The outcome of one input of a batch. */
export type BatchItem<Output, State> =
  | { readonly ok: true; readonly index: number; readonly result: RunResult<Output, State> }
  | { readonly ok: false; readonly index: number; readonly error: ErrorData };

/** Options of {@link batch}; the others apply to every run. */
export interface BatchOptions extends Omit<RunOptions, 'runId' | 'concurrency'> {
  /** Number of concurrent runs. Default 10. */
  readonly runs?: number | undefined;
  /** Runs have the ids `batchId-0`, `batchId-1` … Default: random. A store has to have none of them yet: they are started, not resumed. */
  readonly batchId?: string | undefined;
}

/**
 * Runs an agent on many inputs with limited concurrency; the outcomes are in the order of the inputs.
 *
 * A failed run is an item with its error; the others continue. After an abort no more are started. Runs that may have to continue after a
 * crash are started by `runOrResume`.
 *
 * @example
 * const items = await batch(translator, ['one', 'two', 'three'], { runs: 2 });
 * items.map((item) => (item.ok ? item.result.output : item.error.message));
 *
 * @throws {TroupeError} `agent.invalid` for less than one run at a time.
 */
export const batch = async <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  inputs: readonly Input[],
  options: BatchOptions = {},
): Promise<readonly BatchItem<Output, State>[]> => {
  const { runs = 10, batchId, ...each } = options;
  if (!(runs >= 1))
    throw new TroupeError('agent.invalid', `Cannot run a batch as ${runs} runs at a time are none`);
  const items: BatchItem<Output, State>[] = [];
  const waiting = inputs.entries();
  const lane = async (): Promise<void> => {
    for (const [index, input] of waiting) {
      items[index] = each.signal?.aborted
        ? { ok: false, index, error: { code: 'run.aborted', message: NOT_BEGUN, retryable: 'no' } }
        : await one(
            agent,
            input,
            index,
            batchId === undefined ? each : { ...each, runId: `${batchId}-${index}` },
          );
    }
  };
  await Promise.all(Array.from({ length: Math.min(runs, inputs.length) }, lane));
  return items;
};

const NOT_BEGUN = 'Cannot start the run as its batch was aborted';

const one = async <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  input: Input,
  index: number,
  options: RunOptions,
): Promise<BatchItem<Output, State>> => {
  try {
    return { ok: true, index, result: await agent.run(input, options) };
  } catch (thrown) {
    return { ok: false, index, error: errorData(thrown, 'agent.threw') };
  }
};
