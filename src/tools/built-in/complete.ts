import * as z from 'zod';
import type { Json } from '../../contracts/json.ts';
import { toJson } from '../../contracts/json.ts';
import { tool } from '../define-tool.ts';
import { dual } from '../tool-result.ts';

const answer = z
  .union([
    z.string().trim().min(1, 'the answer is empty'),
    z.number(),
    z.boolean(),
    z.array(z.unknown()),
    z.record(z.string(), z.unknown()),
  ])
  .describe('The final answer; it must not be empty.');

/**
 * The control tool `complete`: ends the run with an answer, once the other calls of the same step are through.
 *
 * An empty answer is refused and ends nothing: the model reads why and goes on.
 *
 * @example
 * agent({ name: 'clerk', tools: [complete] }); // the model calls complete({ answer: '42', summary: 'added them up' })
 */
export const complete = tool({
  name: 'complete',
  description: 'Ends the task with its final answer. Call it alone, when everything is done.',
  category: 'control',
  input: z.object({
    answer,
    summary: z.string().optional().describe('What was done, in a sentence.'),
  }),
  describe: () => 'Finishing',
  execute: ({ answer: given, summary }) => {
    const value: Json = toJson(given);
    return dual({
      text: summary ?? (typeof value === 'string' ? value : JSON.stringify(value)),
      value,
      control: { type: 'complete', answer: value, ...(summary === undefined ? {} : { summary }) },
    });
  },
});
