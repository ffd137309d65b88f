import { agent, tool } from 'troupe';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ where: z.string() }),
  execute: ({ where }) => `rain in ${where}`,
});

/** Looks once, and repeats what it was told. */
export default agent({
  name: 'rainy',
  tools: [look],
  model: scriptedModel(
    Array.from({ length: 40 }, () => ({ messages }) => {
      const told = [...messages].map(({ text }) => text);
      return told.length === 1 ? calls({ name: 'look', input: { where: 'A' } }) : `Seen: ${told.at(-1)}`;
    }),
  ),
});
