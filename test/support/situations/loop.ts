import { z } from 'zod';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { settled } from '../runs.ts';
import type { Situation } from './situation.ts';
import { clockAtNine, pacedModel } from './situation.ts';

/** An agent asks an archive the same thing again and again, until it is stopped. */
export const loop = (): Situation => {
  const clock = clockAtNine();
  const search = tool({
    name: 'search',
    description: 'Searches the archive.',
    input: z.object({ query: z.string() }),
    execute: async ({ query }) => {
      await clock.advance(3_000);
      return `Nothing is known about ${query}.`;
    },
  });
  const again = calls({ name: 'search', input: { query: 'the keeper of 1850' } });
  const archivist = agent({
    name: 'archivist',
    instructions: 'Search until you know.',
    tools: [search],
    model: pacedModel(clock, 'small', [again, again, again, again, again, again]),
  });
  return {
    name: 'loop',
    agent: archivist,
    runId: 'archive-1',
    play: async (where) => {
      const run = archivist.stream('Who kept the light in 1850?', { ...where, clock, runId: 'archive-1' });
      await settled(run);
      return run;
    },
  };
};
