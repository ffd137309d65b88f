import { act, agent, answer, tool } from 'troupe';
import { pipeline } from 'troupe/patterns';
import { z } from 'zod';

const paying = (name: string, input: z.ZodType<Record<string, unknown>>) =>
  agent({
    name: 'payer',
    tools: [
      tool({ name, description: 'Pays.', input, approval: true, execute: (given) => JSON.stringify(given) }),
    ],
    decide: ({ results }) =>
      results.length === 0
        ? act({ name: 'pay', input: { amount: 3 } })
        : answer(`Done: ${results[0]?.ok} ${results[0]?.text}`),
  });

const team = (payer: ReturnType<typeof paying>) =>
  pipeline({
    name: 'buyer',
    stages: [agent({ name: 'greeter', decide: () => answer('hello') }), payer],
  });

/** A new version whose tool has another name. */
export const renamed = paying('payOut', z.object({ amount: z.number() }));
export const renamedTeam = team(renamed);
/** A new version whose tool takes another input. */
export const narrowed = paying('pay', z.object({ cents: z.number().int() }));
