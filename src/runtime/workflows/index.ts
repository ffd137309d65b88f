/**
 * Workflows: agents, teams and functions as nodes of a graph that compiles to a statechart.
 *
 * A workflow is an agent: it runs, streams, is stored, embeds and nests as any other.
 */
export { workflow } from './workflow.ts';
export type { WorkflowSetup } from './workflow.ts';
export type { WorkflowOptions } from './plan.ts';
export { text } from './references.ts';
export { changeWorkflow } from './changes.ts';
export type { AddedNode } from './changes.ts';
export type { EdgeKind } from '../../coordination/workflow/workflow-graph.ts';
export type { NodeResult } from '../../coordination/workflow/workflow-end.ts';
export type { NodeStatus } from '../../coordination/workflow/workflow-state.ts';
export type {
  From,
  MapOptions,
  NodeFunction,
  NodeOptions,
  NodeScope,
  Outputs,
  Reference,
  ReferenceText,
  ReferenceTo,
  Template,
  WorkflowBuilder,
  WorkflowNode,
  WorkflowOutput,
  WorkflowState,
} from './workflow-builder.ts';
