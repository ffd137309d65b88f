import type { Processor } from '../../contracts/conversations/processor.ts';
import type { ToolTurn, Turn } from '../../contracts/conversations/transcript.ts';
import { truncateText } from './truncate-text.ts';

/** Shortens tool results past `most` characters to their head and tail; media beside them are left out, and named. */
export const truncateTools = (most: number): Processor => {
  // The same short turn for the same long one: it is counted and sent unchanged from step to step.
  const known = new WeakMap<ToolTurn, ToolTurn>();
  return {
    name: `truncateTools(${most})`,
    *project(blocks, { count }) {
      const shortened = (turn: Turn): Turn => {
        if (turn.role !== 'tool' || turn.text.length <= most) return turn;
        let short = known.get(turn);
        if (short === undefined) {
          const { parts: _, ...rest } = turn;
          short = { ...rest, text: truncateText(turn.text, most) };
          if (count(short) > count(turn)) short = turn;
          known.set(turn, short);
        }
        return short;
      };
      for (const block of blocks)
        yield block.isPinned || !block.turns.some(({ text }) => text.length > most)
          ? block
          : { ...block, turns: block.turns.map(shortened) };
    },
  };
};
