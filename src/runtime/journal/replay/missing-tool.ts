import type { Desk } from '../../../actors/desk.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Ask } from '../../../machines/asks.ts';

/**
 * Reports that the tool of a call requested before the resume is missing now; undefined if it is there. Answering the call with an error
 * would be recorded for good, so the run is held instead, and continues once the tool is back.
 */
export const missingTool = (ask: Ask, desk: Desk): TroupeError | undefined => {
  if ((ask.port !== 'act' && ask.port !== 'tool') || !desk.isResumed) return undefined;
  const { name, isUnknown, problem } = ask.input.call;
  if (isUnknown === true || problem !== undefined || desk.tools.find(name) !== undefined) return undefined;
  const { path, key } = ask;
  const message = `Cannot resume '${path}' as its tool '${name}' is missing: it was there when the call was made. The run is held; resume it with an agent that has the tool`;
  return new TroupeError('tool.missing', message, { tool: name, path, errorId: key });
};
