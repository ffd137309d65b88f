import { assign } from 'xstate';
import type { Json } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { messageLines, troubleOf, wordsOf } from './round/reply-text.ts';
import { saidJson, textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds, tell } from './round/setup-team.ts';
import type { PlannedStep, PlannerExecutorState, StepResult } from './state/step-plan.ts';
import { stepPlanOf } from './state/step-plan.ts';
import type { TeamContext, TeamEnd, TeamInput } from './round/team-context.ts';
import { endOf, repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

/** The planner's member name, which no executor may have. */
export const PLANNER = 'planner';

/** Who carries plans out, and how the work is bounded. */
export type PlannerExecutorOptions = {
  /** By name, with what each is good for. */
  readonly executors: Readonly<Record<string, string>>;
  readonly result: 'answer' | 'last';
  readonly maxSteps: number;
  readonly maxReplans: number;
};

type Own = PlannerExecutorState & {
  /** The step that is being done; null before the first. */
  readonly doing: PlannedStep | null;
  /** What is wrong with the plan, or with a step of it; null while nothing is. */
  readonly trouble: string | null;
};
type Context = TeamContext<Own, PlannerExecutorOptions>;

const resultLines = (results: readonly StepResult[]): readonly string[] =>
  results.length === 0
    ? []
    : [
        `Done so far:\n${results
          .map(({ task, member, output, error }, index) =>
            error === null
              ? `${index + 1}. [${member}] ${task}: ${textOf(output)}`
              : `${index + 1}. [${member}] ${task}: not done (${error})`,
          )
          .join('\n')}`,
      ];

const brief = ({ input, options, own, inbox }: Context): readonly string[] => [
  `Request: ${textOf(input)}`,
  `Executors:\n${Object.entries(options.executors)
    .map(([name, good]) => (good === '' ? `- ${name}` : `- ${name}: ${good}`))
    .join('\n')}`,
  ...resultLines(own.results),
  ...messageLines(inbox),
];

const PLAN_FORM =
  'by JSON: {"steps": [{"task": "what to do", "executor": "who does it"}], "answer": null}. They are done one after the other, each knowing what came of those before. If nothing is left to do: no steps, and the answer.';

const askPlanner = (context: Context, request: readonly string[]): Partial<Context> => ({
  inbox: [],
  ...beginRound(context, [{ member: PLANNER, input: [...brief(context), ...request].join('\n\n') }]),
});

const askPlan = (context: Context): Partial<Context> => askPlanner(context, [`Give the plan ${PLAN_FORM}`]);

/** What is left of a plan that went wrong is not done any more. */
const askAgain = (context: Context): Partial<Context> => {
  const { own } = context;
  const left = own.plan.length === 0 ? [] : [`Not begun: ${own.plan.map(({ task }) => task).join('; ')}`];
  return {
    ...askPlanner(context, [
      `The plan cannot go on: ${own.trouble ?? ''}`,
      ...left,
      `Give a plan of what is still to do ${PLAN_FORM}`,
    ]),
    own: { ...own, replans: own.replans + 1, plan: [], trouble: null },
  };
};

const askAnswer = (context: Context): Partial<Context> =>
  askPlanner(context, [
    'All steps are done. Give the answer by JSON: {"steps": [], "answer": "the answer"}.',
  ]);

/** The plan, the answer, or what is wrong with what the planner said. */
const takePlan = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  if (reply.status !== 'completed')
    return { end: { ...(spentEnd(context) ?? endOf(reply)), ...partOf(own.results) } };
  const { steps, answer, trouble } = stepPlanOf(reply.output, Object.keys(options.executors));
  if (trouble !== null) return troubled(context, own, trouble);
  const planned = { ...own, plan: steps };
  if (steps.length > 0)
    return own.results.length < options.maxSteps ? { own: planned } : outOfSteps(context, own);
  if (answer !== null && options.result === 'answer') return { own: planned, end: answered(answer) };
  // Nothing is left to do, says the planner: then something has to be done already.
  const last = own.results.findLast(({ error }) => error === null);
  if (last === undefined) return troubled(context, own, 'it has no steps');
  return options.result === 'last' ? { own: planned, end: answered(last.output) } : { own: planned };
};

const doStep = (context: Context): Partial<Context> => {
  const { own, input, inbox } = context;
  const [step, ...plan] = own.plan;
  if (step === undefined) return {};
  const task = [
    `Request: ${textOf(input)}`,
    ...resultLines(own.results),
    ...messageLines(inbox),
    `Your step: ${step.task}`,
  ].join('\n\n');
  return {
    inbox: [],
    own: { ...own, plan, doing: step },
    ...beginRound(context, [{ member: step.executor, input: task }]),
  };
};

/** What came of the step: the next is done, the plan is made anew, or it is the end. */
const takeStep = (context: Context): Partial<Context> => {
  const { options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const { member, status, output } = reply;
  const { task = '' } = context.own.doing ?? {};
  const error = troubleOf(reply);
  const result: StepResult = { task, member, status, output, error };
  const own = { ...context.own, results: [...context.own.results, result] };
  const spent = spentEnd(context);
  if (spent !== undefined) return { own, end: { ...spent, candidate: own.results } };
  if (error !== null) return troubled(context, own, `'${member}' did not do '${task}': ${error}`);
  if (own.plan.length > 0) return own.results.length < options.maxSteps ? { own } : outOfSteps(context, own);
  return options.result === 'last' ? { own, end: answered(output) } : { own };
};

/** The planner has said what it makes of the results; they stay, if it has not. */
const takeAnswer = (context: Context): Partial<Context> => {
  const { own } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: { ...spent, candidate: own.results } };
  const trouble = troubleOf(reply);
  const said = saidJson(reply.output);
  // A planner without a schema may just say it.
  const answer = wordsOf(isJsonObject(said) ? said['answer'] : said);
  if (trouble === null && answer !== null) return { end: answered(answer) };
  const detail = `the ${PLANNER} ${trouble === null ? 'gave no answer' : `failed: ${trouble}`}`;
  return { end: stoppedBy(PLANNER, detail, own.results) };
};

