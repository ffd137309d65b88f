import { freezeJson } from '../../base/json/freeze-json.ts';
import type { Effect } from '../../contracts/runs/effect.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData, messageOf } from '../../contracts/errors/error.ts';
import { toJson } from '../../base/json/json.ts';
import type { SafetyVerdict } from '../../contracts/tools/safety.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { ToolAsk } from '../../machines/asks.ts';
import type { Desk } from '../desk.ts';
import { withinAgentTime } from '../within-agent-time.ts';

/** A verdict; a denial with an error if the strategy could not tell. */
export type SafetyRuling = SafetyVerdict & { readonly error?: ErrorData | undefined };

const ALLOW: SafetyVerdict = { verdict: 'allow' };

/** Asks the run's safety strategy about a call. Never throws or rejects: a broken strategy denies. */
export const consultSafety = (
  tool: Tool,
  effect: Effect,
  ask: ToolAsk,
  desk: Desk,
): SafetyRuling | Promise<SafetyRuling> => {
  const { safety } = desk;
  if (safety === undefined) return ALLOW;
  const { call, context } = ask;
  const broken = (thrown: unknown): SafetyRuling => brokenBy(thrown, effect, ask);
  try {
    const said = withinAgentTime(
      safety({
        callId: call.id,
        runId: effect.runId,
        path: context.run.path,
        agent: effect.agent,
        step: effect.step,
        tool: tool.name,
        facts: tool,
        input: freezeJson(call.input),
        context: desk.context,
        get signal() {
          return desk.abort.signal;
        },
      }),
      'safety',
      desk,
    );
    return isThenable(said) ? said.then(parseVerdict).catch(broken) : parseVerdict(said);
  } catch (thrown) {
    return broken(thrown);
  }
};

/** Parses a verdict: a strategy is foreign code, and throws for anything else. */
const parseVerdict = (said: unknown): SafetyVerdict => {
  if (typeof said === 'object' && said !== null && 'verdict' in said) {
    if (said.verdict === 'allow' || said.verdict === 'ask') return { verdict: said.verdict };
    if (said.verdict === 'deny')
      return { verdict: 'deny', reason: 'reason' in said ? messageOf(said.reason) : 'no reason was given' };
  }
  throw new TypeError(`it answered ${JSON.stringify(toJson(said))}, which is no verdict`);
};

const brokenBy = (thrown: unknown, effect: Effect, { call, context }: ToolAsk): SafetyRuling => ({
  verdict: 'deny',
  reason: `the safety strategy failed: ${messageOf(thrown)}`,
  error: errorData(thrown, 'agent.threw', {
    message: `Cannot tell whether '${call.name}' may be called as the safety strategy failed`,
    runId: effect.runId,
    path: context.run.path,
    step: effect.step,
    phase: 'ACT',
    operation: 'act',
    errorId: effect.key,
  }),
});
