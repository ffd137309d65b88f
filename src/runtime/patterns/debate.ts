import * as z from 'zod';
import type { DebateResult, DebateState, DebateTurn, Side } from '../../coordination/debate.ts';
import { debateMachine, JUDGE } from '../../coordination/debate.ts';
import { onDemand } from '../../contracts/on-demand.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { TeamSetup } from '../define/team.ts';
import { setupOf, team } from '../define/team.ts';
import { checkSetup } from './setup/check-setup.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';

export type { DebateResult, DebateState, DebateTurn };

/** Who debates, for how long, and who judges. */
export interface DebateSetup<Judge extends Role | undefined = Role | undefined> extends TeamSetup {
  /** By name, in the order in which they speak; two at least, none of them called `judge`. They take a text. */
  readonly debaters: Readonly<Record<string, Role>>;
  /** For what each of them speaks. Default: the first for the motion, the second against it, and so on in turn. */
  readonly sides?: Readonly<Record<string, Side>> | undefined;
  /** Turns of each debater, and all of them are held: an opening, rebuttals, a closing. With one there is an opening only. Default 3. */
  readonly rounds?: number | undefined;
  /** Reads the whole of it and decides. Default: nobody, and the transcript is the result. */
  readonly judge?: Judge;
}

const judgementSchema = onDemand(() =>
  z.object({
    decision: z.enum(['for', 'against', 'tie']).catch('tie'),
    confidence: z.number().catch(0.5).describe('From 0 to 1: how clear the case is.'),
    reason: z.string().catch('').describe('Why, by what was said.'),
  }),
);

/**
 * Debaters speak for and against a motion, one after the other; a judge reads the whole turns, in order, and decides.
 *
 * In its opening nobody knows what the others say; from then on each reads the opponents' last turns. A turn whose speaker
 * fails stands in the transcript as such, and the debate goes on. A judge whose decision cannot be read has decided `tie`;
 * one that fails leaves the turns, as the candidate of a run that ends `stopped { rule: 'judge' }`.
 *
 * Not for finding an answer that nobody has yet (`ensemble`), nor where one critic would do: it costs a call for each turn of
 * each debater, one after the other.
 *
 * @example
 * const court = debate({ name: 'court', debaters: { ann, bob }, judge: { instructions: 'Be strict.' } });
 * const { output } = await court.run('Tabs are better than spaces.');
 * output?.decision; // 'for' | 'against' | 'tie'
 *
 * @throws {TroupeError} `team.invalid` for fewer than two debaters, one called `judge`, a side for nobody, all on one side, or
 * a number of rounds that bounds nothing.
 */
export const debate = <Judge extends Role | undefined = undefined>(
  setup: DebateSetup<Judge>,
): EmbeddableAgent<
  string,
  [Judge] extends [undefined] ? readonly DebateTurn[] : DebateResult,
  DebateState
> => {
  const check = checkSetup(setup);
  const { name, judge, sides = {} } = setup;
  const names = check.asked('debaters', setup.debaters, { least: 2, reserved: [JUDGE] });
  for (const each of check.names('sides', sides)) {
    if (!names.includes(each)) check.refuse('there is no such debater to take a side', each);
    check.word(`side of '${each}'`, sides[each], 'for', ['for', 'against']);
  }
  const debaters = names.map((each, index) => {
    const side: Side = sides[each] ?? (index % 2 === 0 ? 'for' : 'against');
    return { name: each, side };
  });
  if (new Set(debaters.map(({ side }) => side)).size < 2)
    check.refuse('all of its debaters are on one side', names.join(', '));
  const members = Object.entries(setup.debaters).map(
    ([role, given]) => [role, roleOf(given, { team: name, role })] as const,
  );
  return team({
    ...setupOf(setup),
    machine: debateMachine,
    members: {
      ...Object.fromEntries(members),
      ...(judge === undefined
        ? {}
        : { [JUDGE]: roleOf(judge, { team: name, role: JUDGE, output: judgementSchema() }) }),
    },
    options: {
      debaters,
      rounds: check.count('rounds', setup.rounds, 3),
      isJudged: judge !== undefined,
    },
  });
};
