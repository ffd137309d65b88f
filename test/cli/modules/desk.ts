import { act, agent, answer, askPerson, tool } from 'troupe';
import { z } from 'zod';

console.log('loading, by console.log');

/** Prints while it works, as tools of others do. */
const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  execute: () => {
    console.log('looking, by console.log');
    return 'rain';
  },
});

export const scout = agent({
  name: 'scout',
  description: 'Looks at the weather.',
  tools: [look],
  decide: ({ step, results }) =>
    step === 0 ? act({ name: 'look', input: {} }) : answer(`It is ${results[0]?.text}.`),
});

export const curious = agent({
  name: 'curious',
  tools: [askPerson],
  decide: ({ step, results }) =>
    step === 0
      ? act({ name: 'ask_person', input: { question: 'Which town?' } })
      : answer(`You said: ${results[0]?.text}`),
});
