import { isTroupeError } from '../../contracts/errors/error.ts';
import type { Tool, ToolContext } from '../../contracts/tools/tool.ts';
import type { DefinedTool } from '../../tools/define/define-tool.ts';
import { wrapContext } from '../../tools/wrappers/wrap-context.ts';
import { withExecute } from '../../tools/wrappers/with-execute.ts';
import { onSignal } from '../run/shared-signal.ts';
import type { HeldLock, LockOptions, LockTimes } from './held-lock.ts';

/** Acquires a lock. */
export type Lock = (name: string, options: LockOptions) => Promise<HeldLock>;

/**
 * Wraps a tool so that its calls hold a lock, which is released when the call ends. A call whose lease expires fails with `lock.lost` and
 * its signal is aborted, as another call may hold the lock by then.
 */
export const lockedTool = <Input>(
  tool: DefinedTool<Input>,
  name: string | ((input: Input) => string),
  { waitMs, leaseMs }: LockTimes,
  lock: Lock,
): Tool =>
  withExecute(tool, async (input, context) => {
    // Callers of a run's call are known to the wait graph.
    const { key: owner, signal } = context;
    // The tool's own schema validated the input.
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

/** Rejects when the lease expires; never resolves. */
const untilLost = ({ signal }: HeldLock): Promise<never> =>
  new Promise((_resolve, reject) => {
    onSignal(signal, () => {
      const { reason } = signal as { readonly reason: unknown };
      if (isTroupeError(reason)) reject(reason);
    });
  });
