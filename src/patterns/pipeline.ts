import type { Agent } from '../contracts/agents/agent.ts';
import type { ErrorCode } from '../contracts/errors/error-data.ts';
import { errorData, TroupeError } from '../contracts/errors/error.ts';
import type { EventBody } from '../contracts/events/event.ts';
import type { Json } from '../base/json/json.ts';
import { toJson } from '../base/json/json.ts';
import { isThenable } from '../base/promises/thenable.ts';
import { anything } from '../base/schemas/option-schemas.ts';
import { answeredWith, failedWith } from '../coordination/round/ends.ts';
import type { Reply } from '../coordination/round/round.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext } from '../coordination/round/team-context.ts';
import { endOf, repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import type { FlowArrow } from '../machines/diagrams/composition.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import { isRecord } from '../base/json/is-record.ts';
import type { Member, TeamSetup } from '../runtime/define/team.ts';
import { memberOf } from '../runtime/define/team.ts';
import type { SetupCheck } from './setup/check-setup.ts';
import { memberWith } from './setup/member-with.ts';
import { pattern } from './setup/pattern.ts';
import { setupShape } from './setup/setup-schema.ts';
import { rulesInForce } from '../machines/in-force.ts';

/**
 * The consequence of a stage that fails or stops. `stop`: the end of the pipeline. `continue`: the next stage is given a `StageFailure` in
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
  /** The consequence if this stage fails. Default: that of the pipeline. */
  readonly onError?: OnStageError | undefined;
}

/** A stage: an agent, or an agent and how it is set up. */
export type PipelineStage<Input, Output> = Agent<Input, Output> | StageOptions;

/** The stages of a pipeline. */
export interface PipelineSetup<Input, Output> extends TeamSetup {
  /** At least one; the first takes the pipeline's input, the last gives its output. */
  readonly stages:
    | readonly [PipelineStage<Input, Output>]
    | readonly [PipelineStage<Input, unknown>, ...StageLike[], PipelineStage<never, Output>];
  /** The consequence if a stage fails or stops. Default `stop`. */
  readonly onStageError?: OnStageError | undefined;
}

type StageLike = Member | StageOptions;

/** The consequence of a stage that fails: the end, a gap that the next one sees, or something else in place of its output. */
export type StageErrorRule =
  | { readonly kind: 'stop' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'member'; readonly member: string };

/** The stages, in order, and the consequence if one fails. */
export type PipelineOptions = {
  readonly stages: readonly { readonly member: string; readonly onError: StageErrorRule }[];
};

/**
 * The stand-in for the output of a stage that failed, where the pipeline goes on: a marker, never the text of an error taken for
 * a result.
 */
export type StageFailure = {
  readonly kind: 'stageFailure';
  /** From 0. */
  readonly stage: number;
  readonly member: string;
  readonly code: ErrorCode | 'stopped';
  readonly message: string;
  /** The candidate of the stage; null for none. */
  readonly candidate: Json;
};

/** The progress of a pipeline. */
export type PipelineState = {
  /** The stage that is at work, or was last; from 0. */
  readonly stage: number;
  /** The stages that failed, and which the pipeline went on without. */
  readonly failures: readonly StageFailure[];
};

type Own = PipelineState & {
  /** The input of the next stage. */
  readonly output: Json;
  /** The input of the stage at work. */
  readonly given: Json;
  /** The member that does the work of the stage in place of the one that failed; null for nobody. */
  readonly standIn: string | null;
};
type Context = TeamContext<Own, PipelineOptions>;

/** The name of the function that makes a stage's input of the output before it. */
const stageFunction = (stage: number): string => `stage-${stage}`;

/** Checks whether it stands for the output of a stage that failed. */
export const isStageFailure = (value: unknown): value is StageFailure =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'stageFailure';

/** The next stage's input: what the stage before left, as its `map` has it. */
const nextTask = (context: Context): Partial<Context> => {
  const { own, options, input } = context;
  const stage = own.stage + 1;
  const next = options.stages[stage];
  if (next === undefined) return {};
  const previous: Json = stage === 0 ? input : own.output;
  const map = rulesInForce().functions?.[stageFunction(stage)];
  try {
    const given = map === undefined ? previous : map(previous, input);
    if (isThenable(given)) throw promiseRefusal(next.member, given);
    return {
      own: { ...own, stage, given, standIn: null },
      ...beginRound(context, [{ member: next.member, input: given }]),
    };
  } catch (thrown) {
    const message = `Cannot go on with '${next.member}' as the map of its stage threw`;
    const error = errorData(thrown, 'agent.threw', { message });
    return { own: { ...own, stage }, end: failedWith(error) };
  }
};

const promiseRefusal = (member: string, given: PromiseLike<unknown>): TroupeError => {
  // Its rejection is ignored, as the pipeline fails anyway.
  Promise.resolve(given).catch(() => undefined);
  return new TroupeError(
    'agent.threw',
    `Cannot go on with '${member}' as the map of stage '${member}' returned a promise, and has to answer at once: have a stage of its own do what takes time`,
  );
};

