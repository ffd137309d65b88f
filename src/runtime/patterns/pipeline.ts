import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Json } from '../../contracts/json.ts';
import { toJson } from '../../contracts/json.ts';
import type { StageErrorRule } from '../../coordination/pipeline.ts';
import { pipelineMachine, stageFunction } from '../../coordination/pipeline.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { memberOf, setupOf, team } from '../team.ts';

/**
 * What a stage that fails or stops means. `stop`: the end of the pipeline. `continue`: the next stage is given a `StageFailure` in
 * place of an output; the last stage has no next one, and its failure is the end. `value`: that is taken for its output.
 * `agent`: that one does its work, from the same input, and its failure is the end.
 */
export type OnStageError = 'stop' | 'continue' | { readonly value: Json } | { readonly agent: Member };

/** An agent as a stage, and how it is set up. */
export interface StageOptions {
  readonly agent: Member;
  /**
   * Pure: the output before, and the input of the whole pipeline, make the input of this stage. After a stage that the pipeline went
   * on without, the output before is a `StageFailure`: see `isStageFailure`.
   */
  readonly map?: ((previous: Json, first: Json) => Json) | undefined;
  /** What it means if this stage fails. Default: what the pipeline says. */
  readonly onError?: OnStageError | undefined;
}

/** A stage: an agent, or an agent and how it is set up. */
export type PipelineStage<Input, Output> = Agent<Input, Output> | StageOptions;

/** What a pipeline is made of. */
export interface PipelineSetup<Input, Output> extends TeamSetup {
  /** At least one; the first takes the pipeline's input, the last gives its output. */
  readonly stages:
    | readonly [PipelineStage<Input, Output>]
    | readonly [PipelineStage<Input, unknown>, ...StageLike[], PipelineStage<never, Output>];
  /** What it means if a stage fails or stops. Default `stop`. */
  readonly onStageError?: OnStageError | undefined;
}

type StageLike = Member | StageOptions;

/**
 * One after the other, each working on what the one before left.
 *
 * A stage without a `map` gets that output as it is; as text, if the stage takes a string and it is none. A stage that
 * fails or stops ends the pipeline, with the output so far as the candidate, unless `onStageError` says otherwise. What failed on the
 * way is told (`stage.failed`) and stands in the state of the result. A budget that is spent ends it in any case.
 *
 * Not for parts that do not need each other: those take less time side by side.
 *
 * @example
 * const report = pipeline({ name: 'report', stages: [researcher, { agent: checker, onError: 'continue' }, writer] });
 * const { output } = await report.run('How do tides work?');
 *
 * @throws {TroupeError} `team.invalid` without a stage, for a stage that is no agent, or a rule that is none.
 */
export const pipeline = <Input, Output>(
  setup: PipelineSetup<Input, Output>,
): EmbeddableAgent<Input, Output> => {
  const { name } = setup;
  const stages: readonly StageLike[] = setup.stages;
  if (stages.length === 0)
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${name}' as it has no stages: give it one at least`,
    );
  const members: Record<string, Member> = {};
  const join = (wanted: string, at: string, member: Member): string => {
    const role = wanted in members && members[wanted] !== member ? `${wanted}-${at}` : wanted;
    members[role] = member;
    return role;
  };
  const functions: Record<string, (...values: readonly Json[]) => Json> = {};
  const made = stages.map((stage, index) => {
    const {
      agent: member,
      map,
      onError = setup.onStageError ?? 'stop',
    } = 'agent' in stage ? stage : { agent: stage, map: undefined };
    const { agent: plan, name: own } = memberOf(name, `stage ${index + 1}`, member);
    if (map !== undefined)
      functions[stageFunction(index)] = (previous = null, first = null) => map(previous, first);
    else if (index > 0 && plan?.takesText === true)
      functions[stageFunction(index)] = (previous = null) => textOf(previous);
    return {
      member: join(own, `${index + 1}`, member),
      onError: ruleOf(name, index, onError, (standIn) => {
        const { name: other } = memberOf(name, `stand-in of stage ${index + 1}`, standIn);
        return join(other, `${index + 1}-stand-in`, standIn);
      }),
    };
  });
  return team({ ...setupOf(setup), machine: pipelineMachine, members, functions, options: { stages: made } });
};

const ruleOf = (
  team: string,
  stage: number,
  rule: OnStageError,
  join: (standIn: Member) => string,
): StageErrorRule => {
  if (rule === 'stop' || rule === 'continue') return { kind: rule };
  if (typeof rule === 'object' && 'agent' in rule) return { kind: 'member', member: join(rule.agent) };
  if (typeof rule === 'object' && 'value' in rule) return { kind: 'value', value: toJson(rule.value) };
  throw new TroupeError(
    'team.invalid',
    `Cannot define the team '${team}' as what it does about a failure of stage ${stage + 1} is none of 'stop', 'continue', { value } and { agent }: found ${String(rule)}`,
  );
};

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
