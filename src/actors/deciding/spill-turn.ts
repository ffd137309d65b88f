import type { Effect } from '../../contracts/runs/effect.ts';
import type { Decided } from '../../machines/agent/agent-context.ts';
import { spillText } from '../../tools/calls/cap-output.ts';
import type { Desk } from '../desk.ts';

/** Largest number of bytes per UTF-16 unit: shorter texts need not be counted. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * Cuts a turn to the agent's limit: the conversation keeps the head of a long text, and an artifact of the run the whole. The decision and
 * the run's answer are unchanged.
 */
export const spillTurn = (decided: Decided, { step, attempt, index }: Effect, desk: Desk): Decided => {
  if (decided.kind !== 'decided' && decided.kind !== 'again') return decided;
  const { turn } = decided;
  const limit = desk.definition.maxTextBytes;
  if (turn === undefined || turn.text.length * MOST_BYTES_PER_UNIT <= limit) return decided;
  // A provider's replay blocks contain the text too, and only the provider could cut them.
  if (turn.replay !== undefined && (turn.calls?.length ?? 0) > 0) return decided;
  const artifact = `answer-${step}${attempt + index > 1 ? `.${attempt}.${index}` : ''}.txt`;
  const text = spillText(turn.text, artifact, limit);
  if (text === turn.text) return decided;
  desk.keep([{ name: artifact, mediaType: 'text/plain', content: turn.text }]);
  desk.emit({ type: 'text.spilled', artifact, characters: turn.text.length });
  const { replay: _, ...kept } = turn;
  return { ...decided, turn: { ...kept, text } };
};
