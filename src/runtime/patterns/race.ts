import type { Agent } from '../../contracts/agent.ts';
import type { Json } from '../../contracts/json.ts';
import type { RaceLoser, RaceState } from '../../coordination/race.ts';
import { ACCEPTS, raceMachine } from '../../coordination/race.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { TeamSetup } from '../define/team.ts';
import { setupOf, team } from '../define/team.ts';
import { checkSetup } from './setup/check-setup.ts';

export type { RaceLoser, RaceState };

/** Who runs for an answer. */
export interface RaceSetup<Input, Output> extends TeamSetup {
  /** By name, in the order in which they start: the cheapest first. At least two. */
  readonly members: Readonly<Record<string, Agent<Input, Output>>>;
  /** The next one starts when there is no winner after so long, in ms, or when one has failed. 0: all start together. Default 5,000. */
  readonly hedgeAfterMs?: number | undefined;
  /** Checks whether an answer is good enough to win. Pure. Default: every answer is. */
  readonly accept?: ((output: Output) => boolean) | undefined;
}

/**
 * A hedged race: the first answer that is good enough wins, and whoever is still at work is stopped.
 *
 * The second starts only when the first takes longer than `hedgeAfterMs` or fails, so most runs cost no more than one. Who won and why
 * the others did not is in `result.state`. Nobody good enough: `stopped { rule: 'race' }`, with what was said as the candidate; nobody
 * at all: failed, with the last error.
 *
 * Not for members that change the world: a loser is stopped in the middle of its work. Not to get a better answer, but the same one sooner; for
 * a better one, let several be written and read (`ensemble`).
 *
 * @example
 * const quick = race({ name: 'quick', members: { small, large }, hedgeAfterMs: 2_000, accept: (answer) => answer !== '' });
 * const { output, state } = await quick.run('What is the capital of Peru?');
 *
 * @throws {TroupeError} `team.invalid` for less than two members, one that is no agent, or a wait that is no whole number from 0.
 */
export const race = <Input, Output>(
  setup: RaceSetup<Input, Output>,
): EmbeddableAgent<Input, Output, RaceState> => {
  const check = checkSetup(setup);
  const { members, accept } = setup;
  const names = check.asked('members', members, { least: 2 });
  check.rule('accept', accept);
  return team({
    ...setupOf(setup),
    machine: raceMachine,
    members,
    // What a member gives was checked by its own schema.
    ...(accept === undefined
      ? {}
      : { functions: { [ACCEPTS]: (output: Json = null) => accept(output as Output) } }),
    options: {
      members: names,
      hedgeAfterMs: check.count('hedgeAfterMs', setup.hedgeAfterMs, 5_000, 0),
      judges: accept !== undefined,
    },
  });
};
