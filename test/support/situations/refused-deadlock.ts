import { parallel } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls } from '../../../src/testing/scripted-model.ts';
import { colleagues } from '../../../src/tools/index.ts';
import { settled } from '../runs.ts';
import type { Situation } from './situation.ts';
import { clockAtNine, pacedModel } from './situation.ts';

/** Two members ask each other at the same time: the question that would close the circle is refused, and both go on. */
export const refusedDeadlock = (): Situation => {
  const clock = clockAtNine();
  const ask = (to: string, text: string) => calls({ name: 'colleagues.ask', input: { to, text } });
  const reply = (text: string) => calls({ name: 'colleagues.reply', input: { text } });
  const desk = parallel({
    name: 'desk',
    members: {
      ann: agent({
        name: 'ann',
        instructions: 'You know the place. Ask Ben for the day.',
        tools: [colleagues()],
        model: pacedModel(clock, 'small', [
          ask('ben', 'Which day is it?'),
          'The party is on Friday, on the pier.',
        ]),
      }),
      ben: agent({
        name: 'ben',
        instructions: 'You know the day. Ask Ann for the place.',
        tools: [colleagues()],
        model: pacedModel(clock, 'small', [
          ask('ann', 'Which place is it?'),
          reply('It is on Friday.'),
          'The party is on Friday.',
        ]),
      }),
    },
  });
  return {
    name: 'refused-deadlock',
    agent: desk,
    runId: 'desk-1',
    play: async (where) => {
      const run = desk.stream('When and where is the party?', { ...where, clock, runId: 'desk-1' });
      await settled(run);
      return run;
    },
  };
};
