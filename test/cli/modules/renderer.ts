import { act, agent, answer, tool } from 'troupe';
import { z } from 'zod';

const render = tool({
  name: 'render',
  description: 'Renders a film.',
  input: z.object({}),
  safety: 'write',
  timeoutMs: Infinity,
  execute: async (_, { checkpoint, resumedFrom }) => {
    const looked = typeof resumedFrom === 'number' ? resumedFrom : 0;
    if (looked === 2) return 'rendered';
    await checkpoint(looked + 1, 3_600_000);
    return 'too late';
  },
});

/** Waits for work elsewhere, which is done when it looks a third time. */
export default agent({
  name: 'editor',
  tools: [render],
  decide: ({ step, results }) =>
    step === 0 ? act({ name: 'render', input: {} }) : answer(results.map(({ text }) => text).join(' | ')),
});
