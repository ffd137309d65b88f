import type { Processor, TurnBlock } from '../contracts/processor.ts';
import type { Turn } from '../contracts/transcript.ts';
import { cycleOf, withTurns } from './turn-blocks.ts';

/**
 * Shows only the turns that `isWanted` wants.
 *
 * With a result goes its call, and with an assistant turn go the results of its calls. The first user message stays.
 *
 * @example
 * filterTurns((turn) => turn.role !== 'tool' || turn.failed !== true) // without calls that failed
 */
export const filterTurns = (isWanted: (turn: Turn) => boolean): Processor => ({
  name: 'filterTurns',
  *project(blocks) {
    for (const block of blocks) {
      const left = block.isPinned ? block : filtered(block, isWanted);
      if (left !== undefined) yield left;
    }
  },
});

const filtered = (block: TurnBlock, isWanted: (turn: Turn) => boolean): TurnBlock | undefined => {
  const cycle = cycleOf(block.turns);
  if (cycle === undefined) return withTurns(block, block.turns.filter(isWanted));
  const { said, results } = cycle;
  if (!isWanted(said)) return undefined;
  const kept = results.filter(isWanted);
  if (kept.length === results.length) return block;
  const gone = new Set(results.filter((result) => !kept.includes(result)).map(({ callId }) => callId));
  const calls = (said.calls ?? []).filter(({ id }) => !gone.has(id));
  // A provider's own copy of the turn still holds the calls that go.
  const { replay: _, calls: __, ...words } = said;
  if (calls.length > 0) return { ...block, turns: [{ ...words, calls }, ...kept] };
  return withTurns(block, said.text.trim() === '' ? [] : [words]);
};
