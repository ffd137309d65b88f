import * as z from 'zod';
import { packageTool } from '../define-tool.ts';

/**
 * The tool `ask_person`: puts a question to the user of the run and waits for the answer, however long it takes.
 *
 * Where nobody can answer, the call fails and the model is told so.
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
  // Nobody wants to be asked again by a machine that did not like the answer.
  retry: false,
  execute: ({ question }, context) => context.ask(question),
});
