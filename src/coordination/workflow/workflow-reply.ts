import { timeShare } from '../../machines/stopping/budget-rule.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Tally } from '../../contracts/agents/tally.ts';
import { backOffMs, failureClassOf } from '../../machines/supervision.ts';
import type { Reply } from '../round/round.ts';
import { placeAt, withPlace } from '../round/round.ts';
import { draftOf, moveOf } from '../round/round-draft.ts';
import { roundMove } from '../round/settle-reply.ts';
import type { TeamEvent } from '../round/team-context.ts';
import { spentEnd } from '../round/team-context.ts';
import type { GraphNode } from './workflow-graph.ts';
import { alsoWanting, withFailure, withHold, withPart, withWait } from './workflow-node.ts';
import { advance } from './workflow-schedule.ts';
import type { Part, WorkflowContext } from './workflow-state.ts';
import { graphOf, stateOf } from './workflow-state.ts';

/** Clears the outputs of the last turn: they are carried out, and its events published. */
export const onTurn = (context: WorkflowContext, at: number): WorkflowContext => ({
  ...context,
  ...moveOf(draftOf(context, at)),
  own: { ...context.own, notes: [] },
});

/** An answer is in, a member's or a wait's: with the status of its node, and the tasks that start now. */
export const withAnswer = (before: WorkflowContext, event: TeamEvent): WorkflowContext => {
  const moved = { ...onTurn(before, event.at), ...roundMove(before, event) };
  // Members that bring a policy of their own may have been too much for it.
  if (moved.end !== null) return moved;
  if (event.type === 'answered.pause') return advance(withWaitOver(moved, event.index));
  if (event.type === 'answered.wake') return advance(withTimeOver(moved, event.index));
  if (event.type !== 'answered.member') return moved;
  const context = withPressure(moved, event.output.tally, event.at);
  const reply = placeAt(context.round, event.index)?.reply ?? null;
  // A reply that is not pending, or a member that its own policy restarts.
  if (reply === null || placeAt(before.round, event.index)?.path !== event.path) return advance(context);
  const settled = withReplyTo(context, event.index, event.path, reply);
  const spent = spentEnd(settled);
  return spent === undefined ? advance(settled) : { ...settled, end: spent };
};

/** The used part of the workflow's budget, or of one above it, as far as members' answers report it. */
const withPressure = (context: WorkflowContext, { budget }: Tally, now: number): WorkflowContext => {
  if (budget === undefined) return context;
  const { team, own } = context;
  const { timeMs, steps, tokens, usd, toolCalls } = budget;
  const late = timeMs && { ...timeMs, fraction: timeShare(budget, now) ?? 0 };
  const fractions = [steps, tokens, usd, toolCalls, late].map((line) =>
    line !== undefined && (line.path === team.path || team.path.startsWith(`${line.path}/`))
      ? line.fraction
      : 0,
  );
  return { ...context, own: { ...own, pressure: Math.max(own.pressure, ...fractions) } };
};

const withReplyTo = (
  context: WorkflowContext,
  index: number,
  path: string,
  reply: Reply,
): WorkflowContext => {
  const found = nodeOfTask(context, index);
  if (found === undefined) return context;
  const { node, part } = found;
  return reply.status === 'completed'
    ? withPart(context, node, part, { status: 'done', output: reply.output, timeLimit: null })
    : withFailedPart(context, node, part, path, reply);
};

const nodeOfTask = (
  context: WorkflowContext,
  index: number,
): { readonly node: GraphNode; readonly part: number } | undefined => {
  const task = context.own.tasks[index];
  const node = graphOf(context).nodes.find(({ id }) => id === task?.node);
  return task === undefined || node === undefined ? undefined : { node, part: task.part };
};

/** The time that a try waits for the one before it, in ms: longer each time, and by chance. */
const BACK_OFF = { leastMs: 200, mostMs: 30_000, stableMs: 30_000 };

