import type { Usage } from '../../contracts/models/usage.ts';
import type { Tally } from '../../contracts/agents/tally.ts';

/** Adds the tokens of a model call to a tally. */
export const withUsage = (tally: Tally, usage: Usage | undefined, at: number): Tally =>
  usage === undefined
    ? { ...tally, now: at }
    : {
        ...tally,
        now: at,
        modelCalls: tally.modelCalls + 1,
        inputTokens: tally.inputTokens + usage.input,
        outputTokens: tally.outputTokens + usage.output,
        cachedTokens: tally.cachedTokens + (usage.cached ?? 0),
      };
