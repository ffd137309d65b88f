import { emptyTally } from '../../contracts/agents/tally.ts';
import type { Definition } from '../../runtime/define/definition.ts';

/** More steps than any rule is asked about. */
const MANY = 10_000;

/** The number of steps that an agent may take: by its budget, or the first at which one of its rules stops it. */
export const stepLimit = ({ agent, budget, rules }: Definition): number => {
  const { state = {} } = agent ?? {};
  const limiting = rules.stop.filter(({ limitsSteps }) => limitsSteps === true);
  const isOver = (step: number): boolean =>
    limiting.some(
      (rule) =>
        rule.check({ step, state, tally: emptyTally(0), decision: undefined, results: [] }) !== undefined,
    );
  let step = 1;
  while (step <= MANY && !isOver(step)) step += 1;
  return Math.min(budget?.steps ?? Infinity, step > MANY ? Infinity : step);
};
