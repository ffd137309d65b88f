import { canonical } from '../../../base/json/canonical.ts';
import { toJson } from '../../../base/json/json.ts';
import { cacheDefaults } from '../../../runtime/resources/answer-cache.ts';
import { movesByPath } from '../run-facts.ts';
import type { CallFact, Move, RunFacts } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

/** Calls that a cache would have answered. */
class Repeats extends Tally {
  /** True while all equal calls were equal by what was really sent. */
  isExact = true;
  /** Those whose answer was not that of the call before: with a cache, their runs would have taken another way. */
  differing = 0;
}

/** A call, and what came of its answer. */
interface AnsweredCall extends CallFact {
  readonly outcome: string;
}

/** The calls that a cache with default bounds would hold, as recorded calls come one after the other. */
export class ImaginedCache<Call extends CallFact> {
  readonly #kept = new Map<string, Call>();

  /** The earlier call whose answer a cache would have given to this one. */
  answerTo(call: Call): Call | undefined {
    if (call.isCached) return undefined;
    const { entries, ttlMs } = cacheDefaults;
    const known = this.#kept.get(call.digest);
    const isHit = known !== undefined && isWithin(known, call, ttlMs);
    this.#kept.delete(call.digest);
    this.#kept.set(call.digest, isHit ? known : call);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > entries && oldest !== undefined) this.#kept.delete(oldest);
    return isHit ? known : undefined;
  }
}

/** Fewer are chance. */
const LEAST = 2;

/** Finds agents that ask models the same again: counts the calls that a cache with default bounds would have answered. */
export const repeatedCalls = (): Rule => {
  const cache = new ImaginedCache<AnsweredCall>();
  const byAgent = new Table(() => new Repeats());
  const look = (call: AnsweredCall, runId: string): void => {
    const repeats = byAgent.of(call.agent);
    repeats.of += 1;
    const known = cache.answerTo(call);
    if (known === undefined) return;
    const { ms: latencyMs, usage, costUsd } = call;
    repeats.add(runId, { latencyMs, tokens: usage.input + usage.output, costUsd });
    if (call.request === undefined || known.request === undefined) repeats.isExact = false;
    if (call.outcome !== known.outcome) repeats.differing += 1;
  };
  return {
    take: (run) => {
      for (const call of answeredCalls(run)) look(call, run.runId);
    },
    findings: () =>
      [...byAgent.rows].flatMap(({ agent, value: repeats }) => {
        const { count, of, runCount, latencyMs, tokens, costUsd, differing } = repeats;
        if (count < LEAST) return [];
        return [
          {
            type: 'cache' as const,
            agent,
            description: `Agent '${agent}' asks its model the same again: give its runs an answerCache()`,
            expected: { latencyMs, tokens, costUsd, modelCalls: count },
            evidence: repeats.evidence({ repeatedShare: count / of, savedMs: latencyMs, differing }),
            ...provenBy(
              repeats,
              `of ${of} calls, ${count} in ${runCount} runs equal one of the ${cacheDefaults.ttlMs / 1_000} s before`,
            ),
          },
        ];
      }),
  };
};

/** A cache changes nothing of runs whose equal calls got equal answers: they would have ended the same. */
const provenBy = (repeats: Repeats, within: string) => {
  const { isExact, differing } = repeats;
  if (!isExact)
    return {
      proven: false as const,
      basis: `by what agents were seen to be given, ${within}; not proven as requests are not on record`,
    };
  if (differing > 0)
    return {
      proven: false as const,
      basis: `counted from the recorded requests: ${within}; not proven as ${differing} of them got another answer, which a cache would take from their runs`,
    };
  return {
    proven: repeats.replayed(),
    basis: `counted from the recorded requests: ${within}, and got the same answer`,
  };
};

/** The model calls of a run, in order. The calls of tools that follow are part of an answer. */
const answeredCalls = (run: RunFacts): readonly AnsweredCall[] => {
  const answers = new Map<Move, string>();
  for (const moves of movesByPath(run))
    for (const [index, move] of moves.entries()) {
      if (move.kind !== 'model') continue;
      const next = moves.findIndex(({ kind }, at) => at > index && kind === 'model');
      const asked = moves
        .slice(index + 1, next < 0 ? undefined : next)
        .map((made) => (made.kind === 'tool' ? canonical(toJson([made.tool, made.input])) : ''))
        // Calls that run at once end in any order.
        .toSorted();
      answers.set(move, canonical(toJson([move.text, move.calls, asked])));
    }
  return run.moves.flatMap((move) =>
    move.kind === 'model' ? [{ ...move, outcome: answers.get(move) ?? '' }] : [],
  );
};

/** Checks whether the answer is young enough; one that is still under way is shared. */
const isWithin = (known: CallFact, call: CallFact, ttlMs: number): boolean =>
  call.startedAt >= known.startedAt && call.startedAt - known.endedAt < ttlMs;
