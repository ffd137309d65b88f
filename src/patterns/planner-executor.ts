import type { Agent } from '../contracts/agents/agent.ts';
import type { Json } from '../base/json/json.ts';
import { isJsonObject } from '../base/json/json.ts';
import { anything, oneOf, wholeNumber } from '../base/schemas/option-schemas.ts';
import { answeredWith, stoppedBy } from '../coordination/round/ends.ts';
import { messageLines, troubleOf, wordsOf } from '../coordination/round/reply-text.ts';
import { saidJson, textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext, TeamEnd } from '../coordination/round/team-context.ts';
import { endOf, repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { TeamSetup } from '../runtime/define/team.ts';
import { descriptionsOf } from '../runtime/define/team.ts';
import { pattern } from './setup/pattern.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';
import type { PlannedStep, PlannerExecutorState, StepResult } from './state/step-plan.ts';
import { stepPlanOf, stepPlanSchema } from './state/step-plan.ts';

/** The planner, and the executors that carry its plan out. */
export interface PlannerExecutorSetup<
  Output = unknown,
  Result extends 'answer' | 'last' = 'answer' | 'last',
> extends TeamSetup {
  /** Gives plans: `{ steps: [{ task, executor }], answer }`. */
  readonly planner: Role;
  /** By name, none of them called `planner`; their descriptions tell the planner what each is good for. They take a string. */
  readonly executors: Readonly<Record<string, Agent<string, Output>>>;
  /** `answer`: the planner makes the answer of all results (default). `last`: what the last step gave is the result. */
  readonly result?: Result | undefined;
  /** Steps carried out, those that failed too. Default 20. */
  readonly maxSteps?: number | undefined;
  /** New plans, after a step that failed or a plan that could not be used. Default 2. */
  readonly maxReplans?: number | undefined;
}

/** The planner's member name, which no executor may have. */
const PLANNER = 'planner';

/** The executors, and the bounds of the work. */
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
  /** The problem with the plan, or with a step of it; null while there is none. */
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
  'by JSON: {"steps": [{"task": "what to do", "executor": "who does it"}], "answer": null}. They are done one after the other, each knowing the results of those before. If nothing is left to do: no steps, and the answer.';

const askPlanner = (context: Context, request: readonly string[]): Partial<Context> => ({
  inbox: [],
  ...beginRound(context, [{ member: PLANNER, input: [...brief(context), ...request].join('\n\n') }]),
});

const askPlan = (context: Context): Partial<Context> => askPlanner(context, [`Give the plan ${PLAN_FORM}`]);

/** Asks for a new plan: what is left of one that went wrong is not done any more. */
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
  if (trouble !== null) return replanAfter(context, own, trouble);
  const planned = { ...own, plan: steps };
  if (steps.length > 0)
    return own.results.length < options.maxSteps ? { own: planned } : outOfSteps(context, own);
  if (answer !== null && options.result === 'answer') return { own: planned, end: answeredWith(answer) };
  // Nothing is left to do, says the planner: then something has to be done already.
  const last = own.results.findLast(({ error }) => error === null);
  if (last === undefined) return replanAfter(context, own, 'it has no steps');
  return options.result === 'last' ? { own: planned, end: answeredWith(last.output) } : { own: planned };
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

/** Takes the result of the step: the next step, a new plan, or the end. */
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
  if (error !== null) return replanAfter(context, own, `'${member}' did not do '${task}': ${error}`);
  if (own.plan.length > 0) return own.results.length < options.maxSteps ? { own } : outOfSteps(context, own);
  return options.result === 'last' ? { own, end: answeredWith(output) } : { own };
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
  if (trouble === null && answer !== null) return { end: answeredWith(answer) };
  const detail = `the ${PLANNER} ${trouble === null ? 'gave no answer' : `failed: ${trouble}`}`;
  return { end: stopWith(PLANNER, detail, own.results) };
};

/** A new plan, within `maxReplans`. */
const replanAfter = ({ options }: Context, own: Own, trouble: string): Partial<Context> => ({
  own: { ...own, trouble },
  ...(own.replans < options.maxReplans ? {} : { end: stopWith('replans', trouble, own.results) }),
});

const outOfSteps = ({ options }: Context, own: Own): Partial<Context> => ({
  own,
  end: {
    status: 'stopped',
    stopReason: { kind: 'maxSteps', limit: options.maxSteps },
    candidate: own.results,
  },
});

const stopWith = (rule: string, detail: string, results: readonly StepResult[]): TeamEnd => ({
  ...stoppedBy(rule, detail),
  ...partOf(results),
});

/** Without a step done or tried there is nothing to show. */
const partOf = (results: readonly StepResult[]): { readonly candidate?: Json } =>
  results.length === 0 ? {} : { candidate: results };

