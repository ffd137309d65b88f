import * as z from 'zod';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { packageTool } from '../../define/define-tool.ts';
import { dual } from '../../calls/tool-result.ts';

/**
 * The control tool `await_delegates`: waits until delegated work returns.
 *
 * The agent sleeps, in a stored run also for days, and is woken once for several results that arrive in quick
 * succession. If nothing is in flight it continues at once.
 *
 * @example
 * agent({ name: 'editor', tools: [delegate({ to: [writer], mode: 'background' }), awaitDelegates] });
 */
export const awaitDelegates = packageTool({
  name: 'await_delegates',
  description: 'Waits until work that you gave away comes back. Goes on at once where none is under way.',
  category: 'control',
  input: () => z.object({}),
  describe: () => 'Waiting for others',
  execute: () => dual({ text: 'You wait for what comes back.', control: { type: 'await' } }),
});

/**
 * The control tool `call_off_delegate`: cancels delegated work. Its progress is lost, and it cannot be continued.
 *
 * @example
 * agent({ name: 'editor', tools: [delegate({ to: [writer], mode: 'background' }), callOffDelegate] });
 */
export const callOffDelegate = packageTool({
  name: 'call_off_delegate',
  description: 'Stops work that you gave away, by its id. Nothing comes back of it.',
  category: 'control',
  input: () => z.object({ id: z.string().describe('The id that you were given for the work.') }),
  describe: ({ id }) => `Calling off ${id}`,
  execute: ({ id }, { delegations }) => {
    if (delegations.some((each) => each.id === id && each.status === 'working'))
      return dual({ text: `Called off ${id}.`, value: { id }, control: { type: 'callOff', id } });
    throw new TroupeError('tool.denied', `Cannot cancel '${id}' as no work of that id is in progress`, {
      retryable: 'no',
    });
  },
});
