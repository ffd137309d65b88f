import { cacheDefaults } from '../../../runtime/resources/answer-cache.ts';
import { callsIn } from '../run-facts.ts';
import type { CallFact } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

/** Calls that a cache would have answered. */
class Repeats extends Tally {
  /** True while all equal calls were equal by what was really sent. */
  isExact = true;
}

/** Fewer are chance. */
const LEAST = 2;

/** Finds agents that ask models the same again: counts the calls that a cache with default bounds would have answered. */
export const repeatedCalls = (): Rule => {
  const { entries, ttlMs } = cacheDefaults;
  const kept = new Map<string, CallFact>();
  const byAgent = new Table(() => new Repeats());
  const look = (call: CallFact, runId: string): void => {
    const repeats = byAgent.of(call.agent);
    repeats.of += 1;
    if (call.isCached) return;
    const known = kept.get(call.digest);
    const isHit = known !== undefined && isWithin(known, call, ttlMs);
    kept.delete(call.digest);
    kept.set(call.digest, isHit ? known : call);
    const [oldest] = kept.keys();
    if (kept.size > entries && oldest !== undefined) kept.delete(oldest);
    if (!isHit) return;
    const { ms: latencyMs, usage, costUsd } = call;
    repeats.add(runId, { latencyMs, tokens: usage.input + usage.output, costUsd });
    if (call.request === undefined || known.request === undefined) repeats.isExact = false;
  };
  return {
    take: (run) => {
      for (const call of callsIn(run)) look(call, run.runId);
    },
    findings: () =>
      [...byAgent.rows].flatMap(({ agent, value: repeats }) => {
        const { count, of, runCount, latencyMs, tokens, costUsd, isExact } = repeats;
        if (count < LEAST) return [];
        const within = `of ${of} calls, ${count} in ${runCount} runs equal one of the ${ttlMs / 1_000} s before`;
        return [
          {
            type: 'cache' as const,
            agent,
            description: `Agent '${agent}' asks its model the same again: give its runs an answerCache()`,
            expected: { latencyMs, tokens, costUsd, modelCalls: count },
            evidence: repeats.evidence({ repeatedShare: count / of, savedMs: latencyMs }),
            proven: isExact,
            basis: isExact
              ? `counted from the recorded requests: ${within}`
              : `requests are not on record; by what agents were seen to be given, ${within}`,
          },
        ];
      }),
  };
};

/** Checks whether the answer is young enough; one that is still under way is shared. */
const isWithin = (known: CallFact, call: CallFact, ttlMs: number): boolean =>
  call.startedAt >= known.startedAt && call.startedAt - known.endedAt < ttlMs;
