import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

const LEAST = 10;

/** Choices that an alternative was part of. */
class Offered extends Tally {
  /** True while all choices were by an order in which it stood behind the chosen one. */
  isInOrder = true;
}

/** The beginning of the words of a finding. */
export const describeDead = (agent: string, option: string): string =>
  `Of '${agent}', the alternative '${option}' was never chosen in `;

/** Finds alternatives of branches and members of routers that are never chosen. */
export const deadBranches = (): Rule => {
  const byOption = new Table(() => new Offered());
  return {
    take: ({ runId, choices }) => {
      for (const { agent, options, chosen, isInOrder } of choices)
        for (const option of new Set([...options, chosen])) {
          const tally = byOption.of(agent, option);
          tally.add(runId);
          if (option === chosen) tally.of += 1;
          if (!isInOrder) tally.isInOrder = false;
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
            description: `${describeDead(agent, option)}${count} choices: remove it, or say when it is to be chosen`,
            expected: {},
            evidence: { ...evidence, of: count },
            proven: tally.isInOrder ? tally.replayed() : tally.recounted(),
            basis: tally.isInOrder
              ? `counted from ${count} recorded choices; by their scores the others are chosen without it, too`
              : `counted from ${count} recorded choices; how the others are chosen without it is not on record`,
          },
        ];
      }),
  };
};
