import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { withPlace, withTask } from '../round/round.ts';
import { start } from '../round/round-draft.ts';
import { conclusion } from './workflow-end.ts';
import type { GraphEdge, GraphNode } from './workflow-graph.ts';
import { conditionName, kahnOrder } from './workflow-graph.ts';
import {
  alsoWanting,
  freshPart,
  withFailure,
  withHold,
  withNode,
  withPart,
  withWait,
} from './workflow-node.ts';
import { resolve } from './workflow-reference.ts';
import type { Part, WorkflowContext } from './workflow-state.ts';
import { graphOf, inheritedInput, sourcesOf, stateOf, verdictOn } from './workflow-state.ts';
import { rulesInForce } from '../../machines/in-force.ts';

/**
 * Advances a workflow as far as it gets by itself: nodes whose turn has come start, those that can never start are skipped, and
 * where nothing is left to be done it ends. Pure.
 *
 * I1  No more members are under way than the graph allows, of the workflow and of each node.
 * I2  A node begins once all nodes before it allow it, and never again after it is through.
 * I3  Where it neither ends nor has a member at work or waiting, it has to be resumed from outside.
 */
export const advance = (before: WorkflowContext): WorkflowContext => {
  const { nodes, edges } = graphOf(before);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const inOrder = kahnOrder(nodes, edges).flatMap((id) => byId.get(id) ?? []);
  let context = before;
  for (let isMoving = true; isMoving && context.end === null;) {
    const at = context;
    context = inOrder.reduce(settle, context);
    context = nodes.reduce(begin, context);
    isMoving = context !== at;
  }
  return context.end === null ? { ...context, end: conclusion(context) ?? null } : context;
};

/** The decision about a node that has not started: it may be its turn, or never be. */
const settle = (context: WorkflowContext, node: GraphNode): WorkflowContext => {
  const state = stateOf(context, node.id);
  if (context.end !== null || state.status !== 'pending') return context;
  try {
    const verdict = verdictOn(context, node, (edge, output) => edgeHolds(context, edge, output));
    if (verdict.kind === 'wait') return context;
    if (verdict.kind === 'skip')
      return withNode(context, node.id, { status: 'skipped', reason: verdict.reason });
    if (node.isConditional && !nodeHolds(context, node.id))
      return withNode(context, node.id, { status: 'skipped', reason: 'its condition does not hold' });
  } catch (thrown) {
    const message = `Cannot decide on '${node.id}' as its condition threw`;
    const error = errorData(thrown, 'agent.threw', { message });
    return withFailure(context, node, error.message, error);
  }
  if (state.isReleased) return prepareNode(context, node);
  if (node.held) return withHold(context, node.id, 'definition', 'it begins when it is released');
  const { pressure } = context.own;
  return pressure >= graphOf(context).holdAt
    ? withHold(context, node.id, 'budget', `${Math.floor(pressure * 100)} % of the budget is used`)
    : prepareNode(context, node);
};

const edgeHolds = (context: WorkflowContext, { from, to }: GraphEdge, output: Json): boolean =>
  rulesInForce().functions?.[conditionName(to, from)]?.(output, context.input) === true;

const nodeHolds = (context: WorkflowContext, id: string): boolean =>
  rulesInForce().functions?.[conditionName(id)]?.({ ...sourcesOf(context).values }) === true;

/** It is a node's turn: what it has to do is known. */
const prepareNode = (context: WorkflowContext, node: GraphNode): WorkflowContext => {
  if (node.over === null) return withNode(context, node.id, { status: 'ready', parts: [freshPart(null)] });
  const list = resolve(node.over.value, sourcesOf(context));
  if (!list.ok) return withBadReference(context, node, list.problems);
  if (!Array.isArray(list.value))
    return withBadReference(context, node, [`what it goes over is no list: ${typeof list.value}`]);
  const parts = list.value.map((item: Json) => freshPart(item));
  return parts.length === 0
    ? withNode(context, node.id, { status: 'completed', output: [] })
    : withNode(context, node.id, { status: 'ready', parts });
};

const withBadReference = (
  context: WorkflowContext,
  node: GraphNode,
  problems: readonly string[],
): WorkflowContext => {
  const message = `Cannot begin '${node.id}' as its input cannot be made: ${problems.join('; ')}`;
  const error: ErrorData = { code: 'workflow.reference', message, retryable: 'no', details: [...problems] };
  return withFailure(context, node, message, error);
};

/** A node begins, or goes on, as far as there is room. */
const begin = (context: WorkflowContext, node: GraphNode): WorkflowContext => {
  const { status, parts } = stateOf(context, node.id);
  if (context.own.isSuspended || (status !== 'ready' && status !== 'running')) return context;
  let started = context;
  for (const [index, part] of parts.entries()) {
    if (part.status !== 'ready') continue;
    if (started.end !== null || stateOf(started, node.id).status === 'failed') break;
    if (!hasRoom(started, node)) break;
    started = startPart(started, node, index, part);
  }
  return started;
};

const hasRoom = (context: WorkflowContext, node: GraphNode): boolean => {
  const { concurrency } = graphOf(context);
  const running = stateOf(context, node.id).parts.filter(({ status }) => status === 'running').length;
  return context.round.open < concurrency && running < (node.concurrency ?? Infinity);
};

const startPart = (context: WorkflowContext, node: GraphNode, index: number, part: Part): WorkflowContext => {
  const begun = part.task === null ? firstTry(context, node, index, part) : tryAgain(context, part.task);
  if (stateOf(begun, node.id).status === 'failed') return begun;
  const task = part.task ?? begun.round.tasks.length - 1;
  const [timed, timeLimit] = node.timeMs === null ? [begun, null] : withWait(begun, 'wake', node.timeMs);
  const { tries } = stateOf(timed, node.id);
  const counted = withNode(timed, node.id, { tries: tries + 1 });
  return withPart(counted, node, index, { status: 'running', tries: part.tries + 1, task, timeLimit });
};

const firstTry = (context: WorkflowContext, node: GraphNode, index: number, part: Part): WorkflowContext => {
  const isItem = node.over !== null;
  const input =
    node.input === null
      ? ({ ok: true, value: isItem ? part.item : inheritedInput(context, node) } as const)
      : resolve(node.input.value, isItem ? sourcesOf(context, part.item, index) : sourcesOf(context));
  if (!input.ok) return withBadReference(context, node, input.problems);
  const { own } = context;
  const tasks = [...own.tasks, { node: node.id, part: index }];
  return alsoWanting({ ...context, own: { ...own, tasks } }, (draft) => {
    const round = withTask(draft.round, { member: node.member, input: input.value });
    return start({ ...draft, round }, round.tasks.length - 1);
  });
};

/** The task is started again, at an address of its own. */
const tryAgain = (context: WorkflowContext, task: number): WorkflowContext =>
  alsoWanting(context, (draft) => {
    const round = withPlace(draft.round, task, { reply: null, path: null });
    return start({ ...draft, round: { ...round, open: round.open + 1 } }, task);
  });
