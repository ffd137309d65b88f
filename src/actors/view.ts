import { freezeJson } from '../base/json/freeze-json.ts';
import type { AgentView } from '../contracts/agents/agent-view.ts';
import { HistoryView } from '../base/collections/history.ts';
import type { AgentContext } from '../machines/agent/agent-context.ts';
import type { Desk } from './desk.ts';

/** The view for an agent's own functions: the context by reference, frozen, and a signal created on access. */
export const viewOf = (context: AgentContext, desk: Pick<Desk, 'abort' | 'context'>): AgentView => ({
  input: freezeJson(context.input),
  state: context.state,
  step: context.step,
  transcript: new HistoryView(context.history),
  observation: freezeJson(context.cycle.observation) ?? undefined,
  memory: freezeJson(context.cycle.memory) ?? undefined,
  results: freezeJson(context.cycle.previous),
  tally: freezeJson(context.tally),
  context: desk.context,
  get signal() {
    return desk.abort.signal;
  },
});
