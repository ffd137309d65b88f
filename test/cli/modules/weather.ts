import { agent, answer } from 'troupe';
import { z } from 'zod';

/** Takes data, gives data; the only agent among its exports. */
export const weather = agent({
  name: 'weather',
  input: z.object({ city: z.string() }),
  output: z.object({ city: z.string(), degrees: z.number() }),
  decide: ({ input }) => answer({ ...(input as { city: string }), degrees: 18 }),
});

export const unit = 'celsius';
