import type { Effect } from '../contracts/effect.ts';
import type { Decided } from '../machines/agent-context.ts';
import { spillText } from '../tools/cap-output.ts';
import type { Desk } from './desk.ts';

/** No UTF-16 unit takes more bytes than this: shorter texts need not be counted. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * A choice whose turn fits into the conversation: of a text that is too long only its head stays there, and the whole of it
 * is an artifact of the run. What was decided, the answer of the run included, is as it was.
 */
export const spillTurn = (decided: Decided, { step, attempt, index }: Effect, desk: Desk): Decided => {
  if (decided.kind !== 'decided' && decided.kind !== 'again') return decided;
  const { turn } = decided;
  const limit = desk.definition.maxTextBytes;
  if (turn === undefined || turn.text.length * MOST_BYTES_PER_UNIT <= limit) return decided;
  // Blocks that a provider wants back beside calls hold the text, too, and cannot be cut by anybody else.
  if (turn.replay !== undefined && (turn.calls?.length ?? 0) > 0) return decided;
  const artifact = `answer-${step}${attempt + index > 1 ? `.${attempt}.${index}` : ''}.txt`;
  const text = spillText(turn.text, artifact, limit);
  if (text === turn.text) return decided;
  desk.keep([{ name: artifact, mediaType: 'text/plain', content: turn.text }]);
  desk.emit({ type: 'text.spilled', artifact, characters: turn.text.length });
  const { replay: _, ...kept } = turn;
  return { ...decided, turn: { ...kept, text } };
};
