import type { Agent } from '../../contracts/agent.ts';
import type { Json } from '../../contracts/json.ts';
import { toJson } from '../../contracts/json.ts';
import type { PipelineState, StageErrorRule } from '../../coordination/pipeline.ts';
import { pipelineMachine, stageFunction } from '../../coordination/pipeline.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { Member, TeamSetup } from '../define/team.ts';
import { memberOf, setupOf, team } from '../define/team.ts';
import type { SetupCheck } from './setup/check-setup.ts';
import { isRecord } from '../define/is-record.ts';
import { checkSetup } from './setup/check-setup.ts';
import { memberWith } from './setup/member-with.ts';

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
): EmbeddableAgent<Input, Output, PipelineState> => {
  const check = checkSetup(setup);
  const { name } = setup;
  const stages: readonly StageLike[] = setup.stages;
  if (!Array.isArray(stages) || stages.length === 0)
    check.refuse('it has no list of stages, of one at least', stages);
  const members: Record<string, Member> = {};
  const join = (wanted: string, at: string, member: Member): string => {
    const role = wanted in members && members[wanted] !== member ? `${wanted}-${at}` : wanted;
    members[role] = member;
    return role;
  };
  const functions: Record<string, (...values: readonly Json[]) => Json> = {};
  const made = stages.map((stage, index) => {
    const at = `stage ${index + 1}`;
    const [member, { map, onError = setup.onStageError }] = memberWith<StageOptions>(name, at, stage);
    const { agent: plan, name: own } = memberOf(name, at, member);
    check.rule(`map of ${at}`, map);
    if (map !== undefined)
      functions[stageFunction(index)] = (previous = null, first = null) => map(previous, first);
    else if (index > 0 && plan?.takesText === true)
      functions[stageFunction(index)] = (previous = null) => textOf(previous);
    return {
      member: join(own, `${index + 1}`, member),
      onError: ruleOf(check, at, onError, (standIn) => {
        const { name: other } = memberOf(name, `stand-in of ${at}`, standIn);
        return join(other, `${index + 1}-stand-in`, standIn);
      }),
    };
  });
  return team({ ...setupOf(setup), machine: pipelineMachine, members, functions, options: { stages: made } });
};

const ruleOf = (
  check: SetupCheck,
  stage: string,
  rule: OnStageError | undefined,
  join: (standIn: Member) => string,
): StageErrorRule => {
  if (rule === undefined) return { kind: 'stop' };
  if (rule === 'stop' || rule === 'continue') return { kind: rule };
  if (isRecord(rule) && 'agent' in rule) return { kind: 'member', member: join(rule.agent) };
  if (isRecord(rule) && 'value' in rule) return { kind: 'value', value: toJson(rule.value) };
  return check.refuse(
    `what it does about a failure of ${stage} (onError) is none of 'stop', 'continue', { value } and { agent }`,
    rule,
  );
};

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
