import type { SharedResource } from '../../contracts/runs/run-options.ts';
import type { ToolExecutor } from '../../contracts/tools/executor.ts';

/** The executor of a run, within its resources that execute calls: the first is the outermost. */
export const executorWithin = (
  resources: readonly SharedResource[] = [],
  own?: ToolExecutor,
): ToolExecutor | undefined =>
  resources.reduceRight<ToolExecutor | undefined>(
    (inner, each) => (each.execute === undefined ? inner : (call) => each.execute?.(nextOf(call, inner))),
    own,
  );

const nextOf = (
  call: Parameters<ToolExecutor>[0],
  inner: ToolExecutor | undefined,
): Parameters<ToolExecutor>[0] =>
  inner === undefined
    ? call
    : {
        ...call,
        run: (input = call.input) => inner({ ...call, input, run: (other = input) => call.run(other) }),
      };
