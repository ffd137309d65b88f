import type { Agent } from '../../contracts/agent.ts';
import type { Json } from '../../contracts/json.ts';
import type { HandoffsOptions, HandoffsState } from '../../coordination/handoffs.ts';
import { ADAPTER, handoffsMachine } from '../../coordination/handoffs.ts';
import { textOf } from '../../coordination/round/said-json.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { TeamSetup } from '../define/team.ts';
import { setupOf, team } from '../define/team.ts';
import { checkSetup } from './setup/check-setup.ts';

/** What handoffs are made of. */
export interface HandoffsSetup<Input, Output> extends TeamSetup {
  /** By the names under which they hand on to each other: by the tool `handoffTool()`, or by deciding `handoff(name)`. */
  readonly members: Readonly<Record<string, Agent<Input, Output>>>;
  /** Who has it first. Default: the first of the members. */
  readonly first?: string | undefined;
  /**
   * What the receiver sees beside the task: the giver's whole conversation (`full`), the last rounds of it in a few lines
   * (`summary`), or nothing (`isolated`, the default).
   */
  readonly context?: HandoffsOptions['context'] | undefined;
  /** Rounds that a summary tells of. Default 3. */
  readonly summaryRounds?: number | undefined;
  /** Fields of the giver's state that come with the task. Default: none. */
  readonly fields?: readonly string[] | undefined;
  /** Pure: what is handed over of those fields, for this receiver. Default: the fields as they are. */
  readonly adapt?: ((fields: Json, way: { readonly from: string; readonly to: string }) => Json) | undefined;
  /** Default 10. */
  readonly maxHandoffs?: number | undefined;
  /** The number of times that one may hand the task to the same other one. Default 0: nobody has it twice. */
  readonly revisits?: number | undefined;
}

/**
 * A task goes from hand to hand: whoever has it answers, or hands it on to another of the members.
 *
 * A handoff to nobody, to oneself, or to somebody who had the task is refused; the giver goes on from its own conversation and is
 * told why, once. After that, and for two that hand it to and fro more than `revisits` allows, the run fails with `handoff.refused`. Past
 * `maxHandoffs` it ends `stopped { kind: 'softCap', cap: 'handoffs' }`. A team among the members has no conversation
 * to hand on: its receiver sees the task.
 *
 * Not where somebody should decide who does what (`supervisorWorker`, `orchestrator`), or who does it once and for all (`router`).
 *
 * @example
 * const desk = handoffs({ name: 'desk', members: { reception, billing, tech }, context: 'summary' });
 * const { output } = await desk.run('I was charged twice.');
 *
 * @throws {TroupeError} `team.invalid` without members, for a first one or a context that there is not, or a number that bounds nothing.
 */
export const handoffs = <Input = string, Output = string>(
  setup: HandoffsSetup<Input, Output>,
): EmbeddableAgent<Input, Output, HandoffsState> => {
  const check = checkSetup(setup);
  const { members, adapt } = setup;
  const names = check.asked('members', members, {});
  const [first = ''] = names;
  check.rule('adapt', adapt);
  return team({
    ...setupOf(setup),
    machine: handoffsMachine,
    members,
    functions:
      adapt === undefined
        ? {}
        : {
            [ADAPTER]: (given = null, from = '', to = '') =>
              adapt(given, { from: textOf(from), to: textOf(to) }),
          },
    options: {
      first: check.word('first', setup.first, first, names),
      members: names,
      context: check.word('context', setup.context, 'isolated', ['full', 'summary', 'isolated']),
      summaryRounds: check.count('summaryRounds', setup.summaryRounds, 3),
      fields: check.texts('fields', setup.fields),
      maxHandoffs: check.count('maxHandoffs', setup.maxHandoffs, 10, 0),
      revisits: check.count('revisits', setup.revisits, 0, 0),
    } satisfies HandoffsOptions,
  });
};
