import type { Agent } from '../../contracts/agent.ts';
import type { PlannerExecutorState, StepResult } from '../../coordination/state/step-plan.ts';
import { PLANNER, plannerExecutorMachine } from '../../coordination/planner-executor.ts';
import { stepPlanSchema } from '../../coordination/state/step-plan.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { TeamSetup } from '../define/team.ts';
import { descriptionsOf, setupOf, team } from '../define/team.ts';
import { checkSetup } from './setup/check-setup.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';

export type { PlannerExecutorState, StepResult };

/** Who plans, and who carries it out. */
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

/**
 * A planner takes the request apart into steps, executors do them one after the other, each knowing what came of those before.
 *
 * A step that fails, or a plan that names nobody who is there, has the planner plan anew what is still to do, `maxReplans` times;
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
export const plannerExecutor = <Output, const Result extends 'answer' | 'last' = 'answer'>(
  setup: PlannerExecutorSetup<Output, Result>,
): EmbeddableAgent<string, Result extends 'last' ? Output : string, PlannerExecutorState> => {
  const check = checkSetup(setup);
  const { name, executors } = setup;
  check.asked('executors', executors, { reserved: [PLANNER] });
  const instructions = 'You plan what others do. Make few steps, each for the executor that is best at it.';
  return team({
    ...setupOf(setup),
    machine: plannerExecutorMachine,
    members: {
      ...executors,
      [PLANNER]: roleOf(setup.planner, { team: name, role: PLANNER, instructions, output: stepPlanSchema() }),
    },
    options: {
      executors: descriptionsOf(name, executors),
      result: check.word<'answer' | 'last'>('result', setup.result, 'answer', ['answer', 'last']),
      maxSteps: check.count('maxSteps', setup.maxSteps, 20),
      maxReplans: check.count('maxReplans', setup.maxReplans, 2, 0),
    },
  });
};
