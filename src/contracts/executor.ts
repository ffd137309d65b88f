import type { ToolContext, ToolFacts } from './tool.ts';

/** A tool call that may begin: its input is checked, it is allowed, and nothing of it has happened yet. */
export interface ExecutableCall {
  readonly tool: string;
  /** What the tool says of itself: its safety level, its tags … */
  readonly facts: ToolFacts;
  /** As the tool's schema gives it. */
  readonly input: unknown;
  /** What the tool would be given: the key of the call, its attempt, its signal … */
  readonly context: ToolContext;
  /** Runs the tool as it is, by default with the input of the call. */
  readonly run: (input?: unknown) => unknown;
}

/**
 * Executes the tool calls of a run in place of the tools themselves: in a sandbox, in another process, with a transaction around each.
 *
 * It is asked for each attempt of every call of a run, those of its members and children too. What it returns is the tool's result, and
 * what it throws its failure: time-outs, retries and the bound on a result's length hold as for the tool. A result that does not come from
 * `run` is not checked by the tool's output schema.
 *
 * @example
 * const measured: ToolExecutor = async ({ tool, run }) => {
 *   const startedAt = performance.now();
 *   try {
 *     return await run();
 *   } finally {
 *     console.log(tool, performance.now() - startedAt);
 *   }
 * };
 */
export type ToolExecutor = (call: ExecutableCall) => unknown;
