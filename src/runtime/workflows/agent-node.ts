import type { Agent } from '../../contracts/agents/agent.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { Draft } from './draft.ts';
import type { MakeFace } from './plan.ts';
import type { WorkflowBuilder, WorkflowNode } from './workflow-builder.ts';

/** An agent as a node. */
export const agentNode = <Input, Output, Id extends string>(
  agent: Agent<Input, Output, unknown>,
  id: Id,
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

/** A workflow of one agent. */
export const agentWorkflow = <Input, Output, Id extends string>(
  agent: Agent<Input, Output, unknown>,
  id: Id,
  faceOf: MakeFace,
): WorkflowBuilder<Input, Readonly<Record<Id, Output>>, Id> => {
  const name = `${agent.name.slice(0, ROOM)}-workflow`;
  const options = { name, description: agent.description };
  const plan = {
    options,
    input: undefined,
    nodes: [],
    given: [],
    edges: [],
    members: [],
    functions: {},
    output: null,
  };
  return new Draft<Input, Readonly<Record<never, never>>, never, Input>(plan, faceOf)
    .node(id, agent)
    .output(id);
};
