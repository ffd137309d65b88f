import { act, agent, answer, tool } from 'troupe';
import { z } from 'zod';

const count = tool({
  name: 'count',
  description: 'Counts on.',
  input: z.object({ from: z.number() }),
  execute: ({ from }) => from + 1,
});

/** Counts to two, a step each, and keeps its count in words. */
export const counterIn = (words: readonly string[]) =>
  agent({
    name: 'counter',
    tools: [count],
    state: { said: '' },
    reduce: ({ step }) => ({ said: words[step] ?? '' }),
    decide: ({ step, transcript }) => {
      if (step < 2) return act({ name: 'count', input: { from: step } });
      const told = [...transcript].filter(({ text }) => text.startsWith('Please'));
      return answer(`Counted to 2${told.map(({ text }) => ` (${text})`).join('')}`);
    },
  });

export default counterIn(['zero', 'one', 'two']);
