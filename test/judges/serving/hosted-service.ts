import { agent, createGlobalEngine, tool } from '../../../src/index.ts';
import { serve } from '../../../src/runtime/serve/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { z } from 'zod';

const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  safety: 'danger',
  input: z.object({ euros: z.number() }),
  execute: ({ euros }) => `Paid back ${euros} euros.`,
});

/** The service that each host serves: its clerk asks a person before it answers, and a caller has one stream at a time. */
export const hostedService = (basePath: string) =>
  serve(createGlobalEngine(), {
    agents: {
      clerk: agent({
        name: 'clerk',
        tools: [refund],
        model: {
          ...scriptedModel([]),
          answer: (request, call) => {
            const isPaid = request.messages.at(-1)?.role === 'tool';
            const said = isPaid
              ? 'Your money is on its way.'
              : calls({ name: 'refund', input: { euros: 39 } });
            return scriptedModel([said]).answer(request, call);
          },
        },
      }),
    },
    basePath,
    auth: 'none',
    limits: { streamsPerCaller: 1 },
  });
