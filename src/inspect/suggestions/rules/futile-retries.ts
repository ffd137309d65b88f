import type { RetryFact } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

const LEAST = 5;

/** The call that is retried, and the error after which it is. */
export const nameRetry = ({ kind, name, code }: Pick<RetryFact, 'kind' | 'name' | 'code'>): string =>
  `${kind} '${name}' after ${code}`;

/** The words of a finding. */
export const describeRetries = (agent: string, name: string, count: number): string =>
  `Retries of ${name} never helped agent '${agent}' in ${count} calls: do not retry, or fall back at once`;

/** Calls that were retried for one reason. */
class Retried extends Tally {
  helped = 0;
  attempts = 0;
}

/** Finds errors after which retries never helped. */
export const futileRetries = (): Rule => {
  const byError = new Table(() => new Retried());
  return {
    take: ({ runId, retries }) => {
      for (const retry of retries) {
        const { agent, attempts, waitedMs, hasHelped } = retry;
        const retried = byError.of(agent, nameRetry(retry));
        retried.of += 1;
        retried.attempts += attempts;
        if (hasHelped) retried.helped += 1;
        else retried.add(runId, { latencyMs: waitedMs });
      }
    },
    findings: () =>
      [...byError.rows].flatMap(({ agent, name, value: retried }) => {
        const { count, helped, attempts, latencyMs } = retried;
        if (helped > 0 || count < LEAST) return [];
        return [
          {
            type: 'futile-retry' as const,
            agent,
            description: describeRetries(agent, name, count),
            expected: { latencyMs },
            evidence: retried.evidence({ attempts, waitedMs: latencyMs }),
            proven: retried.replayed(),
            basis: `counted from the recorded retries: ${attempts} attempts after the first, of which none helped; without them nothing else is asked`,
          },
        ];
      }),
  };
};
