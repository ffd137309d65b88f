import { z } from 'zod';
import { agent, tool, type Agent, type Decision, type Tool } from '../../src/index.ts';
import { pipeline } from '../../src/patterns/index.ts';
import type { Model } from '../../src/models/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';

/** What the clerk's tools did. */
export const till: string[] = [];

const price = tool({
  name: 'price',
  description: 'Says what something costs.',
  input: z.object({ item: z.string(), currency: z.string().default('EUR') }),
  execute: ({ item, currency }) => {
    till.push(`price ${item}`);
    return { item, amount: item.length, currency };
  },
});

const pay = tool({
  name: 'pay',
  description: 'Pays an amount.',
  safety: 'write',
  input: z.object({ amount: z.number() }),
  execute: async ({ amount }) => {
    await Promise.resolve();
    till.push(`pay ${amount}`);
    if (amount > 5) throw new Error('that is too much');
    return `paid ${amount}`;
  },
});

export const clerkTools = [price, pay];

const script = () =>
  scriptedModel([
    calls({ name: 'price', input: { item: 'tea' } }, { name: 'price', input: { item: 'biscuits' } }),
    calls({ name: 'pay', input: { amount: 3 } }, { name: 'pay', input: { amount: 8 } }),
    'Tea is paid, biscuits are too dear.',
  ]);

/**
 * The agents of the recordings in test/fixtures/journals, one for each release: they must not change, as old journals have to be
 * gone through again by what is newest.
 */
export const shop = (
  model: Model = script(),
  tools: readonly Tool[] = clerkTools,
  instructions = 'Buy what is wanted.',
): Agent =>
  pipeline({
    name: 'shop',
    stages: [
      agent({ name: 'clerk', instructions, model, tools }),
      agent({
        name: 'teller',
        critics: [{ name: 'reader', critique: () => ({ verdict: 'accept' }) }],
        decide: ({ input }): Decision => ({
          kind: 'answer',
          answer: `Told: ${typeof input === 'string' ? input : ''}`,
        }),
      }),
    ],
  });
