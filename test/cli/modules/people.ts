import { act, agent, answer, tool } from 'troupe';
import { z } from 'zod';

const ask = tool({
  name: 'ask',
  description: 'Asks the user.',
  input: z.object({ question: z.string() }),
  retry: false,
  execute: ({ question }, context) => context.ask(question),
});
const send = tool({
  name: 'send',
  description: 'Sends a letter.',
  input: z.object({ to: z.string() }),
  safety: 'write',
  approval: true,
  describe: ({ to }) => `Sending a letter to ${to}`,
  execute: ({ to }) => `sent to ${to}`,
});

/** Asks, then wants to do something that has to be approved, then says what came of both. */
export default agent({
  name: 'clerk',
  tools: [ask, send],
  state: { said: [] as string[] },
  reduce: ({ state, results }) => ({ said: [...state.said, ...results.map(({ text }) => text)] }),
  decide: ({ step, state }) => {
    if (step === 0) return act({ name: 'ask', input: { question: 'To whom?' } });
    if (step === 1) return act({ name: 'send', input: { to: 'Ada' } });
    return answer(state.said.join(' | '));
  },
});
