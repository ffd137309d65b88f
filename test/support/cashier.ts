import { z } from 'zod';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';

/** Wants to pay three, and waits for approval. */
export const cashier = (name = 'cashier') =>
  agent({
    name,
    tools: [
      tool({
        name: 'pay',
        description: 'Pays.',
        input: z.object({ amount: z.number() }),
        approval: true,
        execute: ({ amount }) => `paid ${amount}`,
      }),
    ],
    model: scriptedModel([calls({ name: 'pay', input: { amount: 3 } }), 'Three are paid.']),
  });
