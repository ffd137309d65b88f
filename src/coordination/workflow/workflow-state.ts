import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Json } from '../../base/json/json.ts';
import type { Graph, GraphEdge, GraphNode } from './workflow-graph.ts';
import { INPUT } from './workflow-reference.ts';
import type { Sources } from './workflow-reference.ts';
import type { TeamContext } from '../round/team-context.ts';

/**
 * The state of a node.
 *
 * - `pending`: something before it is not through. `ready`: it waits for a place. `running`: its member is at work.
 * - `waiting`: it failed and is tried again later. `held`: it goes on when it is released.
 * - `completed`, `failed`, `skipped`: it is through.
 */
export type NodeStatus =
  | 'pending'
  | 'ready'
  | 'running'
  | 'waiting'
  | 'held'
  | 'completed'
  | 'failed'
  | 'skipped';

/** One piece of a node's work: the node's whole, or one item of the list that it goes over. */
export type Part = {
  readonly item: Json;
  readonly status: 'ready' | 'running' | 'waiting' | 'done';
  readonly tries: number;
  readonly output: Json;
  /** Its task in the round, once it has begun. */
  readonly task: number | null;
  /** The wait after which it is tried again. */
  readonly retryAfter: number | null;
  /** The wait after which it has had its time. */
  readonly timeLimit: number | null;
};

/** The record of a node. */
export type NodeState = {
  readonly status: NodeStatus;
  readonly parts: readonly Part[];
  readonly output: Json;
  /** The number of times that its member was engaged. */
  readonly tries: number;
  /** The reason that it is held, was skipped or failed. */
  readonly reason: string | null;
  /** The cause of its hold: a person, or a failure. */
  readonly heldBy: 'definition' | 'person' | 'failure' | 'budget' | null;
  /** The wait at whose end its hold expires. */
  readonly resolveAfter: number | null;
  /** It was released: nothing but a person holds it any more. */
  readonly isReleased: boolean;
  /** It failed, and was optional. */
  readonly isFlagged: boolean;
};

/** A workflow's own state, beside every team's. */
export type WorkflowOwn = {
  readonly nodes: Readonly<Record<string, NodeState>>;
  /** The node of each task of the round. */
  readonly tasks: readonly { readonly node: string; readonly part: number }[];
  /** The graph as it was changed on the way; null: as it was defined. */
  readonly changed: Graph | null;
  readonly isSuspended: boolean;
  /** The part of the tightest budget of the workflow that is used, from 0. */
  readonly pressure: number;
  /** The events of the last turn, to be published. */
  readonly notes: readonly string[];
};

/** The context of a workflow's machine. */
export type WorkflowContext = TeamContext<WorkflowOwn, Graph>;

/** The cause of a failure that ends the workflow. */
export interface NodeFailure {
  readonly node: string;
  readonly reason: string;
  readonly error: ErrorData;
}

/** A node of which nothing has happened yet. */
const PENDING: NodeState = {
  status: 'pending',
  parts: [],
  output: null,
  tries: 0,
  reason: null,
  heldBy: null,
  resolveAfter: null,
  isReleased: false,
  isFlagged: false,
};

/** The state at the start. */
export const freshOwn = ({ nodes }: Graph): WorkflowOwn => ({
  nodes: Object.fromEntries(nodes.map(({ id }) => [id, PENDING])),
  tasks: [],
  changed: null,
  isSuspended: false,
  pressure: 0,
  notes: [],
});

/** The graph in force. */
export const graphOf = ({ own, options }: WorkflowContext): Graph => own.changed ?? options;

/** The record of a node; an untouched one for an unknown name. */
export const stateOf = ({ own }: Pick<WorkflowContext, 'own'>, id: string): NodeState =>
  Object.hasOwn(own.nodes, id) ? (own.nodes[id] ?? PENDING) : PENDING;

/** Checks whether a node is through. */
export const isSettled = ({ status }: NodeState): boolean =>
  status === 'completed' || status === 'failed' || status === 'skipped';

/** Checks whether a node has begun: it can neither be dropped nor be given another input any more. */
export const hasBegun = ({ status, tries }: NodeState): boolean =>
  tries > 0 || isSettled({ ...PENDING, status });

/** The verdict of the edges into a node: it waits, it may start, or it never will (and why). */
export type Verdict = { readonly kind: 'wait' | 'go' } | { readonly kind: 'skip'; readonly reason: string };

/** The verdict of a workflow's conditions on an edge; throws what they throw. */
export type Holds = (edge: GraphEdge, output: Json) => boolean;

/**
 * The verdict of the nodes before `node`.
 *
 * An edge from a node that failed or was skipped holds only if that node was optional. Where one node of several suffices
 * (`join: 'any'`), all of them have to be through, so that it is known which of them there are.
 */
export const verdictOn = (context: WorkflowContext, node: GraphNode, holds: Holds): Verdict => {
  const { nodes, edges } = graphOf(context);
  const found = edges
    .filter(({ to }) => to === node.id)
    .map((edge): Verdict => {
      const before = nodes.find(({ id }) => id === edge.from);
      return before === undefined ? GO : verdictOfEdge(edge, before, stateOf(context, edge.from), holds);
    });
  const refused = found.find((verdict) => verdict.kind === 'skip');
  const isOpen = found.some(({ kind }) => kind === 'wait');
  if (node.join === 'all') return refused ?? (isOpen ? WAIT : GO);
  if (isOpen) return WAIT;
  return found.some(({ kind }) => kind === 'go') ? GO : (refused ?? GO);
};

const WAIT: Verdict = { kind: 'wait' };
const GO: Verdict = { kind: 'go' };

const verdictOfEdge = (edge: GraphEdge, before: GraphNode, state: NodeState, holds: Holds): Verdict => {
  const { status } = state;
  if (status === 'failed' || status === 'skipped') {
    if (before.optional === 'continue' && edge.kind !== 'condition') return GO;
    return {
      kind: 'skip',
      reason: `'${before.id}' before it ${status === 'failed' ? 'failed' : 'was skipped'}`,
    };
  }
  if (status === 'completed')
    return edge.kind !== 'condition' || holds(edge, state.output)
      ? GO
      : { kind: 'skip', reason: `the condition on '${before.id}' does not hold` };
  return edge.kind === 'co-start' && (status === 'running' || status === 'waiting') ? GO : WAIT;
};

/** The values that a workflow's references are resolved by, so far. */
export const sourcesOf = (context: WorkflowContext, item?: Json, index?: number): Sources => {
  const values: Record<string, Json> = {};
  const absent = new Set<string>();
  for (const [id, { status, output }] of Object.entries(context.own.nodes)) {
    if (status === 'completed') values[id] = output;
    if (status === 'failed' || status === 'skipped') absent.add(id);
  }
  values[INPUT] = context.input;
  if (item !== undefined && index !== undefined) Object.assign(values, { item, index });
  return { values, absent };
};

/** Edges that hand on what the node before left. */
const CARRYING: ReadonlySet<GraphEdge['kind']> = new Set<GraphEdge['kind']>(['data', 'condition']);

/** The default input of a node: the outputs of the nodes before it; the workflow's input, if there are none. */
export const inheritedInput = (context: WorkflowContext, node: GraphNode): Json => {
  const before = graphOf(context).edges.filter(({ to, kind }) => to === node.id && CARRYING.has(kind));
  const [first] = before;
  if (first === undefined) return context.input;
  if (before.length === 1) return stateOf(context, first.from).output;
  return Object.fromEntries(before.map(({ from }) => [from, stateOf(context, from).output]));
};
