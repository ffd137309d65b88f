import { assign } from 'xstate';
import type { ErrorCode } from '../contracts/error.ts';
import { errorData } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import { rulesInForce } from '../machines/rules.ts';
import { onDemand } from '../contracts/on-demand.ts';
import type { Reply } from './round/round.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds, tell } from './round/setup-team.ts';
import type { TeamContext, TeamInput } from './round/team-context.ts';
import { endOf, repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

/** What a stage that fails means: the end, a gap that the next one is told of, or something else in place of its output. */
export type StageErrorRule =
  | { readonly kind: 'stop' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'member'; readonly member: string };

/** Who works, in order, and what it means if they fail. */
export type PipelineOptions = {
  readonly stages: readonly { readonly member: string; readonly onError: StageErrorRule }[];
};

/**
 * What stands in place of the output of a stage that failed, where the pipeline goes on: a marker, never the text of an error taken for
 * a result.
 */
export type StageFailure = {
  readonly kind: 'stageFailure';
  /** From 0. */
  readonly stage: number;
  readonly member: string;
  readonly code: ErrorCode | 'stopped';
  readonly message: string;
  /** What the stage had so far; null for nothing. */
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
  /** What the next stage begins with. */
  readonly output: Json;
  /** What the stage at work was given. */
  readonly given: Json;
  /** Who does the work of the stage at hand in place of whoever failed; null for nobody. */
  readonly standIn: string | null;
};
type Context = TeamContext<Own, PipelineOptions>;

/** The name of the function that makes a stage's input of the output before it. */
export const stageFunction = (stage: number): string => `stage-${stage}`;

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
    return {
      own: { ...own, stage, given, standIn: null },
      ...beginRound(context, [{ member: next.member, input: given }]),
    };
  } catch (thrown) {
    const message = `Cannot go on with '${next.member}' as the map of its stage threw`;
    const error = errorData(thrown, 'agent.threw', { message });
    return { own: { ...own, stage }, end: { status: 'failed', stopReason: { kind: 'failed' }, error } };
  }
};

/** What the last reply means: the end, the next stage, or somebody in place of whoever failed. */
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
      // Nobody comes after the last stage who could do without its output.
      return isLast
        ? { end }
        : goOn({ ...context, own: { ...own, failures: withFailure(own, reply) } }, failureOf(own, reply));
  }
};

const goOn = ({ own, options }: Context, output: Json): Partial<Context> =>
  own.stage + 1 >= options.stages.length
    ? { own, end: { status: 'completed', stopReason: { kind: 'answered' }, output } }
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

/** Somebody else does the stage's work, from the same input. */
const standIn = (context: Context): Partial<Context> => {
  const { standIn: member, given } = context.own;
  return member === null ? {} : beginRound(context, [{ member, input: given }]);
};

/**
 * One after the other, each working on what the one before left.
 *
 * A stage that fails or stops ends the pipeline, unless its rule says otherwise: the stages after it never start.
 */
export const pipelineMachine = onDemand(() =>
  setupTeam<Own, PipelineOptions>()
    .extend({
      actions: {
        nextTask: assign(({ context }) => nextTask(context)),
        judge: assign(({ context }) => judge(context)),
        standIn: assign(({ context }) => standIn(context)),
        tellFailure: ({ self, context }) => {
          if (context.end !== null && context.end.status !== 'completed') return;
          const failure = context.own.failures.at(-1);
          if (failure?.stage !== context.own.stage || repliesOf(context)[0]?.status === 'completed') return;
          const { stage, member, message } = failure;
          const rule = context.options.stages[stage]?.onError.kind ?? 'stop';
          tell(self, { type: 'stage.failed', stage, member, message, rule }, context, 'judging');
        },
      },
      guards: {
        hasStandIn: ({ context }) => context.own.standIn !== null,
      },
    })
    .createMachine({
      id: 'pipeline',
      description: 'Stages in a row, each working on what the one before left.',
      context: ({ input }: { input: TeamInput<PipelineOptions> | undefined }) =>
        teamContext(
          input,
          { stage: -1, output: null, given: null, failures: [], standIn: null },
          { stages: [] },
        ),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'handingOver',
      on: teamArrows,
      states: {
        handingOver: {
          description: 'The next stage gets what the one before left.',
          entry: ['nextTask', { type: 'entered', params: { phase: 'handingOver' } }],
          always: [{ guard: 'hasFailed', target: 'failed' }, { target: 'working' }],
        },
        working: {
          description: 'One stage is at work.',
          entry: [{ type: 'entered', params: { phase: 'working' } }, 'engageMembers'],
          ...awaiting('judging'),
        },
        judging: {
          description: 'Was that the last stage, and did it do its work?',
          entry: ['judge', { type: 'entered', params: { phase: 'judging' } }, 'tellFailure'],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'hasStandIn', target: 'standingIn' },
            { target: 'handingOver' },
          ],
        },
        standingIn: {
          description: 'The stage failed, and another does its work from the same input.',
          entry: ['standIn', { type: 'entered', params: { phase: 'standingIn' } }, 'engageMembers'],
          ...awaiting('judging'),
        },
        ...teamEnds,
      },
    }),
);
