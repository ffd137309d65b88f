import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Json } from '../../contracts/json.ts';
import { pipelineMachine, stageFunction } from '../../coordination/pipeline.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { memberOf, setupOf, team } from '../team.ts';

/** A stage: an agent, or an agent with what makes its input of the output before it. */
export type PipelineStage<Input, Output> =
  | Agent<Input, Output>
  | {
      readonly agent: Member;
      /** Pure: the output before, and the input of the whole pipeline, make the input of this stage. */
      readonly map: (previous: Json, first: Json) => Json;
    };

/** What a pipeline is made of. */
export interface PipelineSetup<Input, Output> extends TeamSetup {
  /** At least one; the first takes the pipeline's input, the last gives its output. */
  readonly stages:
    | readonly [PipelineStage<Input, Output>]
    | readonly [PipelineStage<Input, unknown>, ...StageLike[], PipelineStage<never, Output>];
}

type StageLike = Member | { readonly agent: Member; readonly map: (previous: Json, first: Json) => Json };

/**
 * One after the other, each working on what the one before left.
 *
 * A stage without a `map` gets that output as it is; as text, if the stage takes a string and it is none. A stage that
 * fails or stops ends the pipeline, with the output so far as the candidate.
 *
 * @example
 * const report = pipeline({ name: 'report', stages: [researcher, writer] });
 * const { output } = await report.run('How do tides work?');
 *
 * @throws {TroupeError} `team.invalid` without a stage, or for a stage that is no agent.
 */
export const pipeline = <Input, Output>(
  setup: PipelineSetup<Input, Output>,
): EmbeddableAgent<Input, Output> => {
  const stages: readonly StageLike[] = setup.stages;
  if (stages.length === 0)
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${setup.name}' as it has no stages: give it one at least`,
    );
  const members: Record<string, Member> = {};
  const functions: Record<string, (...values: readonly Json[]) => Json> = {};
  const roles = stages.map((stage, index) => {
    const { member, map } =
      'map' in stage ? { member: stage.agent, map: stage.map } : { member: stage, map: undefined };
    const { agent: plan, name } = memberOf(setup.name, `stage ${index + 1}`, member);
    const role = name in members && members[name] !== member ? `${name}-${index + 1}` : name;
    members[role] = member;
    if (map !== undefined)
      functions[stageFunction(index)] = (previous = null, first = null) => map(previous, first);
    else if (index > 0 && plan?.takesText === true)
      functions[stageFunction(index)] = (previous = null) => textOf(previous);
    return role;
  });
  return team({
    ...setupOf(setup),
    machine: pipelineMachine,
    members,
    functions,
    options: { stages: roles },
  });
};

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
