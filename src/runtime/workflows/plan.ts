import type { Agent } from '../../contracts/agent.ts';
import type { Budget } from '../../contracts/budget.ts';
import type { Hook } from '../../contracts/event.ts';
import type { Json } from '../../contracts/json.ts';
import type { MemberPolicy } from '../../contracts/supervision.ts';
import type { GraphEdge, GraphNode } from '../../coordination/workflow/workflow-graph.ts';
import type { Definition } from '../define/definition.ts';
import type { EmbeddableAgent, NodeFunction } from './workflow-builder.ts';

/** What a workflow is made of, beside its nodes. */
export interface WorkflowOptions {
  readonly name: string;
  readonly description?: string | undefined;
  /** `strict`: the first failure ends it (default). `partial`: what can be done is done, what cannot is skipped. */
  readonly mode?: 'strict' | 'partial' | undefined;
  /** Members under way together. Default 8. */
  readonly concurrency?: number | undefined;
  /** The most that all its nodes together may use in a run. */
  readonly budget?: Budget | undefined;
  /** The part of its budget from which nodes whose turn comes are held instead; above 0, at most 1. Default 0.95. */
  readonly holdAt?: number | undefined;
  /** The time that a held node waits to be released, in ms; then it has failed. Default 300,000. */
  readonly resolveMs?: number | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /** How this workflow wants to be treated as a member, if it fails. */
  readonly asMember?: MemberPolicy | undefined;
}

/** Everything that a draft holds. */
export interface Plan {
  readonly options: WorkflowOptions;
  /** A schema, or fields in words. */
  readonly input: unknown;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly members: readonly (readonly [name: string, doer: Doer])[];
  readonly functions: Readonly<Record<string, (...values: readonly Json[]) => Json>>;
  readonly output: string | null;
}

/** Who does the work of a node. */
export type Doer = Agent<never, unknown, unknown> | NodeFunction<never, unknown>;

/** Makes the face of a definition. */
export type MakeFace = <Input, Output, State>(
  definition: Definition,
) => EmbeddableAgent<Input, Output, State>;
