import type { Agent } from '../../contracts/agent.ts';
import type { WriterCriticState } from '../../coordination/writer-critic.ts';
import { CRITIC, verdictSchema, writerCriticMachine } from '../../coordination/writer-critic.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { TeamSetup } from '../define/team.ts';
import { memberOf, setupOf, team } from '../define/team.ts';
import { checkSetup } from './setup/check-setup.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';

/** Who writes, and who judges what was written. */
export interface WriterCriticSetup<Output> extends TeamSetup {
  /** Takes a text: the request first, then its draft with what was said of it. What it answers is the draft. */
  readonly writer: Agent<string, Output>;
  /**
   * Somebody else: the options of an agent that is made for it, and answers `{ verdict, note }`; or an agent, a team or a person as they
   * are, who may say `accept` or `revise: why` as well.
   */
  readonly critic: Role;
  /** Drafts that may be sent back; the next one that is not accepted ends the run. Default 2, so three drafts. */
  readonly maxRejections?: number | undefined;
}

/**
 * One writes, another judges, and the first revises: a writer and a critic, or a proposer and a verifier.
 *
 * Only what the critic accepted is the output. Past `maxRejections` the run ends `stopped { kind: 'rejected' }`; a critic that
 * fails, or gives no verdict twice in a row, ends it `stopped { rule: 'critic' }`. In either case the last draft is the
 * candidate, as it is where the writer fails at a revision.
 *
 * Not for what a program can check: a critic of the agent itself (`critics`) costs no model call and no second agent. Nor for
 * a critic that is the writer's model with the writer's instructions: it likes what it would have written.
 *
 * @example
 * const essay = writerCritic({ name: 'essay', writer, critic: { instructions: 'Every claim needs a source.' } });
 * const { output, candidate } = await essay.run('Why do tides lag behind the moon?');
 *
 * @throws {TroupeError} `team.invalid` where writer and critic are the same agent or have one name, for one that is no agent, or
 * a number that bounds nothing.
 */
export const writerCritic = <Output>(
  setup: WriterCriticSetup<Output>,
): EmbeddableAgent<string, Output, WriterCriticState> => {
  const check = checkSetup(setup);
  const { name } = setup;
  const critic = roleOf(setup.critic, {
    team: name,
    role: CRITIC,
    instructions:
      'You judge the drafts of another. Accept what does what was asked for; else say what is wrong, so that it can be mended.',
    output: verdictSchema(),
  });
  const writing = memberOf(name, 'writer', setup.writer).name;
  const judging = memberOf(name, CRITIC, critic).name;
  if (writing === judging)
    check.refuse('nobody judges their own draft: its writer and its critic are the same', writing);
  return team({
    ...setupOf(setup),
    machine: writerCriticMachine,
    members: { [writing]: setup.writer, [judging]: critic },
    options: {
      writer: writing,
      critic: judging,
      maxRejections: check.count('maxRejections', setup.maxRejections, 2, 0),
    },
  });
};
