import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

const LEAST = 10;

/** Finds alternatives of branches and members of routers that are never chosen. */
export const deadBranches = (): Rule => {
  const byOption = new Table(() => new Tally());
  return {
    take: ({ runId, choices }) => {
      for (const { agent, options, chosen } of choices)
        for (const option of new Set([...options, chosen])) {
          const tally = byOption.of(agent, option);
          tally.add(runId);
          if (option === chosen) tally.of += 1;
        }
    },
    findings: () =>
      [...byOption.rows].flatMap(({ agent, name: option, value: tally }) => {
        const { count, of: chosen } = tally;
        if (chosen > 0 || count < LEAST) return [];
        const evidence = tally.evidence({ offered: count, chosen });
        return [
          {
            type: 'dead-branch' as const,
            agent,
            description: `Of '${agent}', the alternative '${option}' was never chosen in ${count} choices: remove it, or say when it is to be chosen`,
            expected: {},
            evidence: { ...evidence, of: count },
            proven: tally.recounted(),
            basis: `counted from ${count} recorded choices`,
          },
        ];
      }),
  };
};
