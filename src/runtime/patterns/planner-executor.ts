import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { StepResult } from '../../coordination/planner-executor.ts';
import { PLANNER, plannerExecutorMachine } from '../../coordination/planner-executor.ts';
import { stepPlanSchema } from '../../coordination/step-plan.ts';
import { checkCount } from '../check-count.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { setupOf, team } from '../team.ts';
import type { RoleOptions } from './role-of.ts';
import { roleOf } from './role-of.ts';

export type { StepResult };

/** Who plans, and who carries it out. */
export interface PlannerExecutorSetup<
  Output = unknown,
  Result extends 'answer' | 'last' = 'answer' | 'last',
> extends TeamSetup {
  /**
   * An agent or a team as it is, or the options of an agent that is made for it. Gives plans: `{ steps: [{ task, executor }], answer }`.
   */
  readonly planner: Member | RoleOptions;
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
): EmbeddableAgent<string, Result extends 'last' ? Output : string> => {
  const { name, executors } = setup;
  const names = Object.keys(executors);
  if (names.length === 0 || names.includes(PLANNER))
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${name}' as it needs executors, none of them called '${PLANNER}': found ${names.join(', ') || 'none'}`,
    );
  const count = { code: 'team.invalid', owner: `the team '${name}'` } as const;
  const instructions = 'You plan what others do. Make few steps, each for the executor that is best at it.';
  return team({
    ...setupOf(setup),
    machine: plannerExecutorMachine,
    members: {
      ...executors,
      [PLANNER]: roleOf(setup.planner, { team: name, role: PLANNER, instructions, output: stepPlanSchema() }),
    },
    options: {
      executors: Object.fromEntries(
        Object.entries(executors).map(([role, { description }]) => [role, description]),
      ),
      result: setup.result ?? 'answer',
      maxSteps: checkCount(setup.maxSteps ?? 20, 1, 'maxSteps', count),
      maxReplans: checkCount(setup.maxReplans ?? 2, 0, 'maxReplans', count),
    },
  });
};
