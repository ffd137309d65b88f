import { z } from 'zod';
import type { Decision } from '../../../src/index.ts';
import { agent, tool } from '../../../src/index.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { property } from '../../../src/policy/index.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  safety: 'write',
  input: z.object({ amount: z.number() }),
  execute: () => 'paid',
});

const member = (name: string) => agent({ name, tools: [pay] });

/** Nobody told the two clerks about each other. */
export const desk = parallel({ name: 'desk', members: { ann: member('ann'), ben: member('ben') } });

export const alone = agent({ name: 'alone' });

/** Whoever comes first gets what is left. */
export const makeShop = () => {
  let left = 1;
  const take = tool({
    name: 'take',
    description: 'Takes one.',
    safety: 'write',
    input: z.object({}),
    execute: () => ((left -= 1) < 0 ? 'nothing' : 'one'),
  });
  const buyer = (name: string) =>
    agent({
      name,
      tools: [take],
      decide: ({ step, results }): Decision =>
        step === 0
          ? { kind: 'act', calls: [{ name: 'take', input: {} }] }
          : { kind: 'answer', answer: `${name} has ${results[0]?.text ?? ''}` },
    });
  return parallel({ name: 'shop', members: { ann: buyer('ann'), ben: buyer('ben') } });
};

export const shop = makeShop();

export const properties = [property.atMost(1, 'pay').named('pay-once')];
