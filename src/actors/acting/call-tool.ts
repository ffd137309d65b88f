import { freezeJson } from '../../base/json/freeze-json.ts';
import type { Effect } from '../../contracts/runs/effect.ts';
import { isLink, isMedia } from '../../contracts/content/part.ts';
import { messageOf, toError } from '../../contracts/errors/error.ts';
import { termsOf } from '../../contracts/people/approval-terms.ts';
import type { RefusingOperation } from '../../contracts/tools/refusals.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { SafetyVerdict } from '../../contracts/tools/safety.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import type { CallDenied } from '../../contracts/events/person-event.ts';
import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { BudgetSpent } from '../../contracts/runs/budget.ts';
import { andThen, isThenable } from '../../base/promises/thenable.ts';
import type { Acted, Trouble } from '../../machines/agent/agent-context.ts';
import type { ToolAsk } from '../../machines/asks.ts';
import { decideToolRetry } from '../../models/retry/retry-policy.ts';
import { READ_RESULT } from '../../tools/calls/cut-text.ts';
import type { Checked } from '../../base/schemas/schema.ts';
import { misfitOf } from '../../tools/calls/misfit.ts';
import { performCall } from '../../tools/calls/perform-call.ts';
import { failure } from '../../tools/calls/tool-result.ts';
import { ambiguousCall } from './ambiguous-call.ts';
import type { SafetyRuling } from './consult-safety.ts';
import { consultSafety } from './consult-safety.ts';
import { cachedCall } from './cached-call.ts';
import { CallContext } from './call-context.ts';
import { describeCall, needsApproval } from './describe-call.ts';
import type { EnvironmentSession } from '../../tools/environments/environment-session.ts';
import type { Desk } from '../desk.ts';
import { fitCompletion } from '../fit-output.ts';
import { putAside } from '../put-aside.ts';
import { withinAgentTime } from '../within-agent-time.ts';

/** Makes one attempt of a tool call. Returns a result, or trouble for a call machine to take over; rejects only if it was cancelled. */
export const callTool = (effect: Effect, ask: ToolAsk, desk: Desk): Acted | Promise<Acted> => {
  const { call } = ask;
  const { attempt } = effect;
  if (attempt === 1 && !ask.isApproved)
    desk.emit({ type: 'tool.requested', callId: call.id, tool: call.name, input: call.input });
  const tool = desk.tools.find(call.name);
  if (tool === undefined) return { kind: 'result', result: refuseCall(effect, ask, desk) };
  // It was consulted on and approved before it began, and knows itself how to continue.
  if (desk.isResumed && desk.checkpoint !== undefined) return attemptCall(tool, effect, ask, desk);
  if (desk.isResumed && !tool.idempotent && call.problem === undefined)
    return resumeCall(tool, effect, ask, desk);
  // Unreadable arguments are answered without execution; an allowed call is not judged again.
  if (call.problem !== undefined || ask.isApproved || attempt > 1)
    return attemptCall(tool, effect, ask, desk);
  return andThen(consultSafety(tool, effect, ask, desk), (said) => {
    if (said.verdict === 'deny') return denialOf(said, effect, ask, desk);
    const need = findNeed(tool, effect, ask, said);
    if (need === undefined)
      return attemptCall(tool, effect, ask, desk, said.verdict === 'allow' ? said.rule : undefined);
    return andThen(misfitOf(tool, call), (misfit) =>
      misfit === undefined ? need : refuseInput(tool, misfit.checked, effect, ask, desk),
    );
  });
};

/** Ends a call whose input its tool does not take: nobody is asked to approve what cannot be done. */
const refuseInput = (
  tool: Tool,
  checkedInput: Checked<unknown>,
  effect: Effect,
  ask: ToolAsk,
  desk: Desk,
): Acted | Promise<Acted> => {
  publishStart(tool.name, describeCall(tool, ask.call), effect, ask, desk);
  const { clock, abort } = desk;
  const context = new CallContext(effect, ask, desk);
  const result = performCall(tool, ask.call, context, { clock, abort, checkedInput });
  return andThen(result, (failed) => concludeCall(withErrorId(failed, effect), ask, desk));
};

