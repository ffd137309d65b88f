import type { Json } from '../../contracts/json.ts';
import { toJson } from '../../contracts/json.ts';
import type { Message } from '../../contracts/message.ts';
import type { WorkflowChange } from '../../coordination/workflow/workflow-change.ts';

/**
 * A change to a workflow that is under way, as a message: `handle.send(change)`.
 *
 * It is on record like every message, so whoever resumes or replays the run goes through it again. What cannot be done changes
 * nothing, and `team.noted` says why.
 */
const changing = (change: WorkflowChange, text: string, from: string): Message => ({
  from,
  text,
  data: { workflow: toJson(change) },
});

/** A node as it is added to a workflow that is under way. */
export interface AddedNode {
  readonly id: string;
  /** Who does it: the id of a node, or the name of a spare member. */
  readonly member: string;
  /** With references as they are written: `'${search.title}'`. Default: what the nodes before it left. */
  readonly input?: Json;
  /** Nodes that come before it, and whose output it is given. */
  readonly after?: readonly string[];
  /** The number of times that it is tried again. Default 2. */
  readonly retry?: number;
  /** Its failure ends nothing. Default false. */
  readonly optional?: boolean;
}

/**
 * Changes to a workflow that is under way, to be sent to it; each may say who it is `from` (default `'person'`).
 *
 * - `suspend()`, `resume()`: nothing new begins until it is resumed; what is under way goes on.
 * - `hold(node)`, `release(node)`: one node; one that failed and is held is tried anew once it is released.
 * - `drop(node)`: it is skipped, if it has not begun.
 * - `input(node, input)`: it gets another input, if it has not begun; references in it are resolved.
 * - `add(node)`: another node, done by a member that there is.
 *
 * To call it off altogether, abort the run.
 *
 * @example
 * const handle = report.stream('tides');
 * handle.send(changeWorkflow.hold('write'));
 * handle.send(changeWorkflow.release('write'));
 */
export const changeWorkflow = {
  suspend: (from = 'person'): Message => changing({ change: 'suspend' }, 'Suspend the workflow.', from),
  resume: (from = 'person'): Message => changing({ change: 'resume' }, 'Resume the workflow.', from),
  hold: (node: string, from = 'person'): Message =>
    changing({ change: 'hold', node }, `Hold '${node}'.`, from),
  release: (node: string, from = 'person'): Message =>
    changing({ change: 'release', node }, `Release '${node}'.`, from),
  drop: (node: string, from = 'person'): Message =>
    changing({ change: 'drop', node }, `Drop '${node}'.`, from),
  input: (node: string, input: Json, from = 'person'): Message =>
    changing({ change: 'input', node, input }, `Give '${node}' another input.`, from),
  add: (node: AddedNode, from = 'person'): Message =>
    changing({ change: 'add', node: { ...node } }, `Add '${node.id}'.`, from),
} as const;