const DEFAULTS: PlannerExecutorOptions = { executors: {}, result: 'answer', maxSteps: 1, maxReplans: 0 };

/**
 * A planner takes the request apart into steps, executors do them one after the other, each knowing the results of those before.
 *
 * A step that fails, or a plan that names an unknown executor, has the planner replan the rest, `maxReplans` times;
 * then the run ends `stopped { rule: 'replans' }`. Whatever ends it early, the results so far are the candidate.
 *
 * Not for parts that do not need each other (`supervisorWorker`: they are done at the same time), nor for steps that are always
 * the same (`pipeline`: they need no planner).
 *
 * @example
 * const trip = plannerExecutor({
 *   name: 'trip',
 *   planner: { instructions: 'First find out, then compare, then choose.' },
 *   executors: { researcher, accountant },
 * });
 * const { output, candidate } = await trip.run('Where do we go for 300 euros?');
 *
 * @throws {TroupeError} `team.invalid` without executors, for one called `planner` or that is no agent, or a number that bounds
 * nothing.
 */
export const plannerExecutor = pattern({
  name: 'plannerExecutor',
  description: 'A planner makes steps, executors do them one after the other, what fails is planned again.',
  setup: () =>
    setupShape<PlannerExecutorSetup>({
      planner: anything(),
      executors: anything(),
      result: oneOf(['answer', 'last']),
      maxSteps: wholeNumber(1),
      maxReplans: wholeNumber(0),
    }),
  defaults: DEFAULTS,
  own: { plan: [], doing: null, results: [], replans: 0, trouble: null },
  // Steps are handed on among those who carry them out.
  handsOnTo: ({ executors }) => Object.keys(executors),
  actions: { askPlan, takePlan, doStep, takeStep, askAgain, askAnswer, takeAnswer },
  tells: {
    tellPlan: ({ own: { plan }, end }) =>
      plan.length === 0 || end !== null
        ? []
        : [
            {
              type: 'team.planned',
              assignments: plan.map(({ task, executor }) => ({ member: executor, task })),
            },
          ],
  },
  guards: { isTroubled: ({ own }) => own.trouble !== null, hasStep: ({ own }) => own.plan.length > 0 },
  initial: 'drawingUp',
  states: {
    drawingUp: {
      description: 'The planner takes the request apart into steps.',
      entry: 'askPlan',
      awaits: 'planned',
    },
    planned: {
      description: 'Can this plan be carried out, and is there anything left to do?',
      entry: ['takePlan', 'tellPlan'],
      always: [
        'completed',
        'failed',
        'aborted',
        'stopped',
        { guard: 'isTroubled', target: 'replanning' },
        { guard: 'hasStep', target: 'executing' },
        'concluding',
      ],
    },
    executing: {
      description: 'An executor does the next step, knowing the results of those before.',
      entry: 'doStep',
      awaits: 'executed',
    },
    executed: {
      description: 'Is the step done, and was it the last?',
      entry: 'takeStep',
      always: [
        'completed',
        'stopped',
        { guard: 'isTroubled', target: 'replanning' },
        { guard: 'hasStep', target: 'executing' },
        'concluding',
      ],
    },
    replanning: {
      description: 'The planner makes a new plan of what is still to do, knowing what went wrong.',
      entry: 'askAgain',
      awaits: 'planned',
    },
    concluding: {
      description: 'The planner makes the answer of what the steps gave.',
      entry: 'askAnswer',
      awaits: 'concluded',
    },
    concluded: {
      description: 'Is there an answer, or are the results of the steps all that there is?',
      entry: 'takeAnswer',
      always: ['completed', 'stopped'],
    },
  },
  team:
    (open) =>
    <Output, const Result extends 'answer' | 'last' = 'answer'>(
      setup: PlannerExecutorSetup<Output, Result>,
    ): EmbeddableAgent<string, Result extends 'last' ? Output : string, PlannerExecutorState> => {
      const { check, make } = open(setup);
      const { name, executors, maxSteps = 20, maxReplans = 2, result = 'answer' } = setup;
      const names = check.asked('executors', executors, { reserved: [PLANNER] });
      const instructions =
        'You plan what others do. Make few steps, each for the executor that is best at it.';
      return make({
        flow: [
          [OUTSIDE, PLANNER],
          [PLANNER, names, 'steps'],
          [names, PLANNER, 'their results'],
          [result === 'answer' ? PLANNER : names, OUTSIDE],
        ],
        members: {
          ...executors,
          [PLANNER]: roleOf(setup.planner, {
            team: name,
            role: PLANNER,
            instructions,
            output: stepPlanSchema(),
          }),
        },
        options: {
          executors: descriptionsOf(name, executors),
          result,
          maxSteps,
          maxReplans,
        },
      });
    },
});
