import { freezeJson } from '../contracts/freeze-json.ts';
import type { Effect } from '../contracts/effect.ts';
import { messageOf, toError } from '../contracts/error.ts';
import type { Artifact, Tool, ToolResult } from '../contracts/tool.ts';
import { isThenable } from '../contracts/thenable.ts';
import type { Acted } from '../machines/agent-context.ts';
import type { ToolAsk } from '../machines/asks.ts';
import { decideToolRetry } from '../models/retry/retry-policy.ts';
import { outputArtifact } from '../tools/cap-output.ts';
import { performCall } from '../tools/perform-call.ts';
import { failure } from '../tools/tool-result.ts';
import { ambiguousCall } from './ambiguous-call.ts';
import { consultSafety } from './consult-safety.ts';
import { cachedCall } from './cached-call.ts';
import { CallContext } from './call-context.ts';
import { describeCall, needsApproval } from './describe-call.ts';
import type { Desk } from './desk.ts';
import { fitCompletion } from './fit-output.ts';
import { andThen } from './promises.ts';
import { withinAgentTime } from './within-agent-time.ts';

/** One attempt of a tool call: a result, or trouble that a call machine takes over. Rejects only if it was called off. */
export const callTool = (effect: Effect, ask: ToolAsk, desk: Desk): Acted | Promise<Acted> => {
  const { call } = ask;
  const { attempt } = effect;
  if (attempt === 1 && !ask.isApproved)
    desk.emit({ type: 'tool.requested', callId: call.id, tool: call.name, input: call.input });
  const tool = desk.tools.find(call.name);
  if (tool === undefined) return { kind: 'result', result: refused(effect, ask, desk) };
  if (desk.isResumed && !tool.idempotent && call.problem === undefined)
    return resumed(tool, effect, ask, desk);
  // What cannot be read is answered and never executed; what was let through once is not judged again.
  if (call.problem !== undefined || ask.isApproved || attempt > 1) return attempted(tool, effect, ask, desk);
  return andThen(consultSafety(tool, effect, ask, desk), (said) => {
    if (said.verdict === 'deny') return { kind: 'result', result: denied(said.reason, effect, ask, desk) };
    if (said.verdict === 'ask' || needsApproval(tool, call))
      return { kind: 'trouble', index: effect.index, attempt, waitMs: 0, needsApproval: true };
    return attempted(tool, effect, ask, desk);
  });
};

/** It may have been done before the run was taken up again; one that is not approved yet cannot have been. */
const resumed = async (tool: Tool, effect: Effect, ask: ToolAsk, desk: Desk): Promise<Acted> => {
  const { attempt, index } = effect;
  if (attempt === 1 && !ask.isApproved && needsApproval(tool, ask.call))
    return { kind: 'trouble', index, attempt, waitMs: 0, needsApproval: true };
  const { key } = new CallContext(effect, ask, desk);
  const result = await ambiguousCall({ tool, effect, ask, desk, key });
  if (result === undefined) return attempted(tool, effect, ask, desk);
  started(result.tool, describeCall(tool, ask.call), effect, ask, desk);
  return concluded(identified(result, effect), ask, desk);
};

const attempted = (tool: Tool, effect: Effect, ask: ToolAsk, desk: Desk): Acted | Promise<Acted> => {
  const { call } = ask;
  // One call is one, however often it is attempted.
  const spent = effect.attempt === 1 ? desk.take('toolCalls') : undefined;
  if (spent !== undefined) return { kind: 'result', result: unpaid(effect, ask, desk), spent };
  if (tool.deprecated !== undefined)
    desk.emit({
      type: 'tool.deprecated',
      tool: tool.name,
      reason: tool.deprecated,
      ...(tool.replacedBy === undefined ? {} : { replacedBy: tool.replacedBy }),
    });
  desk.emit({
    type: 'tool.started',
    callId: call.id,
    tool: call.name,
    input: call.input,
    description: describeCall(tool, call),
    attempt: effect.attempt,
  });
  const perform = () => performCall(tool, call, new CallContext(effect, ask, desk), desk);
  const isPlain = tool.safety === 'read' && tool.cacheable !== true;
  const result = isPlain ? perform() : cachedCall(tool, call, desk.answers, perform);
  return isThenable(result)
    ? result.then((settled) => {
        // Called off: nobody waits for a result, and a cancellation is none that came late.
        if (!settled.ok && settled.kind === 'cancelled' && desk.abort.isAborted) throw toError(settled.error);
        return judged(settled, tool, effect, ask, desk);
      })
    : judged(result, tool, effect, ask, desk);
};

/** A failure that may pass is not yet a result. */
const judged = (
  performed: ToolResult,
  tool: Tool,
  effect: Effect,
  ask: ToolAsk,
  desk: Desk,
): Acted | Promise<Acted> => {
  const result = identified(performed, effect);
  if (!result.ok && result.kind !== 'validation' && result.error.retryable !== 'no') {
    const progress = { attempt: effect.attempt, waitedMs: 0, random: desk.random() };
    const retry = decideToolRetry(result.error, progress, tool.retry);
    if (retry.retry)
      return {
        kind: 'trouble',
        index: effect.index,
        attempt: effect.attempt,
        waitMs: retry.waitMs,
        error: result.error,
      };
  }
  return concluded(result, ask, desk);
};

