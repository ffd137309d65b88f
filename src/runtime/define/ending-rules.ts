import type { AgentLimits } from '../../contracts/agents/agent.ts';
import type { Ending, WrapUp } from '../../contracts/agents/ending.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { defaultLoopLimits } from '../../machines/stopping/loop-detection.ts';
import type { Rules } from '../../machines/rules.ts';

/** The limits of wrapping up, unless the agent gives its own. */
export const DEFAULT_WRAP_UP: WrapUp = { warnAt: 0.8, wrapUpAt: 0.95, graceSteps: 1 };

/** The rules for ending an agent's runs, with defaults. */
export const endingRules = (
  name: string,
  ends: Ending | undefined,
  { loops, wrapUp = false }: AgentLimits,
  hasSchema: boolean,
): Pick<Rules, 'ends' | 'loops' | 'wrapUp'> => {
  if (ends?.readsText === true && hasSchema)
    throw new TroupeError(
      'agent.invalid',
      `Cannot define the agent '${name}' as its stop.ends reads text and its answer has a schema: ${foundText(ends.name)}`,
    );
  return {
    ends,
    loops: loops === false ? undefined : { ...defaultLoopLimits, ...loops },
    wrapUp:
      wrapUp === false ? undefined : wrapUp === true ? DEFAULT_WRAP_UP : { ...DEFAULT_WRAP_UP, ...wrapUp },
  };
};
