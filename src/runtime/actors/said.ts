import type { History } from '../../contracts/history.ts';
import { HistoryView } from '../../contracts/history.ts';
import type { Turn } from '../../contracts/transcript.ts';
import type { AgentContext } from '../../machines/agent-context.ts';

/** The conversation of an agent that is over, by reference: nothing is copied until somebody asks for it. */
export interface Said {
  readonly history: History<Turn>;
  /** Where its own part begins: the prompt of its run. */
  readonly promptAt: number | undefined;
}

/** Checks whether what a machine knew is what an agent knows. */
export const isAgentContext = (context: unknown): context is AgentContext =>
  typeof context === 'object' && context !== null && 'tally' in context && 'history' in context;

/** The turns of an agent after its prompt, without what was recalled: that is recalled anew each time. */
export const ownTurns = ({ history, promptAt }: Partial<Said> = {}): readonly Turn[] => {
  if (history === undefined || promptAt === undefined) return [];
  const own = new HistoryView(history).slice(promptAt + 1);
  return own.filter((turn) => turn.role !== 'user' || turn.from !== 'memory');
};
