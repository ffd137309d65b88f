import * as z from 'zod';
import { packageTool } from '../define/define-tool.ts';

/**
 * The tool `ask_person`: asks the user of the run a question and waits for the answer, without a time limit.
 *
 * If nobody can answer, the call fails and the model is notified.
 *
 * @example
 * agent({ name: 'desk', tools: [askPerson] }).stream('Book me a flight'); // then handle.reply('To Oslo')
 */
export const askPerson = packageTool({
  name: 'ask_person',
  description: 'Asks the user a question and gives the answer. Use it only for what nobody else can know.',
  category: 'people',
  input: () => z.object({ question: z.string().trim().min(1).describe('One question, in plain words.') }),
  describe: ({ question }) => `Asking: ${question.slice(0, 200)}`,
  timeoutMs: Infinity,
  // A person must not be asked again because the answer was rejected.
  retry: false,
  execute: ({ question }, context) => context.ask(question),
});
