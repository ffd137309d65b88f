import type { Desk } from '../../../actors/desk.ts';
import { andThen } from '../../../base/promises/thenable.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Ask } from '../../../machines/asks.ts';
import { misfitOf } from '../../../tools/calls/misfit.ts';

/**
 * Reports that the tool of a call requested before the resume is missing now, or takes another input than a call that was approved, or tried,
 * before; undefined if it can be made. Answering the call with an error would be recorded for good, so the run is held instead, and continues
 * once the tool is back. A promise only if the tool checks asynchronously.
 */
export const missingTool = (
  ask: Ask,
  desk: Desk,
): TroupeError | undefined | Promise<TroupeError | undefined> => {
  if ((ask.port !== 'act' && ask.port !== 'tool') || !desk.isResumed) return undefined;
  const { name, isUnknown, problem } = ask.input.call;
  if (isUnknown === true || problem !== undefined) return undefined;
  const { path, key } = ask;
  const refuse = (why: string, wanted: string): TroupeError =>
    new TroupeError(
      'tool.missing',
      `Cannot resume '${path}' as its tool '${name}' ${why}. The run is held; resume it with an agent ${wanted}`,
      { tool: name, path, errorId: key },
    );
  const tool = desk.tools.find(name);
  if (tool === undefined)
    return refuse('is missing: it was there when the call was made', 'that has the tool');
  // The input of a first attempt has not been checked yet: it may be a mistake of the model.
  if (ask.port === 'act') return undefined;
  return andThen(
    misfitOf(tool, ask.input.call),
    (misfit) =>
      misfit &&
      refuse(`does not take the input of a call any more: ${misfit.message}`, 'whose tool takes it'),
  );
};
