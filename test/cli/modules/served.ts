import { act, agent, answer, askPerson, tool } from 'troupe';
import { z } from 'zod';

/** Hangs in the first process, and returns in the next. */
const fetchOrder = tool({
  name: 'fetch_order',
  description: 'Looks up an order.',
  idempotent: true,
  input: z.object({ order: z.number() }),
  execute: ({ order }) =>
    process.env['HANGS'] === undefined
      ? `Order ${order} is on its way.`
      : new Promise<string>(() => undefined),
});

export const clerk = agent({
  name: 'clerk',
  tools: [fetchOrder],
  decide: ({ step, results }) =>
    step === 0 ? act({ name: 'fetch_order', input: { order: 17 } }) : answer(String(results[0]?.text)),
});

export const curious = agent({
  name: 'curious',
  tools: [askPerson],
  decide: ({ step, results }) =>
    step === 0
      ? act({ name: 'ask_person', input: { question: 'Which town?' } })
      : answer(`You said: ${results[0]?.text}`),
});
