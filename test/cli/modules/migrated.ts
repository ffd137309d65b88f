import { agent, answer, tool } from 'troupe';
import { pipeline } from 'troupe/patterns';
import { z } from 'zod';
import { buyer as before, payer as payerBefore } from './upgraded.ts';
import { renamed } from './retooled.ts';

/** A new version: its tool has another name, and its first stage is two. */
export const payer = renamed;
export const buyer = pipeline({
  name: 'buyer',
  stages: [
    agent({ name: 'guard', decide: () => answer('who?') }),
    agent({ name: 'doorman', decide: () => answer('hello') }),
    payer,
  ],
});

/** The stages of before, with the tool of before as one that pays by what there is now. */
const pays = agent({
  name: 'payer',
  tools: [
    tool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({ amount: z.number() }),
      approval: true,
      execute: ({ amount }) => `paid ${amount} by payOut`,
    }),
  ],
  decide: ({ results }) => answer(`Done: ${results[0]?.text}`),
});

export const versions = {
  'from another time': before,
  'until the guard': pipeline({
    name: 'buyer',
    stages: [agent({ name: 'greeter', decide: () => answer('hello') }), pays],
  }),
  'until payOut': pays,
  'of no use': payerBefore,
};

/** The same, by the labels of releases: one label for both agents. */
export const releases = {
  '1.0': [before, payerBefore],
  '2.0': [versions['until the guard'], pays],
};
