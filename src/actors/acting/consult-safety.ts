import { freezeJson } from '../../base/json/freeze-json.ts';
import type { Effect } from '../../contracts/runs/effect.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import { toJson } from '../../base/json/json.ts';
import type { SafetyVerdict } from '../../contracts/tools/safety.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { ToolAsk } from '../../machines/asks.ts';
import type { Desk } from '../desk.ts';
import { withinAgentTime } from '../within-agent-time.ts';

const ALLOW: SafetyVerdict = { verdict: 'allow' };

/** Asks the run's safety strategy about a call. Never throws or rejects: a broken strategy denies. */
export const consultSafety = (
  tool: Tool,
  effect: Effect,
  ask: ToolAsk,
  desk: Desk,
): SafetyVerdict | Promise<SafetyVerdict> => {
  const { safety } = desk;
  if (safety === undefined) return ALLOW;
  const { call, context } = ask;
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
    return isThenable(said) ? said.then(parseVerdict, broken) : parseVerdict(said);
  } catch (thrown) {
    return broken(thrown);
  }
};

/** Parses a verdict: a strategy is foreign code, and anything else counts as a denial. */
const parseVerdict = (said: unknown): SafetyVerdict => {
  if (typeof said === 'object' && said !== null && 'verdict' in said) {
    if (said.verdict === 'allow' || said.verdict === 'ask') return { verdict: said.verdict };
    if (said.verdict === 'deny')
      return { verdict: 'deny', reason: 'reason' in said ? messageOf(said.reason) : 'no reason was given' };
  }
  return broken(new TypeError(`it answered ${JSON.stringify(toJson(said))}, which is no verdict`));
};

const broken = (thrown: unknown): SafetyVerdict => ({
  verdict: 'deny',
  reason: `the safety strategy failed: ${messageOf(thrown)}`,
});
