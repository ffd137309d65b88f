import type { Processor, ProjectionFacts, TurnBlock } from '../../contracts/conversations/processor.ts';
import type { AssistantTurn, ToolTurn, Turn } from '../../contracts/conversations/transcript.ts';
import { oneLine } from './truncate-text.ts';
import { cycleOf } from './turn-blocks.ts';

/**
 * Keeps the last `keep` tool cycles whole, and reduces each older one to a line with its call and result.
 *
 * Everything else stays: messages of users and agents are unchanged.
 */
export const dropOldToolCycles = (keep: number): Processor => {
  const known = new WeakMap<Turn, Turn>();
  return {
    name: `dropOldToolCycles(${keep})`,
    *project(blocks, facts) {
      let cycles = 0;
      for (const block of blocks) {
        const cycle = block.isPinned ? undefined : cycleOf(block.turns);
        if (cycle === undefined || (cycles += 1) <= keep) yield block;
        else {
          const note = known.get(cycle.said) ?? shortest(block, cycle.said, cycle.results, facts);
          if (note === undefined) yield block;
          else {
            known.set(cycle.said, note);
            yield { ...block, turns: [note] };
          }
        }
      }
    },
  };
};

/** Returns the most complete note that is not longer than the cycle. */
const shortest = (
  { turns }: TurnBlock,
  said: AssistantTurn,
  results: readonly ToolTurn[],
  { count }: ProjectionFacts,
): Turn | undefined => {
  const most = turns.reduce((all, turn) => all + count(turn), 0);
  return [160, 40, 8]
    .map((width): Turn => ({ role: 'user', from: 'runtime', text: noteOf(said, results, width) }))
    .find((note) => count(note) <= most);
};

const noteOf = ({ text, calls = [] }: AssistantTurn, results: readonly ToolTurn[], width: number): string => {
  const done = calls.map(({ id, name, input }) => {
    const result = results.find(({ callId }) => callId === id);
    const came = result === undefined ? 'no result' : oneLine(result.text, width) || 'nothing';
    return `${name}(${oneLine(JSON.stringify(input), width)}) ${result?.failed === true ? 'failed' : 'gave'}: ${came}`;
  });
  const words = oneLine(text, width);
  return `Earlier: ${words === '' ? '' : `${words} `}${done.join('; ')}`;
};
