import * as z from 'zod';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { DefinedTool } from '../../define/define-tool.ts';
import { tool } from '../../define/define-tool.ts';
import { dual } from '../../calls/tool-result.ts';

/**
 * The control tool `handoff`: hands the task over for good, to one of the named agents.
 *
 * @param to Names, each with its purpose, which the model reads.
 *
 * @example
 * agent({ name: 'desk', tools: [handoffTool({ billing: 'invoices and refunds', tech: 'anything that does not work' })]
 * });
 *
 * @throws `agent.invalid` without a receiver.
 */
export const handoffTool = (
  to: Readonly<Record<string, string>>,
): DefinedTool<{ to: string; message?: string | undefined }, { to: string }> => {
  const names = Object.keys(to);
  if (names.length === 0)
    throw new TroupeError('agent.invalid', 'Cannot define the tool handoff as it has no receivers: {}');
  const known = Object.entries(to).map(([name, good]) => (good === '' ? name : `${name} (${good})`));
  const handoff = tool({
    name: 'handoff',
    description: `Hands the whole task over to somebody else and ends your part. To: ${known.join('; ')}.`,
    category: 'control',
    safety: 'read',
    input: z.object({
      to: z.enum(names).describe('Who takes over.'),
      message: z.string().trim().optional().describe('What the one who takes over has to know.'),
    }),
    describe: ({ to: name }) => `Handing over to ${name}`,
    // A retry would hand over twice.
    retry: false,
    execute: ({ to: name, message }, context) => {
      if (name === context.agent)
        throw new TroupeError('tool.denied', `Cannot hand over to '${name}' as that is you: go on yourself`);
      const control = message === undefined || message === '' ? {} : { message };
      return dual({
        text: `Handed over to ${name}.`,
        value: { to: name },
        control: { type: 'handoff', to: name, ...control },
      });
    },
  });
  const receivers = Object.entries(to).map(([name, description]) => ({ name, description }));
  return { ...handoff, receivers };
};
