import { aText, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Critic, Review } from '../../contracts/agents/critic.ts';

/** Options of {@link reflectionCritic}. */
export interface ReflectionOptions {
  /** Number of consecutive failing steps before the run stops. Default 2. */
  readonly patience?: number | undefined;
  /** Default `reflection`. */
  readonly name?: string | undefined;
}

const check = optionsCheck<ReflectionOptions>(
  { code: 'agent.invalid', owner: 'the critic reflection' },
  () => ({
    patience: optional(wholeNumber(0)),
    name: optional(aText(1)),
  }),
);

/**
 * Makes the agent reflect on each step in which a tool call failed, and stops the run if failures continue: by default the third such step
 * in a row is the last.
 *
 * @example
 * agent({ name: 'coder', tools: [runTests], critics: [reflectionCritic()] })
 *
 * @throws {TroupeError} `agent.invalid` for options that do not fit.
 */
export const reflectionCritic = (options: ReflectionOptions = {}): Critic => {
  const { patience = 2, name = 'reflection' } = check(options);
  return {
    name,
    each: 'step',
    critique: (review) => {
      const failed = review.results.filter(({ ok }) => !ok);
      if (failed.length === 0) return { verdict: 'accept' };
      const what = failed.map(({ tool, text }) => `${tool}: ${text}`).join('\n');
      const streak = failingSteps(review);
      return streak > patience
        ? { verdict: 'stop', note: `tool calls failed in ${streak} steps in a row: ${what}` }
        : {
            verdict: 'revise',
            note: `This did not work:\n${what}\nSay in a sentence why it failed, then do it differently.`,
          };
    },
  };
};

/** Number of consecutive steps up to this one in which a call failed; steps without calls do not count. */
const failingSteps = ({ evidence }: Review): number => {
  const failures = new Map<string, boolean>();
  for (const { callId, failed = false } of evidence) {
    // `call_STEP_INDEX`: the runtime assigns these ids.
    const step = callId.slice(0, callId.lastIndexOf('_'));
    failures.set(step, (failures.get(step) ?? false) || failed);
  }
  const steps = [...failures.values()];
  return steps.length - 1 - steps.lastIndexOf(false);
};
