import { TroupeError } from '../../../contracts/errors/error.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import type { ClientTool } from '../../../contracts/tools/client-tool.ts';
import { clientTool } from '../../../tools/define/client-tool.ts';
import type { ServedRunOptions } from '../serve-options.ts';

/** Time that a call of a tool of its caller waits by default, in ms: a client may never come back. */
const CLIENT_MS = 600_000;

/**
 * Adds the tools of a caller to a run that was begun paused, and if it `begins` here lets it: at once, so that they are in its first commit.
 *
 * @throws {TroupeError} `input.invalid`
 */
export const addClientTools = async (
  handle: Pick<RunHandle<unknown, unknown>, 'addTools' | 'abort' | 'resume'>,
  tools: readonly ClientTool[],
  { requests: { expireAfterMs = CLIENT_MS } = {} }: ServedRunOptions,
  begins: boolean,
): Promise<void> => {
  const adding = handle.addTools(tools.map((tool) => clientTool({ ...tool, expireAfterMs })));
  if (begins) handle.resume();
  const [problem] = await adding;
  if (problem === undefined) return;
  handle.abort('the tools of the client do not fit');
  throw new TroupeError('input.invalid', problem.message, { details: { param: 'tools' } });
};
