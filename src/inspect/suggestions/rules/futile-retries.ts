import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

const LEAST = 5;

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
      for (const { agent, kind, name, code, attempts, waitedMs, hasHelped } of retries) {
        const retried = byError.of(agent, `${kind} '${name}' after ${code}`);
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
            description: `Retries of ${name} never helped agent '${agent}' in ${count} calls: do not retry, or fall back at once`,
            expected: { latencyMs },
            evidence: retried.evidence({ attempts, waitedMs: latencyMs }),
            proven: retried.recounted(),
            basis: `counted from the recorded retries: ${attempts} attempts after the first, of which none helped`,
          },
        ];
      }),
  };
};
