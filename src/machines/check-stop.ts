import type { StopReason } from '../contracts/stop.ts';
import type { ToolResult } from '../contracts/tool.ts';
import type { AgentChange, AgentContext } from './agent-context.ts';
import { threw } from './agent-end.ts';
import { atOnce, rulesInForce } from './rules.ts';
import { firstReason } from './composed-rules.ts';

/** Whether the run is over: the answer, the agent's own condition, then the stop rules in the order given. */
export const checked = (context: AgentContext): AgentChange => {
  if (context.end !== null) return {};
  if (context.review.candidate !== null)
    return { end: { status: 'completed', stopReason: { kind: 'answered' } } };
  const { shouldStop, stop } = rulesInForce();
  const { step, state, tally, cycle } = context;
  const view = { step, state, tally, decision: cycle.decision ?? undefined, results: cycle.results };
  try {
    const detail = atOnce(shouldStop?.(view));
    const stopReason: StopReason | undefined =
      detail === undefined || detail === false
        ? (environmentEnd(cycle.results) ?? firstReason(stop, view))
        : { kind: 'agentCondition', detail: detail === true ? 'shouldStop' : detail };
    return stopReason === undefined ? {} : { end: { status: 'stopped', stopReason } };
  } catch (thrown) {
    return { end: threw(context, thrown, 'shouldStop or a stop rule', 'CHECK_STOP') };
  }
};

/** The environment's own end, where one of the calls of the step brought it about. */
const environmentEnd = (results: readonly ToolResult[]): StopReason | undefined => {
  const end = results.find(({ environment }) => environment?.end !== undefined)?.environment?.end;
  return end === undefined ? undefined : { kind: 'environmentEnded', ...end };
};
