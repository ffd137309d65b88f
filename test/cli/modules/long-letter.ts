import { act, agent, answer, tool } from 'troupe';
import { z } from 'zod';

const send = tool({
  name: 'send',
  description: 'Sends a letter.',
  input: z.object({ to: z.string(), text: z.string(), copies: z.string() }),
  safety: 'write',
  approval: true,
  execute: ({ to }) => `sent to ${to}`,
});

/** Wants to do something that takes more words than a screen has lines. */
export default agent({
  name: 'clerk',
  tools: [send],
  decide: ({ step }) =>
    step === 0
      ? act({ name: 'send', input: { to: 'Ada', text: 'x'.repeat(2_000), copies: 'everybody' } })
      : answer('Done.'),
});
