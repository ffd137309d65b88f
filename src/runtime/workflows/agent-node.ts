import type { Agent } from '../../contracts/agents/agent.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { Draft } from './draft.ts';
import { emptyPlan } from './plan.ts';
import type { WorkflowBuilder, WorkflowNode } from './workflow-builder.ts';

/**
 * An agent or a team as a node of a workflow, which can also run by itself. Default id: its name.
 *
 * @example
 * workflow({ name: 'report' }).node(toWorkflowNode(writer, 'draft'));
 */
export const toWorkflowNode = <Input, Output, const Id extends string = string>(
  agent: Agent<Input, Output, unknown>,
  // Without an id it is the agent's name, whose type is only known to be a string.
  id: Id = agent.name as Id,
): WorkflowNode<Input, Output, Id> => ({
  id,
  agent,
  run: async (input, options) => {
    const { status, output, stopReason } = await agent.run(input, options);
    if (status === 'completed' && output !== undefined) return output;
    throw new TroupeError(
      'workflow.failed',
      `Cannot give the output of '${id}' as it ended without one: ${stopReason.kind}`,
    );
  },
});

/** Longest part of the agent's name, so that the workflow's name has at most 64 characters. */
const ROOM = 54;

/**
 * A workflow with an agent or a team as its only node, to build or to extend. Default id of the node: its name.
 *
 * @example
 * const { output } = await toWorkflow(writer, 'draft').build().run('tides');
 */
export const toWorkflow = <Input, Output, const Id extends string = string>(
  agent: Agent<Input, Output, unknown>,
  id?: Id,
): WorkflowBuilder<Input, Readonly<Record<Id, Output>>, Id> => {
  const { name, description } = agent;
  const plan = emptyPlan({ name: `${name.slice(0, ROOM)}-workflow`, description });
  return new Draft<Input, Readonly<Record<never, never>>, never, Input>(plan)
    .node(toWorkflowNode(agent, id))
    .output(id ?? (name as Id));
};
