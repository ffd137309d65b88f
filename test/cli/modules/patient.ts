import { act, agent, answer, tool } from 'troupe';
import { z } from 'zod';

const send = tool({
  name: 'send',
  description: 'Sends a letter.',
  input: z.object({ to: z.string() }),
  safety: 'write',
  exclusive: false,
  approval: true,
  describe: ({ to }) => `Sending a letter to ${to}`,
  execute: ({ to }) => `sent to ${to}`,
});

/** Wants two letters approved at once. */
export default agent({
  name: 'secretary',
  tools: [send],
  decide: ({ step, results }) =>
    step === 0
      ? act({ name: 'send', input: { to: 'Ada' } }, { name: 'send', input: { to: 'Bob' } })
      : answer(results.map(({ text }) => text).join(' | ')),
});
