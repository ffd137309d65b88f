import type { Agent } from '../../contracts/agents/agent.ts';
import type { Critic, Review } from '../../contracts/agents/critic.ts';
import type { Critique } from '../../contracts/agents/critique.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';

/** Options of {@link agentCritic}. */
export interface AgentCriticOptions<Case> extends Omit<Critic, 'critique'> {
  readonly judge: Agent<Case, Critique>;
  /** Input for the judge; undefined accepts without asking it. */
  readonly material: (review: Review) => Case | undefined;
}

/**
 * Uses an agent as the critic: it judges as a child of the run, within the run's events, totals and abort.
 *
 * A judge that fails or gives no verdict is a broken critic: see `ifBroken`. Its calls have their own timeouts; without `timeoutMs` the
 * critic has none.
 *
 * @example
 * agentCritic({ name: 'editor', judge: editor, material: ({ candidate }) => JSON.stringify(candidate), ifBroken: 'accept' })
 */
export const agentCritic = <Case>({ judge, material, ...critic }: AgentCriticOptions<Case>): Critic => ({
  timeoutMs: Infinity,
  ...critic,
  critique: async (review) => {
    const given = material(review);
    if (given === undefined) return { verdict: 'accept' };
    return verdictOf(await review.run(judge, given), judge);
  },
});

/** The verdict of a judge; throws if it gave none. */
export const verdictOf = (
  { output, stopReason }: RunResult<Critique>,
  { name }: Pick<Agent, 'name'>,
): Critique => {
  if (output !== undefined) return output;
  throw new TroupeError('output.invalid', `Cannot judge as '${name}' gave no verdict: ${stopReason.kind}`);
};
