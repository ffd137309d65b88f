import { TroupeError } from '../../contracts/errors/error.ts';
import type { Round } from './round.ts';
import type { TeamContext } from './team-context.ts';
import { spentEnd } from './team-context.ts';

/** Rounds of a team in all, unless its chart says otherwise. */
export const MAX_ROUNDS = 10_000;

/**
 * The count of a team's rounds with one more.
 *
 * After the budget is spent as many rounds may begin as were paid for: what was done may have to be undone, step by step.
 *
 * @throws {TroupeError} `machine.invalid` for a team that has ended; `budget.spent` for one that continues without a budget.
 */
export const nextRound = (context: TeamContext): Pick<Round, 'number' | 'unpaid'> => {
  const { team, round, end } = context;
  if (end !== null)
    throw new TroupeError(
      'machine.invalid',
      `Cannot begin a round of '${team.name}' as it has ended (${end.status}): take the arrow to the end first`,
    );
  const unpaid = spentEnd(context) === undefined ? 0 : round.unpaid + 1;
  if (unpaid > round.number - unpaid)
    throw new TroupeError(
      'budget.spent',
      `Cannot begin a round of '${team.name}' as its budget is spent: end it with spentEnd(context) after each round`,
    );
  return { number: round.number + 1, unpaid };
};
