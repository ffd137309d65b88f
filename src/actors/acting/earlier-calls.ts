import { HistoryView } from '../../base/collections/history.ts';
import type { EarlierCall } from '../../contracts/tools/safety.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { AgentContext } from '../../machines/agent/agent-context.ts';

/** The calls of an agent in its run that have a result, in order, those of the current step last. */
export const earlierCalls = ({
  history,
  run: { promptAt = 0 },
  cycle: { plan },
}: AgentContext): readonly EarlierCall[] => {
  const made = new Map<string, ToolCall>();
  const earlier: EarlierCall[] = [];
  for (const turn of new HistoryView(history).slice(promptAt)) {
    if (turn.role === 'assistant') for (const call of turn.calls ?? []) made.set(call.id, call);
    else if (turn.role === 'tool') {
      const call = made.get(turn.callId);
      if (call !== undefined)
        earlier.push({ tool: turn.tool, input: call.input, ok: !turn.failed, text: turn.text });
    }
  }
  for (const [index, call] of (plan?.calls ?? []).entries()) {
    const result = plan?.results[index];
    if (result)
      earlier.push({
        tool: result.tool,
        input: result.input ?? call.input,
        ok: result.ok,
        text: result.text,
      });
  }
  return earlier;
};
