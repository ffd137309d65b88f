import { TroupeError } from '../../../contracts/errors/error.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import type { ClientTool } from '../../../tools/define/client-tool.ts';
import { clientTool } from '../../../tools/define/client-tool.ts';
import type { ServedRunOptions } from '../serve-options.ts';

/** Time that the requests of a run with tools of its caller stay open by default, in ms: a client may never come back. */
const CLIENT_MS = 600_000;

/** The options of a run that is to have tools of its caller: it begins when it has them. */
export const optionsWithTools = ({
  requests,
}: ServedRunOptions): Pick<RunOptions, 'paused' | 'requests'> => ({
  paused: true,
  requests: { expireAfterMs: requests?.expireAfterMs ?? CLIENT_MS },
});

/** Adds the tools of a caller to a run that waits for them, and lets it begin. @throws {TroupeError} `input.invalid` */
export const addClientTools = async (
  handle: Pick<RunHandle<unknown, unknown>, 'addTools' | 'abort' | 'resume'>,
  tools: readonly ClientTool[],
): Promise<void> => {
  const [problem] = await handle.addTools(tools.map(clientTool));
  if (problem !== undefined) {
    handle.abort('the tools of the client do not fit');
    throw new TroupeError('input.invalid', problem.message, { details: { param: 'tools' } });
  }
  handle.resume();
};
