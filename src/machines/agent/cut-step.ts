import { append } from '../../base/collections/history.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { AgentChange, AgentContext } from './agent-context.ts';
import { turnsOfStep } from './conversation.ts';

/**
 * The conversation with an interrupted step: finished calls stay known, so that a run that continues from it does not repeat them. Every
 * call has a result, as providers require.
 */
export const withCutStep = ({ cycle, history }: AgentContext): AgentChange => {
  const { plan } = cycle;
  if (plan === null) return {};
  const results = plan.calls.map(
    (call, index) => plan.results[index] ?? unfinishedResult(call, index < plan.started),
  );
  return { history: append<Turn>(history, ...turnsOfStep(cycle, results)) };
};

const unfinishedResult = ({ id, name }: ToolCall, hasBegun: boolean): ToolResult => {
  const text = hasBegun
    ? `Cannot finish '${name}' as the run ended before it did: it may have been done`
    : `Cannot begin '${name}' as the run ended before it`;
  return {
    callId: id,
    tool: name,
    ok: false,
    kind: 'cancelled',
    error: { code: 'tool.cancelled', message: text, retryable: 'no', tool: name },
    text,
    durationMs: 0,
    attempts: hasBegun ? 1 : 0,
  };
};
