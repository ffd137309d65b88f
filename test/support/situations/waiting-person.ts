import { z } from 'zod';
import { pipeline } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import type { Situation } from './situation.ts';
import { clockAtNine, pacedModel } from './situation.ts';

/** The second of two members wants to pay, and waits for a person who allows it. */
export const waitingPerson = (): Situation => {
  const clock = clockAtNine();
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    input: z.object({ order: z.string(), euros: z.number() }),
    safety: 'write',
    approval: true,
    execute: ({ euros }) => `${euros} euros are paid back.`,
  });
  const complaints = pipeline({
    name: 'complaints',
    stages: [
      agent({
        name: 'reader',
        instructions: 'Say in one sentence what the customer wants.',
        model: pacedModel(clock, 'small', ['Order 1174 came broken: 59 euros are to be paid back.']),
      }),
      agent({
        name: 'cashier',
        instructions: 'Pay back what is due.',
        tools: [refund],
        model: pacedModel(clock, 'large', [
          calls({ name: 'refund', input: { order: '1174', euros: 59 } }),
          'It is paid back.',
        ]),
      }),
    ],
  });
  return {
    name: 'waiting-person',
    agent: complaints,
    runId: 'complaint-1',
    play: async (where) => {
      const run = complaints.stream('My lamp came broken.', { ...where, clock, runId: 'complaint-1' });
      await new Promise<void>((resolve) => {
        run.events$.subscribe(({ type }) => {
          if (type === 'tool.approval-requested') resolve();
        });
      });
      return run;
    },
  };
};
