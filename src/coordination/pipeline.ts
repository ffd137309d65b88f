import { assign } from 'xstate';
import type { Json } from '../contracts/json.ts';
import { rulesInForce } from '../machines/rules.ts';
import { beginRound } from './settle-reply.ts';
import { onDemand } from './on-demand.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './setup-team.ts';
import type { TeamContext, TeamInput } from './team-context.ts';
import { endOf, repliesOf, teamContext, teamOutcome } from './team-context.ts';
import { errorData } from '../contracts/error.ts';

/** Who works, in order. */
export type PipelineOptions = { readonly stages: readonly string[] };

type Own = { readonly stage: number };
type Context = TeamContext<Own, PipelineOptions>;

/** The name of the function that makes a stage's input of the output before it. */
export const stageFunction = (stage: number): string => `stage-${stage}`;

/** The next stage's input: what the stage before left, as its `map` has it. */
const nextTask = (context: Context): Partial<Context> => {
  const { own, options, input } = context;
  const stage = own.stage + 1;
  const member = options.stages[stage];
  if (member === undefined) return {};
  const previous: Json = stage === 0 ? input : (repliesOf(context)[0]?.output ?? null);
  const map = rulesInForce().functions?.[stageFunction(stage)];
  try {
    const given = map === undefined ? previous : map(previous, input);
    return { own: { stage }, ...beginRound(context, [{ member, input: given }]) };
  } catch (thrown) {
    const message = `Cannot go on with '${member}' as the map of its stage threw`;
    const error = errorData(thrown, 'agent.threw', { message });
    return { own: { stage }, end: { status: 'failed', stopReason: { kind: 'failed' }, error } };
  }
};

/** The end, if the last reply is one: the last stage's output, or whatever stopped a stage. */
const judge = (context: Context): Partial<Context> => {
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  if (reply.status === 'completed') {
    const isLast = context.own.stage + 1 >= context.options.stages.length;
    return isLast
      ? { end: { status: 'completed', stopReason: { kind: 'answered' }, output: reply.output } }
      : {};
  }
  return { end: endOf(reply) };
};

/**
 * One after the other, each working on what the one before left.
 *
 * A stage that fails or stops ends the pipeline: the stages after it never start.
 */
export const pipelineMachine = onDemand(() =>
  setupTeam<Own, PipelineOptions>()
    .extend({
      actions: {
        nextTask: assign(({ context }) => nextTask(context)),
        judge: assign(({ context }) => judge(context)),
      },
    })
    .createMachine({
      id: 'pipeline',
      description: 'Stages in a row, each working on what the one before left.',
      context: ({ input }: { input: TeamInput<PipelineOptions> | undefined }) =>
        teamContext(input, { stage: -1 }, { stages: [] }),
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
          on: awaiting('judging'),
        },
        judging: {
          description: 'Was that the last stage, and did it do its work?',
          entry: ['judge', { type: 'entered', params: { phase: 'judging' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { target: 'handingOver' },
          ],
        },
        ...teamEnds,
      },
    }),
);
