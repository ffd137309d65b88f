import type { ToolContext, ToolFacts } from './tool.ts';

/** A tool call ready to start: its input is validated, it is allowed, and nothing of it has happened yet. */
export interface ExecutableCall {
  readonly tool: string;
  /** The tool's own facts: its safety level, its tags … */
  readonly facts: ToolFacts;
  /** The input as parsed by the tool's schema. */
  readonly input: unknown;
  /** The context that the tool would receive: the key of the call, its attempt, its signal … */
  readonly context: ToolContext;
  /** Runs the tool unchanged, by default with the input of the call. */
  readonly run: (input?: unknown) => unknown;
}

/**
 * Executes the tool calls of a run in place of the tools themselves: in a sandbox, in another process, with a
 * transaction around each.
 *
 * It is called for each attempt of every call of a run, those of members and children included. Its return value is the
 * tool's result, and what it throws is the tool's failure: time-outs, retries and the bound on a result's length hold
 * as for the tool. A result that does not come from `run` is not checked against the tool's output schema.
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
