import type { Desk } from '../../../actors/desk.ts';
import { TroupeError } from '../../../contracts/error.ts';
import type { Ask } from '../../../machines/asks.ts';

/**
 * Finds that a call was asked for before its run was resumed, of a tool that was there then and is not now; undefined where all is
 * there. An answer that says so would be on record for good: the run is held instead, and goes on once the tool is there again.
 */
export const missingTool = (ask: Ask, desk: Desk): TroupeError | undefined => {
  if ((ask.port !== 'act' && ask.port !== 'tool') || !desk.isResumed) return undefined;
  const { name, isUnknown, problem } = ask.input.call;
  if (isUnknown === true || problem !== undefined || desk.tools.find(name) !== undefined) return undefined;
  const { path, key } = ask;
  const message = `Cannot go on with '${path}' as its tool '${name}' is missing: it was there when the call was made. The run is held; resume it with an agent that has the tool`;
  return new TroupeError('tool.missing', message, { tool: name, path, errorId: key });
};
