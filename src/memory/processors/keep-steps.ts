import type { Processor } from '../../contracts/conversations/processor.ts';

/**
 * Shows the last `count` steps, and the first user message before them: the model's text in each, the results of its
 * calls, and the messages just before.
 *
 * A step counts once, however many calls it made; to limit turns as well, add `keepLast`.
 *
 * @example
 * agent({ name: 'walker', conversation: { compaction: { processors: [keepSteps(8), keepLast(24)] } } });
 */
export const keepSteps = (count: number): Processor => ({
  name: `keepSteps(${count})`,
  *project(blocks) {
    let steps = 0;
    for (const block of blocks) {
      if (block.turns.some(({ role }) => role === 'assistant')) steps += 1;
      if (steps > count) return;
      yield block;
    }
  },
});
