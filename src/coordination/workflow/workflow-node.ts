import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Json } from '../../base/json/json.ts';
import type { Draft } from '../round/round-draft.ts';
import { moveOf, wantWait } from '../round/round-draft.ts';
import { failureEnd } from './workflow-end.ts';
import type { GraphNode } from './workflow-graph.ts';
import type { NodeState, Part, WorkflowContext } from './workflow-state.ts';
import { graphOf, stateOf } from './workflow-state.ts';

/** Adds to what the turn wants done. */
export const alsoWanting = (context: WorkflowContext, change: (draft: Draft) => Draft): WorkflowContext => {
  const { team, round, engaged, waits, restarts, tally, end } = context;
  const { starting, stopping, overdue, waits: asked, telling } = round;
  const wants = {
    starting: [...starting],
    stopping: [...stopping],
    waits: [...asked],
    telling: [...telling],
    ...(overdue === undefined ? {} : { overdue }),
  };
  const draft: Draft = { team, at: tally.now, wants, round, engaged, waits, restarts, tally, end };
  return { ...context, ...moveOf(change(draft)) };
};

/** Asks for a wait; gives the context with it, and its number. */
export const withWait = (
  context: WorkflowContext,
  port: 'pause' | 'wake',
  ms: number,
): readonly [WorkflowContext, number] => {
  let wait = 0;
  const waiting = alsoWanting(context, (draft) => {
    wait = wantWait(draft, port, draft.at + ms);
    return draft;
  });
  return [waiting, wait];
};

/** The record of a node, changed. */
export const withNode = (
  context: WorkflowContext,
  id: string,
  change: Partial<NodeState>,
): WorkflowContext => {
  const { own } = context;
  return {
    ...context,
    own: { ...own, nodes: { ...own.nodes, [id]: { ...stateOf(context, id), ...change } } },
  };
};

/** Adds an event to be published. */
export const withNote = (context: WorkflowContext, note: string): WorkflowContext => ({
  ...context,
  own: { ...context.own, notes: [...context.own.notes, note] },
});

/** A node waits to be released: for so long as the workflow allows, then it has failed. */
export const withHold = (
  context: WorkflowContext,
  id: string,
  heldBy: NonNullable<NodeState['heldBy']>,
  reason: string,
): WorkflowContext => {
  const [waiting, resolveAfter] = withWait(context, 'pause', graphOf(context).resolveMs);
  const held = { status: 'held', heldBy, reason, resolveAfter, isReleased: false } as const;
  return withNote(withNode(waiting, id, held), `'${id}' is held: ${reason}`);
};

/** A node that will never be done: flagged if it was optional, else the end of a strict workflow. */
export const withFailure = (
  context: WorkflowContext,
  { id, optional }: GraphNode,
  reason: string,
  error: ErrorData,
): WorkflowContext => {
  const isFlagged = optional !== null;
  const failed = withNode(context, id, { status: 'failed', reason, isFlagged, heldBy: null });
  if (isFlagged) return withNote(failed, `'${id}' failed, and is optional: ${reason}`);
  return graphOf(context).mode === 'strict'
    ? { ...failed, end: failureEnd(failed, { node: id, reason, error }) }
    : withNote(failed, `'${id}' failed: ${reason}`);
};

/** A part of a node is through, or to be done again. */
export const withPart = (
  context: WorkflowContext,
  { id, over }: Pick<GraphNode, 'id' | 'over'>,
  index: number,
  change: Partial<Part>,
): WorkflowContext => {
  const state = stateOf(context, id);
  const part = state.parts[index];
  // Later replies to a node that failed already are discarded.
  if (part === undefined || state.status === 'failed') return context;
  const parts = state.parts.with(index, { ...part, ...change });
  if (!parts.every(({ status }) => status === 'done')) {
    const status = state.status === 'held' ? 'held' : statusOfParts(parts);
    return withNode(context, id, { parts, status });
  }
  const outputs = parts.map(({ output }) => output);
  const output = over === null ? (outputs[0] ?? null) : outputs;
  return withNode(context, id, { parts, status: 'completed', reason: null, heldBy: null, output });
};

/** The place of a node whose parts are not all done. */
export const statusOfParts = (parts: readonly Part[]): NodeState['status'] => {
  if (parts.some(({ status }) => status === 'running')) return 'running';
  return parts.some(({ status }) => status === 'ready') ? 'ready' : 'waiting';
};

/** A part of which nothing has been done. */
export const freshPart = (item: Json): Part => ({
  item,
  status: 'ready',
  tries: 0,
  output: null,
  task: null,
  retryAfter: null,
  timeLimit: null,
});
