import { act, agent, answer, tool } from 'troupe';
import { pipeline } from 'troupe/patterns';
import { z } from 'zod';

/** A payment, which a person has to approve. */
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number() }),
  approval: true,
  execute: ({ amount }) => `paid ${amount}`,
});

/** A new version: it says something else at its end, which no run under way has come to. */
export const payer = agent({
  name: 'payer',
  instructions: 'Pay at once.',
  tools: [pay],
  decide: ({ results }) =>
    results.length === 0 ? act({ name: 'pay', input: { amount: 3 } }) : answer(`Done: ${results[0]?.text}`),
});

/** A new version: its first stage has another name, and runs under way have engaged it already. */
export const buyer = pipeline({
  name: 'buyer',
  stages: [agent({ name: 'porter', decide: () => answer('hello') }), payer],
});