/** Judges the last reply: the end, the next stage, or another in place of the member that failed. */
const judge = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  const at = options.stages[own.stage];
  if (reply === undefined || at === undefined) return {};
  if (reply.status === 'completed') return goOn(context, reply.output);
  const spent = spentEnd(context);
  const end = endOf(reply);
  if (spent !== undefined || reply.status === 'aborted' || own.standIn !== null) return { end };
  const { onError } = at;
  const isLast = own.stage + 1 >= options.stages.length;
  switch (onError.kind) {
    case 'stop':
      return { end };
    case 'member':
      return { own: { ...own, failures: withFailure(own, reply), standIn: onError.member } };
    case 'value':
      return goOn({ ...context, own: { ...own, failures: withFailure(own, reply) } }, onError.value);
    case 'continue':
      // No stage follows the last that could do without its output.
      return isLast
        ? { end }
        : goOn({ ...context, own: { ...own, failures: withFailure(own, reply) } }, failureOf(own, reply));
  }
};

const goOn = ({ own, options }: Context, output: Json): Partial<Context> =>
  own.stage + 1 >= options.stages.length
    ? { own, end: answeredWith(output) }
    : { own: { ...own, output, standIn: null } };

const withFailure = (own: Own, reply: Reply): Own['failures'] => [...own.failures, failureOf(own, reply)];

const failureOf = ({ stage }: Own, { member, error, stopReason, output }: Reply): StageFailure => ({
  kind: 'stageFailure',
  stage,
  member,
  code: error?.code ?? 'stopped',
  message: error?.message ?? `It stopped: ${stopReason.kind}`,
  candidate: output,
});

/** The event of a stage that failed, where the pipeline goes on without it. */
const tellFailure = (context: Context): readonly EventBody[] => {
  const { own, options, end } = context;
  if (end !== null && end.status !== 'completed') return [];
  const failure = own.failures.at(-1);
  if (failure?.stage !== own.stage || repliesOf(context)[0]?.status === 'completed') return [];
  const { stage, member, message } = failure;
  return [
    { type: 'stage.failed', stage, member, message, rule: options.stages[stage]?.onError.kind ?? 'stop' },
  ];
};

/** The stand-in does the stage's work, from the same input. */
const standIn = (context: Context): Partial<Context> => {
  const { standIn: member, given } = context.own;
  return member === null ? {} : beginRound(context, [{ member, input: given }]);
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

/** From stage to stage, past the stand-ins of those that fail. */
const flowOf = (stages: PipelineOptions['stages']): readonly FlowArrow[] =>
  stages.flatMap(({ member, onError }, index): readonly FlowArrow[] => {
    const next = stages[index + 1]?.member ?? OUTSIDE;
    return [
      ...(index === 0 ? [[OUTSIDE, member] as const] : []),
      [member, next, onError.kind === 'continue' || onError.kind === 'value' ? 'also if it fails' : ''],
      ...(onError.kind === 'member'
        ? [[member, onError.member, 'if it fails'] as const, [onError.member, next] as const]
        : []),
    ];
  });

/**
 * One after the other, each working on what the one before left.
 *
 * A stage without a `map` gets that output as it is; as text, if the stage takes a string and it is none. A stage that
 * fails or stops ends the pipeline, with the output so far as the candidate, unless `onStageError` says otherwise. What failed on the
 * way is an event (`stage.failed`) and stands in the state of the result. A budget that is spent ends it in any case.
 *
 * Not for parts that do not need each other: those take less time side by side.
 *
 * @example
 * const report = pipeline({ name: 'report', stages: [researcher, { agent: checker, onError: 'continue' }, writer] });
 * const { output } = await report.run('How do tides work?');
 *
 * @throws {TroupeError} `team.invalid` without a stage, for a stage that is no agent, or a rule that is none.
 */
export const pipeline = pattern({
  name: 'pipeline',
  description: 'Stages in a row, each working on what the one before left.',
  setup: () => setupShape<PipelineSetup<unknown, unknown>>({ stages: anything(), onStageError: anything() }),
  defaults: { stages: [] },
  own: { stage: -1, output: null, given: null, failures: [], standIn: null },
  actions: { nextTask, judge, standIn },
  tells: { tellFailure },
  guards: { hasStandIn: ({ own }) => own.standIn !== null },
  initial: 'handingOver',
  states: {
    handingOver: {
      description: 'The next stage gets what the one before left.',
      entry: 'nextTask',
      always: ['failed', 'working'],
    },
    working: {
      description: 'One stage is at work.',

      awaits: 'judging',
    },
    judging: {
      description: 'Was that the last stage, and did it do its work?',
      entry: ['judge', 'tellFailure'],
      always: [
        'completed',
        'failed',
        'aborted',
        'stopped',
        { guard: 'hasStandIn', target: 'standingIn' },
        'handingOver',
      ],
    },
    standingIn: {
      description: 'The stage failed, and another does its work from the same input.',
      entry: 'standIn',
      awaits: 'judging',
    },
  },
  team:
    (open) =>
    <Input, Output>(setup: PipelineSetup<Input, Output>): EmbeddableAgent<Input, Output, PipelineState> => {
      const { check, make } = open(setup);
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
        const [member, { map, onError = setup.onStageError }] = memberWith<StageOptions>(name, at, stage, [
          'map',
          'onError',
        ]);
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
      return make({ flow: flowOf(made), members, functions, options: { stages: made } });
    },
});
