import type { History } from '../../base/collections/history.ts';
import { HistoryView } from '../../base/collections/history.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { AgentContext } from '../../machines/agent/agent-context.ts';

/** The conversation of an ended agent, by reference: copied only on access. */
export interface AgentConversation {
  readonly history: History<Turn>;
  /** Index of its run's prompt, where its own part starts. */
  readonly promptAt: number | undefined;
}

/** Checks whether a machine's context is an agent's. */
export const isAgentContext = (context: unknown): context is AgentContext =>
  typeof context === 'object' && context !== null && 'tally' in context && 'history' in context;

/** The turns of an agent after its prompt, without recalled memories, which are recalled anew each time. */
export const ownTurns = ({ history, promptAt }: Partial<AgentConversation> = {}): readonly Turn[] => {
  if (history === undefined || promptAt === undefined) return [];
  const own = new HistoryView(history).slice(promptAt + 1);
  return own.filter((turn) => turn.role !== 'user' || turn.from !== 'memory');
};
