import * as z from 'zod';
import { aBound, optional, wholeNumber } from '../../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import { isTroupeError, messageOf } from '../../../contracts/errors/error.ts';
import type { ToolContext } from '../../../contracts/tools/tool.ts';
import type { DefinedTool } from '../../define/define-tool.ts';
import { tool } from '../../define/define-tool.ts';
import { dual } from '../../calls/tool-result.ts';
import type { Delegated, ReceiverOptions } from './receivers.ts';
import { delegateResult, receiverShape, Receivers, wordsOf } from './receivers.ts';
import { inputFor } from './seen-conversation.ts';

/** Options of parallel delegation, with its limits. */
export interface FanOutOptions extends ReceiverOptions {
  /** Maximum number of concurrent tasks. Default 4. */
  readonly concurrency?: number | undefined;
  /** Tasks of one call. Default 32. */
  readonly maxTasks?: number | undefined;
  /** The time that each may take, in ms; then it is stopped. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Total time limit, in ms; then running tasks are stopped, and no more start. Default 300,000. */
  readonly totalMs?: number | undefined;
  /** Default `fan_out`. */
  readonly name?: string | undefined;
}

/** The result of one task, or the reason why there is none. */
export type FannedOut =
  | Delegated
  | {
      readonly agent: string;
      readonly status: 'failed' | 'timedOut' | 'notStarted';
      readonly output: null;
      readonly error: string;
    };

export interface FanOutInput {
  readonly tasks: readonly { readonly to: string; readonly task: string }[];
}

/**
 * The tool `fan_out`: runs several tasks in parallel, each by a child of its own, and returns their results in order.
 *
 * The call succeeds with whatever came back: a task that failed, was refused or timed out is a line of the result. A
 * child that times out is stopped at once, with its work in flight.
 *
 * @example
 * agent({ name: 'lead', tools: [fanOut({ to: [researcher], concurrency: 8, budget: { share: 0.1 } })] });
 *
 * @throws `agent.invalid` without a delegate, with two of one name, or for options that do not fit.
 */
export const fanOut = (options: FanOutOptions): DefinedTool<FanOutInput, readonly FannedOut[]> => {
  const {
    concurrency = 4,
    maxTasks = 32,
    timeoutMs = 120_000,
    totalMs = 300_000,
    name = 'fan_out',
  } = check(options);
  const receivers = new Receivers(name, options);
  const shown =
    (options.sees ?? 'task') === 'task' ? ' Say everything that is needed: they see nothing else.' : '';
  const fanned = tool({
    name,
    description: `Has several tasks done at the same time, and gives the result of each.${shown} To: ${receivers.description}.`,
    category: 'control',
    safety: 'read',
    input: z.object({
      tasks: z
        .array(z.object({ to: z.enum(receivers.names), task: z.string().trim().min(1, 'the task is empty') }))
        .min(1)
        .max(maxTasks),
    }),
    describe: ({ tasks }) => `Having ${tasks.length} tasks done`,
    // The total time is limited here, so that results returned by then are not lost.
    timeoutMs: Infinity,
    retry: false,
    execute: async ({ tasks }, context) => {
      // All inputs before the first start: children start in the order of the tasks, also on replay.
      const inputs = await Promise.all(
        tasks.map(({ task }) => inputFor(options.sees ?? 'task', task, context)),
      );
      const endsAt = context.now() + totalMs;
      const results: { readonly value: FannedOut; readonly text: string }[] = [];
      let next = 0;
      const work = async (): Promise<void> => {
        for (let index = next; index < tasks.length; index = next) {
          next += 1;
          const wanted = tasks[index];
          if (wanted === undefined) return;
          const left = endsAt - context.now();
          results[index] = await runTask(
            wanted.to,
            inputs[index] ?? '',
            Math.min(timeoutMs, left),
            receivers,
            context,
          );
        }
      };
      await Promise.all(Array.from({ length: Math.min(concurrency, tasks.length) }, work));
      const text = results.map((result, index) => `${index + 1}. ${result.text}`).join('\n');
      return dual({ text, value: results.map(({ value }) => value) });
    },
  });
  return { ...fanned, receivers: receivers.listed };
};

const check = optionsCheck<FanOutOptions>({ code: 'agent.invalid', owner: 'a tool that fans out' }, () => ({
  ...receiverShape(),
  concurrency: optional(wholeNumber(1)),
  maxTasks: optional(wholeNumber(1)),
  timeoutMs: optional(aBound(1)),
  totalMs: optional(aBound(1)),
}));

/** Returns the result of one task; rejects only if the whole call was cancelled. */
const runTask = async (
  to: string,
  input: string,
  timeoutMs: number,
  receivers: Receivers,
  context: ToolContext,
): Promise<{ readonly value: FannedOut; readonly text: string }> => {
  if (timeoutMs <= 0) return none(to, 'notStarted', 'the total time limit was reached');
  try {
    const { agent, name } = receivers.find(to, context);
    const result = await context.run(agent, input, { ...receivers.termsFor(agent, context), timeoutMs });
    const value = delegateResult(name, result);
    return { value, text: `[${name}] ${wordsOf(value, result)}` };
  } catch (thrown) {
    if (context.signal.aborted) throw thrown;
    const status = isTroupeError(thrown, 'agent.timeout') ? 'timedOut' : 'failed';
    return none(to, status, messageOf(thrown));
  }
};

const none = (
  agent: string,
  status: 'failed' | 'timedOut' | 'notStarted',
  error: string,
): { readonly value: FannedOut; readonly text: string } => ({
  value: { agent, status, output: null, error },
  text: `[${agent}] (${status}) ${error}`,
});
