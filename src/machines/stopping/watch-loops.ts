import type { LoopLimits } from '../../contracts/agents/ending.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { PlannedCall } from '../agent/call-plan.ts';
import { findLoop, fingerprint, remember } from './loop-detection.ts';
import type { Watch, WatchedLoop } from './watch.ts';

/** Adds a step to loop detection; returns a warning for a new loop. */
export const watchLoops = (
  watch: Watch,
  calls: readonly PlannedCall[],
  results: readonly ToolResult[],
  limits: LoopLimits,
): { readonly watch: Watch; readonly note?: string; readonly notice?: EventBody } => {
  const prints = remember(watch.prints, fingerprint(calls, results, limits.ignore), limits);
  const found = findLoop(prints, limits);
  if (found === undefined) return { watch: { ...watch, prints, loop: null } };
  const tools = [...new Set(calls.map(({ name }) => name))];
  const loop: WatchedLoop = { ...found, tools };
  const seen = { watch: { ...watch, prints, loop } };
  // Once, as repeated warnings would be a loop as well.
  return watch.loop === null
    ? { ...seen, note: warning(loop), notice: { type: 'loop.warned', ...loop, tools } }
    : seen;
};

/** The stop reason of a looping run; undefined below the limit. */
export const loopReason = ({ loop }: Watch, { stopAt }: Pick<LoopLimits, 'stopAt'>): StopReason | undefined =>
  loop === null || loop.repeats < stopAt ? undefined : { kind: 'loop', ...loop };

const warning = ({ period, repeats }: WatchedLoop): string =>
  `You are going round in circles: ${period === 1 ? 'the same step' : `the same ${period} steps`}, ${repeats} times in a row, with the same results. Do something else, or give your answer with what you have.`;
