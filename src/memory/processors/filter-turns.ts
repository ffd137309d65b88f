import type { Processor, TurnBlock } from '../../contracts/conversations/processor.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { cycleOf, withTurns } from './turn-blocks.ts';

/**
 * Keeps only the turns for which `isWanted` is true.
 *
 * A result goes with its call, and an assistant turn with the results of its calls. The first user message stays.
 *
 * @example
 * filterTurns((turn) => turn.role !== 'tool' || turn.failed !== true) // without calls that failed
 */
export const filterTurns = (isWanted: (turn: Turn) => boolean): Processor => ({
  name: 'filterTurns',
  *project(blocks) {
    for (const block of blocks) {
      const left = block.isPinned ? block : filterBlock(block, isWanted);
      if (left !== undefined) yield left;
    }
  },
});

const filterBlock = (block: TurnBlock, isWanted: (turn: Turn) => boolean): TurnBlock | undefined => {
  const cycle = cycleOf(block.turns);
  if (cycle === undefined) return withTurns(block, block.turns.filter(isWanted));
  const { said, results } = cycle;
  if (!isWanted(said)) return undefined;
  const kept = results.filter(isWanted);
  if (kept.length === results.length) return block;
  const gone = new Set(results.filter((result) => !kept.includes(result)).map(({ callId }) => callId));
  const calls = (said.calls ?? []).filter(({ id }) => !gone.has(id));
  // The provider's own copy of the turn still shows the removed calls: its adapter leaves them out.
  const { calls: _, ...words } = said;
  if (calls.length > 0) return { ...block, turns: [{ ...words, calls }, ...kept] };
  return withTurns(block, said.text.trim() === '' ? [] : [words]);
};
