import type { AgentOptions } from '../../contracts/agent.ts';
import type { LoopLimits, WrapUp } from '../../contracts/ending.ts';
import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';
import { defaultLoopLimits } from '../../machines/loop-detection.ts';
import type { Rules } from '../../machines/rules.ts';

/** What the options of an agent say of its ending, with defaults filled in and checked. */
export const endingRules = (
  { name, ends, loops, wrapUp }: Pick<AgentOptions, 'name' | 'ends' | 'loops' | 'wrapUp'>,
  hasSchema: boolean,
): Pick<Rules, 'ends' | 'loops' | 'wrapUp'> => {
  const invalid = (option: string, reason: string, found: unknown): TroupeError =>
    new TroupeError(
      'agent.invalid',
      `Cannot define the agent '${name}' as its ${option} ${reason}: ${foundText(found)}`,
    );
  if (ends !== undefined && typeof ends.answered !== 'function')
    throw invalid('ends', 'is no policy of ending', ends);
  if (ends?.readsText === true && hasSchema)
    throw invalid('ends', 'reads text and its answer has a schema', ends.name);
  return {
    ends,
    loops: loops === false ? undefined : loopLimits({ ...defaultLoopLimits, ...loops }, invalid),
    wrapUp:
      wrapUp === undefined || wrapUp === false
        ? undefined
        : wrapUpFrom(wrapUp === true ? DEFAULT_WRAP_UP : { ...DEFAULT_WRAP_UP, ...wrapUp }, invalid),
  };
};

const DEFAULT_WRAP_UP: WrapUp = { warnAt: 0.8, wrapUpAt: 0.95, graceSteps: 1 };

type Invalid = (option: string, reason: string, found: unknown) => TroupeError;

const loopLimits = (limits: LoopLimits, invalid: Invalid): LoopLimits => {
  const { warnAt, stopAt } = limits;
  if (!Number.isSafeInteger(warnAt) || warnAt < 2)
    throw invalid('loops.warnAt', 'is no whole number from 2', warnAt);
  if (!Number.isSafeInteger(stopAt) || stopAt < warnAt)
    throw invalid('loops.stopAt', `is no whole number from ${warnAt}`, stopAt);
  return limits;
};

/** Untyped, as in JavaScript it may be a text of digits. */
const isNumber = (found: unknown): boolean => typeof found === 'number';

const wrapUpFrom = (wrapUp: WrapUp, invalid: Invalid): WrapUp => {
  const { warnAt, wrapUpAt, graceSteps } = wrapUp;
  if (!(isNumber(warnAt) && warnAt > 0 && warnAt <= 1))
    throw invalid('wrapUp.warnAt', 'is no fraction above 0', warnAt);
  if (!(isNumber(wrapUpAt) && wrapUpAt >= warnAt && wrapUpAt <= 1))
    throw invalid('wrapUp.wrapUpAt', `is no fraction from ${warnAt}`, wrapUpAt);
  if (!Number.isSafeInteger(graceSteps) || graceSteps < 0)
    throw invalid('wrapUp.graceSteps', 'is no whole number from 0', graceSteps);
  return wrapUp;
};