const concluded = (given: ToolResult, ask: ToolAsk, desk: Desk): Acted | Promise<Acted> =>
  andThen(fitCompletion(given, desk.definition), (result) => {
    desk.hide(result);
    finished(result, desk);
    return andThen(felt(result, ask, desk), (whole) => ({ kind: 'result', result: whole }));
  });

/** A failure bears the key of its attempt, unless what failed lies deeper and has a name of its own. */
const identified = (result: ToolResult, { key }: Effect): ToolResult =>
  result.ok || result.error.errorId !== undefined
    ? result
    : { ...result, error: { ...result.error, errorId: key } };

/** The result, with what the call made of the environment. */
const felt = (result: ToolResult, { call }: ToolAsk, desk: Desk): ToolResult | Promise<ToolResult> => {
  const { environment } = desk;
  if (environment === undefined) return result;
  const action = freezeJson({ callId: call.id, tool: call.name, input: call.input, result });
  const told = withinAgentTime(environment.outcome(action), 'step of the environment', desk);
  return Promise.resolve(told).then(
    (outcome) => (outcome === undefined ? result : { ...result, environment: outcome }),
    // The tool did its work: that the environment does not answer is told, not thrown.
    (thrown: unknown) => ({ ...result, environment: { error: messageOf(thrown) } }),
  );
};

const finished = (result: ToolResult, desk: Desk): void => {
  if (result.artifacts !== undefined && result.cached !== true) {
    desk.keep(result.artifacts);
    tellSpilled(result, result.artifacts, desk);
  }
  desk.emit({
    type: 'tool.finished',
    callId: result.callId,
    tool: result.tool,
    ok: result.ok,
    text: result.text,
    durationMs: result.durationMs,
    ...(result.ok ? {} : { error: result.error }),
    ...(result.cached === true ? { cached: true } : {}),
    ...(result.artifacts === undefined ? {} : { artifacts: result.artifacts.map(({ name }) => name) }),
  });
};

/** What a tool said at too great a length is the last of its artifacts. */
const tellSpilled = (
  { callId: id, tool: name }: ToolResult,
  artifacts: readonly Artifact[],
  desk: Desk,
): void => {
  const last = artifacts.at(-1);
  if (last?.name === outputArtifact({ id, name }))
    desk.emit({ type: 'text.spilled', artifact: last.name, characters: last.content.length });
};

/** The safety strategy said no: nothing started, and the agent is told why. */
const denied = (reason: string, effect: Effect, ask: ToolAsk, desk: Desk): ToolResult => {
  const { call } = ask;
  desk.emit({ type: 'tool.denied', callId: call.id, tool: call.name, reason });
  const message = `Cannot run '${call.name}' as it was denied: ${reason}`;
  const where = { tool: call.name, ...placeOf(effect, ask) };
  const error = { code: 'tool.denied', message, retryable: 'no', ...where } as const;
  return failure(call, 'denied', error, { durationMs: 0, attempts: effect.attempt });
};

/** The budget does not allow it: nothing started, and the conversation stays whole. */
const unpaid = (effect: Effect, ask: ToolAsk, desk: Desk): ToolResult => {
  const { call } = ask;
  const reason = 'the budget is spent';
  desk.emit({ type: 'tool.denied', callId: call.id, tool: call.name, reason });
  const message = `Cannot run '${call.name}' as ${reason}`;
  const where = { tool: call.name, ...placeOf(effect, ask) };
  const error = { code: 'budget.spent', message, retryable: 'no', ...where } as const;
  return failure(call, 'denied', error, { durationMs: 0, attempts: effect.attempt });
};

/** Nothing can start here; what observers see is marked as the runtime's own. */
const refused = (effect: Effect, ask: ToolAsk, desk: Desk): ToolResult => {
  const { call } = ask;
  const refusal = desk.tools.refuse(call, effect.attempt);
  const result: ToolResult = { ...refusal, error: { ...refusal.error, ...placeOf(effect, ask) } };
  started(result.tool, `Looking for ${result.tool}`, effect, ask, desk);
  finished(result, desk);
  return result;
};

/** What did not start here is seen to finish: so it is seen to start. */
const started = (
  tool: string,
  description: string,
  { attempt }: Effect,
  { call: { id: callId, input } }: ToolAsk,
  desk: Desk,
): void => {
  desk.emit({ type: 'tool.started', callId, tool, input, description, attempt, synthesised: true });
};

/** Where a call failed: at the agent that made it, also where a call of its own makes the attempt. */
const placeOf = ({ runId, step, key: errorId }: Effect, { context }: ToolAsk) => ({
  runId,
  path: context.run.path,
  step,
  phase: 'ACT',
  operation: 'act',
  errorId,
});