/** The need of a call for approval, by its tool or by the run's safety strategy, on the terms of the latter. */
const findNeed = (
  tool: Tool,
  { index, attempt }: Effect,
  { call }: ToolAsk,
  said: SafetyVerdict,
): Trouble | undefined => {
  const own = needsApproval(tool, call, said.rule);
  const isAsked = said.verdict === 'ask';
  if (own === undefined && !isAsked) return undefined;
  const terms = isAsked ? termsOf(said) : {};
  return {
    kind: 'trouble',
    index,
    attempt,
    waitMs: 0,
    needsApproval: true,
    ...own,
    ...(Object.keys(terms).length === 0 ? {} : { terms }),
  };
};

/** Handles a call that may have been executed before the run was resumed; a call that still needs approval cannot have been. */
const resumeCall = async (tool: Tool, effect: Effect, ask: ToolAsk, desk: Desk): Promise<Acted> => {
  // It may have been interrupted while it was judged: so it is judged again, and what is denied is not repeated.
  const said = await consultSafety(tool, effect, ask, desk);
  const need = effect.attempt === 1 && !ask.isApproved ? findNeed(tool, effect, ask, said) : undefined;
  if (need !== undefined) return need;
  const { key } = new CallContext(effect, ask, desk);
  const result = await ambiguousCall({ tool, effect, ask, desk, key, said });
  if (result === undefined) return attemptCall(tool, effect, ask, desk);
  publishStart(result.tool, describeCall(tool, ask.call), effect, ask, desk);
  return concludeCall(withErrorId(result, effect), ask, desk);
};

const attemptCall = (
  tool: Tool,
  effect: Effect,
  ask: ToolAsk,
  desk: Desk,
  rule?: string,
): Acted | Promise<Acted> => {
  const { call } = ask;
  const by = rule === undefined ? {} : { rule };
  const start = startOf(call.name, describeCall(tool, call), effect, ask, by);
  // Whatever was said of it before: this is the moment at which it would happen.
  const said = desk.refusal(start);
  if (said !== undefined) return denialOf(said, effect, ask, desk);
  // All attempts count as one call.
  const spent = effect.attempt === 1 ? desk.take('toolCalls') : undefined;
  if (spent !== undefined) return unpaid(spent, effect, ask, desk);
  if (tool.deprecated !== undefined)
    desk.emit({
      type: 'tool.deprecated',
      tool: tool.name,
      reason: tool.deprecated,
      ...(tool.replacedBy === undefined ? {} : { replacedBy: tool.replacedBy }),
    });
  desk.emit(start);
  const perform = () => performCall(tool, call, new CallContext(effect, ask, desk), desk);
  const isPlain = tool.safety === 'read' && tool.cacheable !== true;
  const result = isPlain ? perform() : cachedCall(tool, call, desk.answers, perform);
  return isThenable(result)
    ? result.then((settled) => {
        // Cancelled: nobody waits for a result, and a cancellation is not a late one.
        if (!settled.ok && settled.kind === 'cancelled' && desk.abort.isAborted) throw toError(settled.error);
        return retryOrConclude(settled, tool, effect, ask, desk);
      })
    : retryOrConclude(result, tool, effect, ask, desk);
};

/** Retries a transient failure, or ends the call with its result. */
const retryOrConclude = (
  performed: ToolResult,
  tool: Tool,
  effect: Effect,
  ask: ToolAsk,
  desk: Desk,
): Acted | Promise<Acted> => {
  const result = withErrorId(performed, effect);
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
  return concludeCall(result, ask, desk);
};

const concludeCall = (given: ToolResult, ask: ToolAsk, desk: Desk): Acted | Promise<Acted> =>
  andThen(fitCompletion(given, desk.definition), (fitted) => {
    desk.hide(fitted);
    const result = cutResult(fitted, desk);
    publishFinish(result, desk);
    const { environment } = desk;
    if (environment === undefined) return { kind: 'result', result };
    return withOutcomeOf(environment, result, ask, desk).then((whole) => ({ kind: 'result', result: whole }));
  });

/** Cuts the text of a result to the agent's limit; its media stay as they are. What reads a cut text has a limit of its own. */
const cutResult = (result: ToolResult, desk: Desk): ToolResult => {
  const cut = result.ok && result.tool !== READ_RESULT ? putAside(result.text, result.tool, desk) : undefined;
  if (cut === undefined) return result;
  const media = result.parts?.filter((part) => isMedia(part) || isLink(part));
  return {
    ...result,
    ...cut,
    ...(media === undefined ? {} : { parts: [{ type: 'text', text: cut.text }, ...media] }),
  };
};

