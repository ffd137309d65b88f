import type { Agent } from '../contracts/agent.ts';
import { TroupeError } from '../contracts/error.ts';
import type { RunHandle, RunOptions, RunResult } from '../contracts/run.ts';
import { definitionOf } from '../runtime/definition.ts';
import { drivenHost } from '../runtime/driven-host.ts';
import { startRun } from '../runtime/start-run.ts';

/**
 * Like `agent.run`, but moved by the pure turn: no XState actor runs. What comes out has to be the same.
 *
 * @example
 * expect(compareRuns(await desk.run('…'), await runDriven(desk, '…'))).toEqual([]);
 *
 * @throws {TroupeError} `agent.invalid` for something that was not made by `agent()` or a pattern; rejects if the run failed.
 */
export const runDriven = <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  input: Input,
  options: RunOptions = {},
): Promise<RunResult<Output, State>> => start(agent, input, options, false).result;

/** Like `agent.stream`, but moved by the pure turn; see {@link runDriven}. */
export const streamDriven = <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  input: Input,
  options: RunOptions = {},
): RunHandle<Output, State> => start(agent, input, options, true);

const start = <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  input: Input,
  options: RunOptions,
  isAttended: boolean,
): RunHandle<Output, State> => {
  const definition = definitionOf(agent);
  if (definition === undefined)
    throw new TroupeError(
      'agent.invalid',
      `Cannot run '${String(agent.name)}' as it was not made by agent() or a team`,
    );
  return startRun<Output, State>(definition, input, options, { isAttended, host: drivenHost() });
};
