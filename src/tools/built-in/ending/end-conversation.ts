import * as z from 'zod';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { ToolContext } from '../../../contracts/tools/tool.ts';
import type { DefinedTool } from '../../define/define-tool.ts';
import { tool } from '../../define/define-tool.ts';
import { dual } from '../../calls/tool-result.ts';

/** Restricts who may end a conversation. */
export interface EndConversationOptions {
  /** Names of agents, or a predicate. Default: only the root agent of the run. */
  readonly by?: readonly string[] | ((caller: Pick<ToolContext, 'agent' | 'path'>) => boolean) | undefined;
}

/**
 * The control tool `end_conversation`: the leading agent ends everything with a last response.
 *
 * For any other agent it fails and ends nothing: the model reads so and continues.
 *
 * @example
 * agent({ name: 'orchestrator', tools: [endConversation()] });
 */
export const endConversation = ({ by }: EndConversationOptions = {}): DefinedTool<
  { response: string; summary?: string | undefined },
  string
> =>
  tool({
    name: 'end_conversation',
    description: 'Ends the whole conversation with a last response. Only for the one who leads it.',
    category: 'control',
    safety: 'read',
    input: z.object({
      response: z.string().trim().min(1, 'the response is empty').describe('The last word to the user.'),
      summary: z.string().optional().describe('What was done, in a sentence.'),
    }),
    describe: () => 'Ending the conversation',
    execute: ({ response, summary = response }, context) => {
      if (!mayEnd(by, context))
        throw new TroupeError(
          'tool.denied',
          `Cannot end the conversation as '${context.agent}' does not lead it: finish your own part instead`,
          { retryable: 'no' },
        );
      return dual({
        text: summary,
        value: response,
        control: { type: 'complete', answer: response, summary },
      });
    },
  });

const mayEnd = (by: EndConversationOptions['by'], caller: ToolContext): boolean => {
  if (by === undefined) return !caller.path.includes('/');
  return typeof by === 'function' ? by(caller) : by.includes(caller.agent);
};
