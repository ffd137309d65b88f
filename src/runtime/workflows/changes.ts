import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { WorkflowChange } from '../../coordination/workflow/workflow-change.ts';

/**
 * A change to a running workflow as a message: `handle.send(change)`.
 *
 * It is recorded like every message, so a resume or replay repeats it. An impossible change has no effect, and `team.noted` gives the
 * reason.
 */
const changing = (change: WorkflowChange, text: string, from: string): Message => ({
  from,
  text,
  data: { workflow: toJson(change) },
});

/** A node that is added to a running workflow. */
export interface AddedNode {
  readonly id: string;
  /** Id of an existing node, or name of a spare member, that executes it. */
  readonly member: string;
  /** With references as text: `'${search.title}'`. Default: the outputs of the nodes before it. */
  readonly input?: Json;
  /** Nodes before it, whose outputs it receives. */
  readonly after?: readonly string[];
  /** Number of retries. Default 2. */
  readonly retry?: number;
  /** Continues the workflow if it fails. Default false. */
  readonly optional?: boolean;
}

/**
 * Messages that change a running workflow; each takes an optional sender `from` (default `'person'`).
 *
 * - `suspend()`, `resume()`: no node starts until it is resumed; running ones continue.
 * - `hold(node)`, `release(node)`: one node; a failed node that is held is retried once it is released.
 * - `drop(node)`: skips it, if it has not started.
 * - `input(node, input)`: replaces its input, if it has not started; references in it are resolved.
 * - `add(node)`: adds a node for an existing member.
 *
 * To cancel the whole workflow, abort the run.
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
