import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { Graph, GraphNode } from './workflow-graph.ts';
import { graphProblems, impliedEdges } from './workflow-graph.ts';
import { statusOfParts, withHold, withNode, withNote } from './workflow-node.ts';
import { advance } from './workflow-schedule.ts';
import type { WorkflowContext } from './workflow-state.ts';
import { graphOf, hasBegun, isSettled, stateOf } from './workflow-state.ts';

const makeSchema = () => {
  const json: z.ZodType<Json> = z.json();
  const node = z.string().regex(/^[A-Za-z0-9][\w-]{0,63}$/);
  const added = z.object({
    id: node,
    /** One of the workflow's members: a node's, or a spare one. */
    member: z.string(),
    input: json.optional(),
    after: z.array(node).readonly().default([]),
    retry: z.number().int().nonnegative().optional(),
    optional: z.boolean().optional(),
  });
  return z.discriminatedUnion('change', [
    z.object({ change: z.literal('suspend') }),
    z.object({ change: z.literal('resume') }),
    z.object({ change: z.literal('hold'), node }),
    z.object({ change: z.literal('release'), node }),
    z.object({ change: z.literal('drop'), node }),
    z.object({ change: z.literal('input'), node, input: json }),
    z.object({ change: z.literal('add'), node: added }),
  ]);
};

/** A change of a running workflow: the `workflow` of a message's data. */
export type WorkflowChange = z.input<ReturnType<typeof makeSchema>>;

type ReadChange = z.output<ReturnType<typeof makeSchema>>;

let schema: ReturnType<typeof makeSchema> | undefined;

/** The change that a message to a workflow requests; undefined for any other message. */
const changeIn = ({ data }: Message): ReadChange | string | undefined => {
  if (typeof data !== 'object' || data === null || !('workflow' in data)) return undefined;
  const found = (schema ??= makeSchema()).safeParse(data['workflow']);
  return found.success ? found.data : z.prettifyError(found.error);
};

/** A message has come in that may change the workflow; what cannot be done is noted, and changes nothing. */
export const withMessage = (context: WorkflowContext, message: Message): WorkflowContext => {
  const change = changeIn(message);
  if (change === undefined) return context;
  if (message.sender !== undefined)
    return withNote(context, `Cannot change the workflow as '${message.from}' is an agent: people change it`);
  if (typeof change === 'string')
    return withNote(context, `Cannot change the workflow as that is no change: ${change}`);
  const changed = apply(context, change);
  if (typeof changed !== 'string') return advance(changed);
  const what = 'node' in change ? ` '${typeof change.node === 'string' ? change.node : change.node.id}'` : '';
  return withNote(context, `Cannot ${change.change}${what} as ${changed}`);
};

/** The context with the change, or why it cannot be made. */
const apply = (context: WorkflowContext, change: ReadChange): WorkflowContext | string => {
  switch (change.change) {
    case 'suspend':
      return { ...context, own: { ...context.own, isSuspended: true } };
    case 'resume':
      return { ...context, own: { ...context.own, isSuspended: false } };
    case 'add':
      return addNode(context, change.node);
    default:
      return changedNode(context, change);
  }
};

const changedNode = (
  context: WorkflowContext,
  change: Exclude<ReadChange, { change: 'suspend' | 'resume' | 'add' }>,
): WorkflowContext | string => {
  const id = change.node;
  const node = graphOf(context).nodes.find((each) => each.id === id);
  if (node === undefined) return 'there is no such node';
  const state = stateOf(context, id);
  if (isSettled(state)) return `it is through: ${state.status}`;
  if (change.change === 'release') return releaseNode(context, id);
  if (hasBegun(state)) return 'it has begun';
  switch (change.change) {
    case 'hold':
      return withHold(context, id, 'person', 'somebody holds it');
    case 'drop':
      return withNode(context, id, { status: 'skipped', reason: 'somebody dropped it', heldBy: null });
    case 'input':
      return withNodeOf(context, { ...node, input: { value: change.input } });
  }
};

/** A held node goes on: one that had failed has all its tries again. */
const releaseNode = (context: WorkflowContext, id: string): WorkflowContext | string => {
  const state = stateOf(context, id);
  if (state.status !== 'held') return 'it is not held';
  const isRelease = { heldBy: null, reason: null, resolveAfter: null, isReleased: true };
  if (state.heldBy !== 'failure') return withNode(context, id, { ...isRelease, status: 'pending' });
  const parts = state.parts.map((part) => (part.status === 'ready' ? { ...part, tries: 0 } : part));
  return withNode(context, id, { ...isRelease, parts, status: statusOfParts(parts) });
};

/** The graph with a node changed, if it is still one that can be carried out. */
const withNodeOf = (context: WorkflowContext, node: GraphNode): WorkflowContext | string => {
  const graph = graphOf(context);
  return withGraph(context, {
    ...graph,
    nodes: graph.nodes.map((each) => (each.id === node.id ? node : each)),
    edges: withImplied(graph, node),
  });
};

const addNode = (
  context: WorkflowContext,
  { id, member, input, after, retry, optional }: Extract<ReadChange, { change: 'add' }>['node'],
): WorkflowContext | string => {
  const graph = graphOf(context);
  const { members } = context.team;
  if (!members.includes(member))
    return `there is no member '${member}' (the members are ${members.map((each) => `'${each}'`).join(', ')})`;
  const node: GraphNode = {
    id,
    member,
    input: input === undefined ? null : { value: input },
    over: null,
    concurrency: null,
    retry: retry ?? DEFAULT_RETRY,
    exhausted: 'fail',
    optional: optional === true ? 'continue' : null,
    held: false,
    join: 'all',
    timeMs: null,
    isConditional: false,
  };
  const edges = after.map((from) => ({ from, to: id, kind: 'data' as const }));
  return withGraph(context, {
    ...graph,
    nodes: [...graph.nodes, node],
    edges: withImplied({ ...graph, edges: [...graph.edges, ...edges] }, node),
  });
};

/** The default number of retries of a node. */
export const DEFAULT_RETRY = 2;

/** The edges of a graph, with those that the references of a node stand for. */
export const withImplied = ({ edges }: Pick<Graph, 'edges'>, node: GraphNode): Graph['edges'] => [
  ...edges,
  ...impliedEdges(node).filter(
    ({ from, to }) => !edges.some((edge) => edge.from === from && edge.to === to && edge.kind !== 'co-start'),
  ),
];

const withGraph = (context: WorkflowContext, graph: Graph): WorkflowContext | string => {
  const problems = graphProblems(graph);
  if (problems.length > 0) return problems.join('; ');
  const { own } = context;
  const nodes = Object.fromEntries(graph.nodes.map(({ id }) => [id, stateOf(context, id)]));
  return { ...context, own: { ...own, changed: graph, nodes } };
};