/** Adds the key of the attempt to a failure that has no id of its own. */
const withErrorId = (result: ToolResult, { key }: Effect): ToolResult =>
  result.ok || result.error.errorId !== undefined
    ? result
    : { ...result, error: { ...result.error, errorId: key } };

/** Adds the environment's outcome to the result. */
const withOutcomeOf = (
  environment: EnvironmentSession,
  result: ToolResult,
  { call }: ToolAsk,
  desk: Desk,
): Promise<ToolResult> => {
  const action = freezeJson({ callId: call.id, tool: call.name, input: call.input, result });
  const stepping = withinAgentTime(environment.outcome(action), 'step of the environment', desk);
  return Promise.resolve(stepping).then(
    (outcome) => (outcome === undefined ? result : { ...result, environment: outcome }),
    // Recorded, not thrown: the tool itself succeeded.
    (thrown: unknown) => ({ ...result, environment: { error: messageOf(thrown) } }),
  );
};

const publishFinish = (result: ToolResult, desk: Desk): void => {
  if (result.artifacts !== undefined && result.cached !== true) desk.keep(result.artifacts);
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

/** A denial by the safety strategy: nothing started, and the agent gets the reason. */
const denialOf = (
  { reason, rule, error }: Extract<SafetyRuling, { verdict: 'deny' }>,
  effect: Effect,
  ask: ToolAsk,
  desk: Desk,
): Acted => {
  const by = rule === undefined ? '' : ` by the rule '${rule}'`;
  const why = withoutUndefined({ reason, error, rule });
  return denied(why, 'tool.denied', 'safety', `it was denied${by}: ${reason}`, effect, ask, desk);
};

/** A denial by the budget: nothing started, and every call still has its result. */
const unpaid = (spent: BudgetSpent, effect: Effect, ask: ToolAsk, desk: Desk): Acted => {
  const reason = 'the budget is spent';
  return { ...denied({ reason }, 'budget.spent', 'budget', reason, effect, ask, desk), spent };
};

/** Reports a call that may not be made. */
const denied = (
  why: Pick<CallDenied, 'reason' | 'error' | 'rule'>,
  code: ErrorCode,
  operation: RefusingOperation,
  said: string,
  effect: Effect,
  ask: ToolAsk,
  desk: Desk,
): Extract<Acted, { kind: 'result' }> => {
  const { call } = ask;
  desk.emit({ type: 'tool.denied', callId: call.id, tool: call.name, ...why });
  const message = `Cannot run '${call.name}' as ${said}`;
  const tool = call.name;
  const error = { code, message, retryable: 'no', tool, ...placeOf(effect, ask), operation } as const;
  const effort = { durationMs: 0, attempts: effect.attempt };
  return { kind: 'result', result: failure(call, 'denied', error, effort) };
};

/** The result of a call that cannot start; its events are marked as synthesised. */
const refuseCall = (effect: Effect, ask: ToolAsk, desk: Desk): ToolResult => {
  const { call } = ask;
  const refusal = desk.tools.refuse(call, effect.attempt);
  const result: ToolResult = { ...refusal, error: { ...refusal.error, ...placeOf(effect, ask) } };
  publishStart(result.tool, `Looking for ${result.tool}`, effect, ask, desk);
  publishFinish(result, desk);
  return result;
};

/** Publishes a synthesised start, as every finished call has one. */
const publishStart = (tool: string, what: string, effect: Effect, ask: ToolAsk, desk: Desk): void => {
  desk.emit(startOf(tool, what, effect, ask, { synthesised: true }));
};

const startOf = <Facts extends object>(
  tool: string,
  description: string,
  { attempt }: Effect,
  { call: { id: callId, input } }: ToolAsk,
  facts: Facts,
) => ({ type: 'tool.started' as const, callId, tool, input, description, attempt, ...facts });

/** The place of a failure: the calling agent's, also if a call actor makes the attempt. */
const placeOf = ({ runId, step, key: errorId }: Effect, { context }: ToolAsk) => ({
  runId,
  path: context.run.path,
  step,
  phase: 'ACT',
  operation: 'act',
  errorId,
});
