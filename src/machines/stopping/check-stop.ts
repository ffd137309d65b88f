import { freezeJson } from '../../base/json/freeze-json.ts';
import { append } from '../../base/collections/history.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { StopView } from '../../contracts/agents/stop-rule.ts';
import { isStopKind } from '../../contracts/agents/stop-reason.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { AgentChange, AgentContext, End } from '../agent/agent-context.ts';
import { threw } from '../agent/agent-end.ts';
import { budgetEnd, budgetRule } from './budget-rule.ts';
import { firstReason, memoriesOf, warningsOf } from './composed-rules.ts';
import { runtimeSays } from '../agent/conversation.ts';
import { isResult, putBack } from '../agent/delegations.ts';
import type { Rules } from '../rules.ts';
import { atOnce, plain } from '../rules.ts';
import type { Watch } from './watch.ts';
import { loopReason } from './watch-loops.ts';
import type { Nearing } from './wrap-up.ts';
import { graceAt, isWrappingUp, nearing } from './wrap-up.ts';
import { rulesInForce } from '../in-force.ts';

/**
 * Checks whether the run is over, in this order: the answer, the agent's own condition, the environment's end, the budgets, the stop rules
 * in the order given, a loop. If it continues, warnings of the rules go to the model.
 */
export const checked = (context: AgentContext): AgentChange => {
  if (context.end !== null) return {};
  const { review, step, state, tally, cycle } = context;
  if (review.candidate !== null) return answerEnd(context);
  const view: StopView = freezeJson({
    step,
    state,
    tally,
    decision: cycle.decision ?? undefined,
    results: cycle.results,
  });
  const rules = rulesInForce();
  try {
    const memory = memoriesOf(rules.stop, view, review.watch.memory);
    const watch = memory === undefined ? review.watch : { ...review.watch, memory };
    const condition = ownCondition(rules, view) ?? environmentEnd(cycle.results) ?? budgetEnd(tally);
    if (condition !== undefined) return { end: ruleEnd(condition) };
    const limit = firstReason(rules.stop, view, watch.memory);
    const reason = limit ?? (rules.loops && loopReason(watch, rules.loops));
    const { wrapUp } = rules;
    // Last, as the memories of rules are by index.
    const limits = tally.budget === undefined ? rules.stop : [...rules.stop, budgetRule];
    if (reason === undefined)
      return continueWith(context, watch, rules, view, wrapUp && nearing(watch, limits, view, wrapUp));
    const grace =
      wrapUp === undefined || limit === undefined ? undefined : graceAt(watch, rules.stop, view, wrapUp);
    return grace === undefined
      ? { end: ruleEnd(knownReason(reason)) }
      : continueWith(context, grace.watch, rules, view, grace.nearing);
  } catch (thrown) {
    return { end: threw(context, thrown, 'shouldStop or a stop rule', 'CHECK_STOP') };
  }
};

/** Ends with the answer, unless it is held for delegated work and another step is possible. */
const answerEnd = (context: AgentContext): AgentChange => {
  const back = isWrappingUp(context.review.watch) ? undefined : putBack(context);
  if (back !== undefined) {
    const rest = checked({ ...context, ...back });
    if (rest.end === undefined) return { ...back, ...rest };
  }
  return readingFirst(context) ?? ANSWERED;
};

const NOTHING: readonly string[] = [];

const ANSWERED: AgentChange = { end: { status: 'completed', stopReason: { kind: 'answered' } } };

/** Adds a step for messages that arrived with the answer, if the agent wants that and nothing else ends the run. */
const readingFirst = (context: AgentContext): AgentChange | undefined => {
  const { review, inbox, run } = context;
  if (run.readsUnread === undefined) return undefined;
  if (run.readsUnread === 'people' ? !inbox.some(isOfPeople) : inbox.length === 0) return undefined;
  const unanswered = { ...context, review: { ...review, candidate: null } };
  const change = checked(unanswered);
  return change.end === undefined ? { review: unanswered.review, ...change } : undefined;
};

/** Checks whether a message is from outside the run: what a person said is not left unread. */
const isOfPeople = (message: Message): boolean => message.sender === undefined && !isResult(message);

/** Rules are foreign code, and a reason becomes part of events and journals. */
const ruleEnd = (stopReason: StopReason): End => {
  plain({ ...stopReason }, undefined, 'stop reason');
  return { status: 'stopped', stopReason };
};

const ownCondition = ({ shouldStop }: Rules, view: StopView): StopReason | undefined => {
  const detail = atOnce(shouldStop?.(view));
  return detail === undefined || detail === false
    ? undefined
    : { kind: 'agentCondition', detail: detail === true ? 'shouldStop' : detail };
};

/** The environment's own end, if a call of the step caused it. */
const environmentEnd = (results: readonly ToolResult[]): StopReason | undefined => {
  for (const { environment } of results)
    if (environment?.end !== undefined) return { kind: 'environmentEnded', ...environment.end };
  return undefined;
};

/** Rules are foreign code, and a reason has many readers. */
const knownReason = (reason: StopReason): StopReason => {
  if (isStopKind(reason.kind)) return reason;
  throw new TypeError(`it gave a reason that there is not, '${String(reason.kind)}'`);
};

/** Continues with another step: notes go to the model, notices to observers. */
const continueWith = (
  { review, history, cycle }: AgentContext,
  watch: Watch,
  { stop }: Rules,
  view: StopView,
  near: Nearing | undefined,
): AgentChange => {
  const notes = stop.some((rule) => rule.warn !== undefined) ? warningsOf(stop, view, watch.memory) : NOTHING;
  if (notes.length === 0 && near === undefined)
    return watch === review.watch ? {} : { review: { ...review, watch } };
  const said = near === undefined ? notes : [...notes, near.note];
  return {
    review: { ...review, watch: near?.watch ?? watch },
    history: append<Turn>(history, runtimeSays(said.join('\n\n'))),
    ...(near === undefined ? {} : { cycle: { ...cycle, notices: [...cycle.notices, near.notice] } }),
  };
};
