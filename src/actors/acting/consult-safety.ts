import { freezeJson } from '../../base/json/freeze-json.ts';
import type { Effect } from '../../contracts/runs/effect.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData, messageOf } from '../../contracts/errors/error.ts';
import type { EarlierCall, SafetyVerdict } from '../../contracts/tools/safety.ts';
import { parseVerdict } from '../../contracts/tools/parse-verdict.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { ToolAsk } from '../../machines/asks.ts';
import type { Desk } from '../desk.ts';
import { earlierCalls } from './earlier-calls.ts';
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
  let earlier: readonly EarlierCall[] | undefined;
  const broken = (thrown: unknown): SafetyRuling => brokenBy(thrown, effect, ask);
  try {
    const said = withinAgentTime(
      safety({
        callId: call.id,
        runId: effect.runId,
        path: context.run.path,
        agent: effect.agent,
        step: effect.step,
        tool: call.name,
        facts: tool.undeclared === true ? { ...tool, safety: 'write' } : tool,
        input: freezeJson(call.input),
        context: desk.context,
        at: context.tally.now,
        get environment() {
          return desk.environment?.name;
        },
        get above() {
          return desk.above;
        },
        get earlier() {
          return (earlier ??= earlierCalls(context));
        },
        origins: desk.origins,
        get signal() {
          return desk.abort.signal;
        },
      }),
      'safety',
      { ...timeOf(desk), abort: desk.abort },
    );
    return isThenable(said) ? said.then(parseVerdict).catch(broken) : parseVerdict(said);
  } catch (thrown) {
    return broken(thrown);
  }
};

/** The time of an agent that has all of it is no bound: a call that nobody judges must not wait for ever. */
const timeOf = ({ clock, definition }: Desk): Pick<Desk, 'clock' | 'definition'> => ({
  clock,
  definition: definition.timeoutMs === Infinity ? { ...definition, timeoutMs: JUDGED_WITHIN_MS } : definition,
});

const JUDGED_WITHIN_MS = 120_000;

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
