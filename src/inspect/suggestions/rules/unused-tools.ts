import { isOwnTool } from '../../../tools/define/own-tools.ts';
import { callsIn, toolsIn } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

/** Runs that have to offer a tool. */
const LEAST_RUNS = 10;
const CHARACTERS_PER_TOKEN = 4;

/** Requests that offered a tool, and the calls of it. */
class Offer extends Tally {
  used = 0;
}

/** Finds tools that are described to a model in each call, and never called. Requests have to be on record. */
export const unusedTools = (): Rule => {
  const byTool = new Table(() => new Offer());
  return {
    take: (run) => {
      for (const { agent, request, usage, costUsd } of callsIn(run))
        for (const spec of request?.tools ?? []) {
          if (isOwnTool(spec.name)) continue;
          const tokens = Math.ceil(JSON.stringify(spec).length / CHARACTERS_PER_TOKEN);
          const price = costUsd === undefined ? undefined : (costUsd * tokens) / (usage.input + usage.output);
          byTool
            .of(agent, spec.name)
            .add(run.runId, { tokens, costUsd: Number.isFinite(price) ? price : undefined });
        }
      for (const { agent, tool } of toolsIn(run)) byTool.of(agent, tool).used += 1;
    },
    findings: () =>
      [...byTool.rows].flatMap(({ agent, name: tool, value: offer }) => {
        const { runCount, count, used, tokens, costUsd } = offer;
        if (used > 0 || runCount < LEAST_RUNS) return [];
        offer.of = count;
        return [
          {
            type: 'unused-tool' as const,
            agent,
            tool,
            description: `Tool '${tool}' was offered to the model of agent '${agent}' ${count} times and never called: remove or defer it`,
            expected: { tokens, costUsd },
            evidence: offer.evidence({ offered: count, tokens }),
            proven: offer.recounted(),
            basis: `counted from the recorded requests of ${runCount} runs; assumes four characters to a token`,
          },
        ];
      }),
  };
};
