import type { Agent } from '../../contracts/agents/agent.ts';
import type { Budget } from '../../contracts/runs/budget.ts';
import type { Hook } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import type { SubtreeLimits } from '../../contracts/runs/tree-limits.ts';
import type { GraphEdge, GraphNode } from '../../coordination/workflow/workflow-graph.ts';
import type { TeamFailures } from '../define/team-setup.ts';
import type { NodeFunction } from './workflow-builder.ts';

/** Options of a workflow, beside its nodes. */
export interface WorkflowOptions {
  readonly name: string;
  readonly description?: string | undefined;
  /** `strict`: the first failure ends it (default). `partial`: nodes that depend on a failed one are skipped, the others run. */
  readonly mode?: 'strict' | 'partial' | undefined;
  /** Its limits: the nodes at work at once, what all may use, how large the tree below it may grow. */
  readonly limits?: WorkflowLimits | undefined;
  /** Time that a held node waits for its release, in ms; then it has failed. Default 300,000. */
  readonly resolveMs?: number | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /** Handling of its own failure as a member of a team; a node has `retry`, `exhausted` and `optional`. */
  readonly failures?: Pick<TeamFailures, 'asMember'> | undefined;
}

/** The limits of a workflow, and those on the tree below it, within the limits of the run. */
export interface WorkflowLimits extends SubtreeLimits {
  /** Number of concurrent members. Default 8. */
  readonly concurrency?: number | undefined;
  /** Budget of all nodes together in a run. */
  readonly budget?: Budget | undefined;
  /** Share of the budget from which further nodes are held; above 0, at most 1. Default 0.95. */
  readonly holdAt?: number | undefined;
}

/** The content of a draft. */
export interface Plan {
  readonly options: WorkflowOptions;
  /** A schema, or fields as a signature. */
  readonly input: unknown;
  readonly nodes: readonly GraphNode[];
  /** The options of each node, to be checked. */
  readonly given: readonly (readonly [id: string, options: object])[];
  readonly edges: readonly GraphEdge[];
  readonly members: readonly (readonly [name: string, doer: Doer])[];
  readonly functions: Readonly<Record<string, (...values: readonly Json[]) => Json>>;
  readonly output: string | null;
}

/** The executor of a node. */
export type Doer = Agent<never, unknown, unknown> | NodeFunction<never, unknown>;

/** The plan of a workflow without nodes. */
export const emptyPlan = (options: WorkflowOptions, input?: unknown): Plan => ({
  options,
  input,
  nodes: [],
  given: [],
  edges: [],
  members: [],
  functions: {},
  output: null,
});
