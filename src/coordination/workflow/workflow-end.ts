import type { Json } from '../../base/json/json.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { TeamEnd } from '../round/team-context.ts';
import { teamOutcome } from '../round/team-context.ts';
import type { NodeFailure, NodeStatus, WorkflowContext } from './workflow-state.ts';
import { graphOf, isSettled, stateOf } from './workflow-state.ts';

/** The result of a node at the end of its workflow. */
export type NodeResult = {
  readonly status: NodeStatus;
  /** Null where it left none. */
  readonly output: Json;
  /** The number of times that its member was engaged. */
  readonly tries: number;
  /** The reason that it is held, was skipped or failed. */
  readonly reason?: string;
  /** It failed, and was optional. */
  readonly isFlagged?: true;
};

/** The end of a workflow that has nothing left to do; undefined while it has. */
export const conclusion = (context: WorkflowContext): TeamEnd | undefined => {
  const { nodes, output } = graphOf(context);
  if (!nodes.every(({ id }) => isSettled(stateOf(context, id)))) return undefined;
  const failed = nodes.filter(({ id }) => {
    const { status, isFlagged } = stateOf(context, id);
    return status === 'failed' && !isFlagged;
  });
  const lost =
    output === null ? failed : nodes.filter(({ id }) => id === output && !isCompleted(context, id));
  if (lost.length === 0) {
    const value = output === null ? outputsOf(context) : stateOf(context, output).output;
    return { status: 'completed', stopReason: { kind: 'answered' }, output: value };
  }
  const detail = [...new Set([...lost, ...failed])].map(({ id }) => wordsOn(context, id)).join('; ');
  return nodes.some(({ id }) => isCompleted(context, id))
    ? {
        status: 'stopped',
        stopReason: { kind: 'rule', rule: 'workflow', detail },
        candidate: outputsOf(context),
      }
    : { status: 'failed', stopReason: { kind: 'failed' }, error: nothingDone(context, detail) };
};

const isCompleted = (context: WorkflowContext, id: string): boolean =>
  stateOf(context, id).status === 'completed';

/** Checks whether a node was skipped though one of those before it was completed: the end of branches that exclude each other. */
const isAfterOneBranch = (context: WorkflowContext, id: string): boolean => {
  const { nodes, edges } = graphOf(context);
  const joinsAll = nodes.some((node) => node.id === id && node.join === 'all');
  const before = edges.filter(({ to }) => to === id).map(({ from }) => from);
  const isSkipped = (node: string): boolean => stateOf(context, node).status === 'skipped';
  return (
    joinsAll && isSkipped(id) && before.some(isSkipped) && before.some((each) => isCompleted(context, each))
  );
};

const wordsOn = (context: WorkflowContext, id: string): string => {
  const { status, reason } = stateOf(context, id);
  const words = `'${id}' ${status === 'failed' ? 'failed' : 'was skipped'}${reason === null ? '' : `: ${reason}`}`;
  return isAfterOneBranch(context, id)
    ? `${words}. Write \`join: 'any'\` if one of those before it suffices`
    : words;
};

const nothingDone = ({ team }: WorkflowContext, detail: string): NonNullable<TeamEnd['error']> => ({
  code: 'workflow.failed',
  message: `Cannot finish the workflow '${team.name}' as none of its nodes was completed: ${detail}`,
  retryable: 'no',
});

/** The end of a workflow by the failure of a node, with the results so far. */
export const failureEnd = (context: WorkflowContext, { error }: NodeFailure): TeamEnd => ({
  status: 'failed',
  stopReason: { kind: 'failed' },
  error,
  candidate: outputsOf(context),
});

/** The output of every node; null where there is none. */
const outputsOf = (context: WorkflowContext): Readonly<Record<string, Json>> =>
  Object.fromEntries(graphOf(context).nodes.map(({ id }) => [id, stateOf(context, id).output]));

/** The output of a workflow's machine: a team's, and the result of each node. */
export const workflowOutcome = ({ context }: { context: WorkflowContext }): Outcome => {
  const outcome = teamOutcome({ context });
  const isCut = context.end !== null && context.end.status !== 'completed' && outcome.candidate === undefined;
  return {
    ...outcome,
    ...(isCut ? { candidate: outputsOf(context) } : {}),
    state: { nodes: Object.fromEntries(graphOf(context).nodes.map(({ id }) => [id, resultOf(context, id)])) },
  };
};

const resultOf = (context: WorkflowContext, id: string): NodeResult => {
  const { status, output, tries, reason, isFlagged } = stateOf(context, id);
  return {
    status,
    output,
    tries,
    ...(reason === null ? {} : { reason }),
    ...(isFlagged ? { isFlagged } : {}),
  };
};
