import { canonical } from '../../../base/json/canonical.ts';
import { several } from '../../../base/text/number-words.ts';
import type { RunFacts, ToolFact } from '../run-facts.ts';
import { inGroups, toolsIn } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

/** Fewer are chance. */
const LEAST = 2;

/** Calls of a tool whose result a run had already. */
class Reads extends Tally {
  /** Calls that got another result than an equal one before: what the tool reads changes, so that none is to be reused. */
  changed = 0;
}

/**
 * Finds tools that give the same results to equal calls of a run: `cacheable: true` would reuse the first. That a tool only reads is not on
 * record, so its author has to know, and nothing applies it by itself.
 */
export const repeatedReads = (): Rule => {
  const byTool = new Table(() => new Reads());
  return {
    take: (run) => {
      for (const { agent, tool } of toolsIn(run)) byTool.of(agent, tool).of += 1;
      for (const calls of equalCallsOf(run)) {
        const [first, ...others] = calls;
        if (first === undefined) continue;
        const reads = byTool.of(first.agent, first.tool);
        for (const { startedAt, text, isOk, ms: latencyMs } of others)
          if (!isOk || !first.isOk || text !== first.text) reads.changed += 1;
          else if (startedAt >= first.endedAt) reads.add(run.runId, { latencyMs });
      }
    },
    findings: () =>
      [...byTool.rows].flatMap(({ agent, name: tool, value: reads }) => {
        const { count, of, runCount, changed, latencyMs } = reads;
        if (count < LEAST || changed > 0) return [];
        return [
          {
            type: 'cacheable-tool' as const,
            agent,
            tool,
            description: `Agent '${agent}' calls '${tool}' with the same arguments again in a run, and gets the same result: declare it \`safety: 'read'\` and \`cacheable: true\` where it only reads`,
            expected: { latencyMs },
            evidence: reads.evidence({ repeatedShare: count / of, savedMs: latencyMs }),
            proven: false as const,
            basis: `counted from records: of ${several(of, 'call')}, ${count} in ${several(runCount, 'run')} equal one before in the run; not proven as no record says that the tool only reads`,
          },
        ];
      }),
  };
};

/** The calls of a run with equal tool and arguments, by agent, in the order of their ends. */
const equalCallsOf = (run: RunFacts): Iterable<readonly ToolFact[]> =>
  inGroups(toolsIn(run), ({ agent, tool, input }) => canonical([agent, tool, input]));
