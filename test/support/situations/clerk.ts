import { z } from 'zod';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import type { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { pacedModel } from './situation.ts';

export const CLERK_RUN = 'payment-1';
export const CLERK_TASK = 'Pay the rent, and write a receipt.';

/** A clerk who pays, and writes a receipt: `print` prints it. */
export const clerkWho = (clock: VirtualClock, print: () => Promise<string> | string, said: number) =>
  agent({
    name: 'clerk',
    instructions: 'Pay first, then write the receipt.',
    tools: [
      tool({
        name: 'pay',
        description: 'Pays an amount.',
        input: z.object({ euros: z.number() }),
        safety: 'write',
        execute: ({ euros }) => `${euros} euros are paid.`,
      }),
      tool({
        name: 'receipt',
        description: 'Writes a receipt.',
        input: z.object({}),
        idempotent: true,
        execute: print,
      }),
    ],
    model: pacedModel(
      clock,
      'small',
      [
        calls({ name: 'pay', input: { euros: 640 } }),
        calls({ name: 'receipt', input: {} }),
        'The rent is paid, and the receipt is written.',
      ].slice(said),
    ),
  });
