import { isTroupeError } from '../../contracts/error.ts';
import type { Tool, ToolContext } from '../../contracts/tool.ts';
import type { DefinedTool } from '../../tools/define-tool.ts';
import { wrapContext } from '../../tools/wrap-context.ts';
import { withExecute } from '../../tools/with-execute.ts';
import { onSignal } from '../run/shared-signal.ts';
import type { HeldLock, LockOptions, LockTimes } from './held-lock.ts';

/** Asks for a lock. */
export type Lock = (name: string, options: LockOptions) => Promise<HeldLock>;

/**
 * A tool whose calls hold a lock. It is let go of when the call ends, however it ends; a call whose lease is over fails with `lock.lost`, and
 * its signal is aborted, as somebody else may be at work by then.
 */
export const lockedTool = <Input>(
  tool: DefinedTool<Input>,
  name: string | ((input: Input) => string),
  { waitMs, leaseMs }: LockTimes,
  lock: Lock,
): Tool =>
  withExecute(tool, async (input, context) => {
    // Who the call works for is known to whoever waits for it: it need not be said.
    const { key: owner, signal } = context;
    // It was checked by the tool's own schema.
    const wanted = typeof name === 'string' ? name : name(input as Input);
    const held = await lock(wanted, { owner, signal, waitMs, leaseMs });
    try {
      return await Promise.race([whileHeld(tool, input, context, held), untilLost(held)]);
    } finally {
      held.release();
    }
  });

const whileHeld = async (
  tool: Tool,
  input: unknown,
  context: ToolContext,
  held: HeldLock,
): Promise<unknown> => {
  const signal = AbortSignal.any([context.signal, held.signal]);
  return tool.execute(input, wrapContext(context, { signal }));
};

/** Never resolves: rejects when the lease is over. */
const untilLost = ({ signal }: HeldLock): Promise<never> =>
  new Promise((_resolve, reject) => {
    onSignal(signal, () => {
      const { reason } = signal as { readonly reason: unknown };
      if (isTroupeError(reason)) reject(reason);
    });
  });
