import type { Decided } from '../../machines/agent/agent-context.ts';
import type { Desk } from '../desk.ts';
import { putAside } from '../put-aside.ts';

/** Cuts the text of a turn to the agent's limit; the decision and the run's answer are unchanged. */
export const cutTurn = (decided: Decided, desk: Desk): Decided => {
  if (decided.kind !== 'decided' && decided.kind !== 'again') return decided;
  const { turn } = decided;
  if (turn === undefined) return decided;
  // A provider's replay blocks contain the text too, and only the provider could cut them.
  if (turn.replay !== undefined && (turn.calls?.length ?? 0) > 0) return decided;
  const cut = putAside(turn.text, 'answer', desk);
  if (cut === undefined) return decided;
  const { replay: _, ...kept } = turn;
  return { ...decided, turn: { ...kept, ...cut } };
};
