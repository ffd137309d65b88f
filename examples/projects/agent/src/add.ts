import { tool } from 'troupe';
import { z } from 'zod';

export const add = tool({
  name: 'add',
  description: 'Add two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
