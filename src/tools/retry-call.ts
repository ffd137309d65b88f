import type { Tool, ToolErrorKind, ToolResult } from '../contracts/tool.ts';

/** What comes out differently another time; a refusal, a wrong input or a cancelled run does not. */
const PASSING: ReadonlySet<ToolErrorKind> = new Set<ToolErrorKind>(['execution', 'timeout']);

/**
 * How long to wait before a call is tried again, in ms; null where the result stands.
 *
 * Waits double from `retry.initialWaitMs` up to `retry.maxWaitMs`; a wait that the other side asked for is obeyed
 * if it is longer, and makes the result stand if it is longer than `maxWaitMs`. What is known to be of no use
 * (`retryable: 'no'`) is never tried again.
 *
 * @example
 * const result = await performCall(tool, call, context, options);
 * const waitMs = retryWaitMs(tool, result); // => 500 after the first time-out of an idempotent tool
 */
export const retryWaitMs = ({ retry }: Pick<Tool, 'retry'>, result: ToolResult): number | null => {
  if (result.ok || !PASSING.has(result.kind) || result.error.retryable === 'no') return null;
  if (result.attempts >= retry.attempts) return null;
  const doubled = retry.initialWaitMs * 2 ** Math.max(0, result.attempts - 1);
  const asked = result.error.retryAfterMs ?? 0;
  return asked > retry.maxWaitMs ? null : Math.max(asked, Math.min(doubled, retry.maxWaitMs));
};