/** A member failed: it is tried again after a while, or else its node is held or has failed. */
const withFailedPart = (
  context: WorkflowContext,
  node: GraphNode,
  index: number,
  path: string,
  { stopReason, error, member }: Reply,
): WorkflowContext => {
  const part = stateOf(context, node.id).parts[index];
  if (part === undefined || stateOf(context, node.id).status === 'failed') return context;
  const reason = error?.message ?? `it ended without an answer: ${stopReason.kind}`;
  if (part.tries <= node.retry && !isForGood(error)) {
    const waitMs = Math.max(backOffMs(BACK_OFF, part.tries, path), error?.retryAfterMs ?? 0);
    const [waiting, retryAfter] = withWait(withRetry(context, part, path), 'pause', waitMs);
    return withPart(waiting, node, index, { status: 'waiting', retryAfter, timeLimit: null });
  }
  if (node.exhausted === 'fail')
    return withFailure(context, node, reason, error ?? withoutAnswer(member, stopReason.kind));
  const held = withPart(withRetry(context, part, path), node, index, { status: 'ready', timeLimit: null });
  return withHold(held, node.id, 'failure', reason);
};

/** The next try knows whose work it repeats. */
const withRetry = (context: WorkflowContext, { task, tries }: Part, of: string): WorkflowContext =>
  task === null
    ? context
    : { ...context, round: withPlace(context.round, task, { restart: { of, count: tries } }) };

/** Checks for a failure that no further try can mend. */
const isForGood = (error: ErrorData | null): boolean => {
  const failure = error === null ? 'stopped' : failureClassOf(error);
  return failure === 'auth' || failure === 'bug';
};

const withoutAnswer = (member: string, kind: string): ErrorData => ({
  code: 'workflow.failed',
  message: `Cannot go on without '${member}' as it ended without an answer: ${kind}`,
  retryable: 'no',
});

/** A wait is over: a part is tried again, or the wait for a node's release has expired. */
const withWaitOver = (context: WorkflowContext, wait: number): WorkflowContext => {
  for (const node of graphOf(context).nodes) {
    const { parts, status, resolveAfter, reason } = stateOf(context, node.id);
    const index = parts.findIndex(({ retryAfter }) => retryAfter === wait);
    if (index >= 0) return withPart(context, node, index, { status: 'ready', retryAfter: null });
    if (status === 'held' && resolveAfter === wait) {
      const { resolveMs } = graphOf(context);
      const message = `Cannot hold '${node.id}' any longer as nobody released or dropped it in ${resolveMs} ms: ${reason ?? ''}`;
      return withFailure(context, node, message, { code: 'workflow.failed', message, retryable: 'no' });
    }
  }
  return context;
};

/** A member has had its time: it is stopped, and has failed. */
const withTimeOver = (context: WorkflowContext, wait: number): WorkflowContext => {
  for (const node of graphOf(context).nodes) {
    const index = stateOf(context, node.id).parts.findIndex(({ timeLimit }) => timeLimit === wait);
    const part = stateOf(context, node.id).parts[index];
    if (part !== undefined) return withStoppedPart(context, node, index, part);
  }
  return context;
};

const withStoppedPart = (
  context: WorkflowContext,
  node: GraphNode,
  index: number,
  { task }: Part,
): WorkflowContext => {
  const path = task === null ? undefined : placeAt(context.round, task)?.path;
  if (task === null || path === undefined || path === null) return context;
  const { member } = node;
  const message = `Cannot wait for '${member}' any longer as its time is over: ${node.timeMs} ms`;
  const error = { code: 'member.timed-out', message, retryable: 'yes' } as const;
  const reply: Reply = {
    member,
    status: 'failed',
    output: null,
    stopReason: { kind: 'failed' },
    error,
    steps: 0,
  };
  const stopped = alsoWanting(context, (draft) => {
    draft.wants.stopping.push(path);
    draft.wants.overdue = { ...draft.wants.overdue, [path]: error };
    const round = withPlace(draft.round, task, { reply, path: null });
    return { ...draft, round: { ...round, open: round.open - 1 } };
  });
  return withFailedPart(stopped, node, index, path, reply);
};
