import type { Effect } from '../../contracts/runs/effect.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { nobodyWaits } from '../../contracts/errors/nobody-waits.ts';
import type { SafetyVerdict } from '../../contracts/tools/safety.ts';
import type { Became, Tool } from '../../contracts/tools/tool.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import { withinTime } from '../../base/promises/within-time.ts';
import { termsOf } from '../../contracts/people/approval-terms.ts';
import type { ToolAsk } from '../../machines/asks.ts';
import { failure, success } from '../../tools/calls/tool-result.ts';
import { checkBy, wishFor } from './approve.ts';
import type { Desk } from '../desk.ts';

/** A call that may have been executed before its run was resumed. */
export interface AmbiguousCall {
  readonly tool: Tool;
  readonly effect: Effect;
  readonly ask: ToolAsk;
  readonly desk: Desk;
  /** The call's idempotency key. */
  readonly key: string;
  /** The verdict on a repetition. */
  readonly said: SafetyVerdict;
}

/**
 * Resolves a call that may have been executed: its result, if it has one or must not be repeated; undefined if it is to be executed. It is
 * repeated only if its tool says that it was never executed, or a person decides so.
 */
export const ambiguousCall = async (call: AmbiguousCall): Promise<ToolResult | undefined> => {
  const { tool, ask, desk, effect } = call;
  const found = await whatBecame(call);
  const { said: verdict } = call;
  if (found === 'never done' && verdict.verdict !== 'deny') return undefined;
  const effort = { durationMs: 0, attempts: effect.attempt };
  if (verdict.verdict === 'deny' && (found === 'unknown' || found === 'never done'))
    return mayHaveRun(call, verdict.reason);
  if (found !== 'unknown' && found !== 'never done')
    return success(ask.call, found.value, effort, desk.content);
  const said = await desk.approve(
    { ...wishFor('ambiguous', tool, ask.call), ...(verdict.verdict === 'ask' ? termsOf(verdict) : {}) },
    checkBy(tool),
  );
  if (!said.isApproved) return mayHaveRun(call, said.reason);
  // Committed first, so that another interruption finds the decision to repeat.
  await desk.written();
  if (desk.abort.isAborted) throw nobodyWaits(`run '${tool.name}'`);
  return undefined;
};

const whatBecame = async ({ tool, desk, key }: AmbiguousCall): Promise<Became | 'never done' | 'unknown'> => {
  if (tool.whatBecame === undefined) return 'unknown';
  const { clock, abort } = desk;
  const late = (): TroupeError =>
    new TroupeError('tool.timeout', `Cannot wait for what became of '${tool.name}' any longer`);
  try {
    const asked = tool.whatBecame(key, {
      get signal() {
        return abort.signal;
      },
    });
    const found = await withinTime(asked, { ms: tool.timeoutMs, clock, late, abort });
    return found ?? 'never done';
  } catch {
    return 'unknown';
  }
};

const mayHaveRun = ({ tool, effect, ask, key }: AmbiguousCall, reason = 'a person said no'): ToolResult => {
  const message = `Cannot know the outcome of '${tool.name}' as the run was interrupted during the call: it may or may not have run, and is not repeated (${reason})`;
  const { runId, step } = effect;
  const where = { tool: tool.name, runId, path: ask.context.run.path, step, phase: 'ACT', operation: 'act' };
  const error = { code: 'tool.ambiguous', message, retryable: 'no', ...where, details: { key } } as const;
  return failure(ask.call, 'system', error, { durationMs: 0, attempts: effect.attempt });
};