/** The plan is made anew, as often as it may be. */
const troubled = ({ options }: Context, own: Own, trouble: string): Partial<Context> => ({
  own: { ...own, trouble },
  ...(own.replans < options.maxReplans ? {} : { end: stoppedBy('replans', trouble, own.results) }),
});

const outOfSteps = ({ options }: Context, own: Own): Partial<Context> => ({
  own,
  end: {
    status: 'stopped',
    stopReason: { kind: 'maxSteps', limit: options.maxSteps },
    candidate: own.results,
  },
});

const stoppedBy = (rule: string, detail: string, results: readonly StepResult[]): TeamEnd => ({
  status: 'stopped',
  stopReason: { kind: 'rule', rule, detail },
  ...partOf(results),
});

/** Without a step done or tried there is nothing to show. */
const partOf = (results: readonly StepResult[]): { readonly candidate?: Json } =>
  results.length === 0 ? {} : { candidate: results };

const answered = (output: Json): TeamEnd => ({
  status: 'completed',
  stopReason: { kind: 'answered' },
  output,
});

const DEFAULTS: PlannerExecutorOptions = { executors: {}, result: 'answer', maxSteps: 1, maxReplans: 0 };

/**
 * A planner says what to do first, executors do it step by step, each knowing what came of the steps before; what goes wrong is
 * planned anew.
 *
 * The plan is the planner's, the order is the plan's: nobody chooses what is next while a plan goes well.
 */
export const plannerExecutorMachine = onDemand(() =>
  setupTeam<Own, PlannerExecutorOptions>()
    .extend({
      actions: {
        askPlan: assign(({ context }) => askPlan(context)),
        takePlan: assign(({ context }) => takePlan(context)),
        doStep: assign(({ context }) => doStep(context)),
        takeStep: assign(({ context }) => takeStep(context)),
        askAgain: assign(({ context }) => askAgain(context)),
        askAnswer: assign(({ context }) => askAnswer(context)),
        takeAnswer: assign(({ context }) => takeAnswer(context)),
        tellPlan: ({ self, context }) => {
          const { plan } = context.own;
          if (plan.length === 0 || context.end !== null) return;
          const assignments = plan.map(({ task, executor }) => ({ member: executor, task }));
          tell(self, { type: 'team.planned', assignments }, context, 'planned');
        },
      },
      guards: {
        isTroubled: ({ context }) => context.own.trouble !== null,
        hasStep: ({ context }) => context.own.plan.length > 0,
      },
    })
    .createMachine({
      id: 'plannerExecutor',
      description:
        'A planner makes steps, executors do them one after the other, what fails is planned anew.',
      context: ({ input }: { input: TeamInput<PlannerExecutorOptions> | undefined }) =>
        teamContext(
          // Steps are handed on among those who carry them out.
          input && { ...input, members: Object.keys(input.options.executors) },
          { plan: [], doing: null, results: [], replans: 0, trouble: null },
          DEFAULTS,
        ),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'drawingUp',
      on: teamArrows,
      states: {
        drawingUp: {
          description: 'The planner takes the request apart into steps.',
          entry: [{ type: 'entered', params: { phase: 'drawingUp' } }, 'askPlan', 'engageMembers'],
          ...awaiting('planned'),
        },
        planned: {
          description: 'Can this plan be carried out, and is there anything left to do?',
          entry: ['takePlan', { type: 'entered', params: { phase: 'planned' } }, 'tellPlan'],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'isTroubled', target: 'replanning' },
            { guard: 'hasStep', target: 'executing' },
            { target: 'concluding' },
          ],
        },
        executing: {
          description: 'An executor does the next step, knowing what came of those before.',
          entry: ['doStep', { type: 'entered', params: { phase: 'executing' } }, 'engageMembers'],
          ...awaiting('executed'),
        },
        executed: {
          description: 'Is the step done, and was it the last?',
          entry: ['takeStep', { type: 'entered', params: { phase: 'executed' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'isTroubled', target: 'replanning' },
            { guard: 'hasStep', target: 'executing' },
            { target: 'concluding' },
          ],
        },
        replanning: {
          description: 'The planner makes a new plan of what is still to do, knowing what went wrong.',
          entry: [{ type: 'entered', params: { phase: 'replanning' } }, 'askAgain', 'engageMembers'],
          ...awaiting('planned'),
        },
        concluding: {
          description: 'The planner makes the answer of what the steps gave.',
          entry: [{ type: 'entered', params: { phase: 'concluding' } }, 'askAnswer', 'engageMembers'],
          ...awaiting('concluded'),
        },
        concluded: {
          description: 'Is there an answer, or are the results of the steps all that there is?',
          entry: ['takeAnswer', { type: 'entered', params: { phase: 'concluded' } }],
          always: [{ guard: 'isCompleted', target: 'completed' }, { target: 'stopped' }],
        },
        ...teamEnds,
      },
    }),
);
