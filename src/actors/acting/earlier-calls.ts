import { HistoryView } from '../../base/collections/history.ts';
import type { Json } from '../../base/json/json.ts';
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
  const add = ({ tool, text }: Pick<EarlierCall, 'tool' | 'text'>, input: Json, ok: boolean): void =>
    void earlier.push({ tool, input, ok, text });
  for (const turn of new HistoryView(history).slice(promptAt)) {
    if (turn.role === 'assistant') for (const call of turn.calls ?? []) made.set(call.id, call);
    const call = turn.role === 'tool' ? made.get(turn.callId) : undefined;
    if (turn.role === 'tool' && call !== undefined) add(turn, call.input, turn.failed !== true);
  }
  for (const [index, call] of (plan?.calls ?? []).entries()) {
    const result = plan?.results[index] ?? undefined;
    if (result !== undefined) add(result, result.input ?? call.input, result.ok);
  }
  return earlier;
};
