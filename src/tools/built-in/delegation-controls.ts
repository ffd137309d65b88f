import * as z from 'zod';
import { TroupeError } from '../../contracts/error.ts';
import { packageTool } from '../define-tool.ts';
import { dual } from '../tool-result.ts';

/**
 * The control tool `await_delegates`: waits until work that was given away comes back.
 *
 * The agent sleeps, also for days in a stored run, and is woken once by several that come back shortly after each other.
 * Where nothing is under way it goes on at once.
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
 * The control tool `call_off_delegate`: stops work that was given away. What was done of it is lost, and it cannot be gone on with.
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
    throw new TroupeError('tool.denied', `Cannot call off '${id}' as no work of that id is under way`, {
      retryable: 'no',
    });
  },
});
