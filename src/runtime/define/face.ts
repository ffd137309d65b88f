import type { RunOptions } from '../../contracts/run.ts';
import { toMermaid } from '../../machines/diagram.ts';
import type { Definition } from './definition.ts';
import { define } from './definition.ts';
import { agentLogic, agentLogicWith } from '../embed/agent-logic.ts';
import type { LogicChart, TeamChart } from '../embed/agent-types.ts';
import { chartRemark } from '../turn/mover.ts';
import { runInTurn } from '../run/run-in-turn.ts';
import { startRun } from '../run/start-run.ts';
import { agentNode, agentWorkflow } from '../workflows/agent-node.ts';
import type { EmbeddableAgent } from '../workflows/workflow-builder.ts';

export type { EmbeddableAgent } from '../workflows/workflow-builder.ts';

/** The face of a definition: what `agent()` and the patterns return. */
export const faceOf = <Input, Output, State, Chart extends LogicChart = TeamChart>(
  definition: Definition,
): EmbeddableAgent<Input, Output, State, Chart> => {
  const face: EmbeddableAgent<Input, Output, State, Chart> = {
    name: definition.name,
    description: definition.description,
    run: (input: Input, options?: RunOptions) => runInTurn<Output, State>(definition, input, options),
    stream: (input: Input, options: RunOptions = {}) =>
      startRun<Output, State>(definition, input, options, { isAttended: true }),
    diagram: () => toMermaid(definition.machine, { remark: chartRemark(definition.machine) }),
    toWorkflowNode: <const Id extends string = string>(id?: Id) =>
      agentNode<Input, Output, Id>(face, idOf(id, definition)),
    toWorkflow: <const Id extends string = string>(id?: Id) =>
      agentWorkflow<Input, Output, Id>(face, idOf(id, definition), faceOf),
    get logic() {
      return agentLogic<Input, Output, Chart>(definition);
    },
    logicWith: (options) => agentLogicWith<Input, Output, Chart>(definition, options),
  };
  define(face, definition);
  return Object.freeze(face);
};

/** Without an id it is the agent's name: then all that is known of it is that it is a string. */
const idOf = <Id extends string>(id: Id | undefined, { name }: Definition): Id => id ?? (name as Id);
