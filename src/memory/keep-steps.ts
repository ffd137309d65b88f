import type { Processor } from '../contracts/processor.ts';

/**
 * Shows the last `count` steps, and the first user message before them: what the model said in each, what came of its
 * calls, and what was said to it just before.
 *
 * However many calls a step made, it is one; to limit turns as well, add `keepLast`.
 *
 * @example
 * agent({ name: 'walker', context: { processors: [keepSteps(8), keepLast(24)] } });
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
