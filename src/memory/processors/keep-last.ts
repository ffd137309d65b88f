import type { Processor } from '../../contracts/conversations/processor.ts';

/**
 * Shows the last `count` turns, and the first user message before them.
 *
 * A tool cycle is shown whole or not at all; the newest block always is, however long.
 */
export const keepLast = (count: number): Processor => ({
  name: `keepLast(${count})`,
  *project(blocks) {
    let turns = 0;
    for (const block of blocks) {
      if (turns > 0 && turns + block.turns.length > count) return;
      turns += block.turns.length;
      yield block;
      if (turns >= count) return;
    }
  },
});
