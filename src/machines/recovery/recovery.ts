import { categoryOf } from '../../contracts/errors/error-category.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { append } from '../../base/collections/history.ts';
import type { Json } from '../../base/json/json.ts';
import type { RecoverablePhase, RecoveryDecision } from '../../contracts/agents/recovery.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { AgentChange, AgentContext, Decided, Trouble } from '../agent/agent-context.ts';
import { failure } from '../agent/agent-end.ts';
import { decided, observed } from '../agent/agent-reducers.ts';
import type { CallPlan } from '../agent/call-plan.ts';
import { isLastOpen, isOpen, withResult } from '../agent/call-plan.ts';
import { entryOf } from './failure-report.ts';
import type { PendingFailure, RecoverablePort, RecoveryState } from './recovery-state.ts';
import { difference } from '../agent/state-difference.ts';
import { withUsage } from '../agent/with-usage.ts';

/** The answer of port `recover`: the decision, and replacements for the failed work. */
export interface Recovered {
  readonly decision: RecoveryDecision['kind'];
  readonly note?: string | undefined;
  readonly state?: Json | undefined;
  readonly observation?: Json | undefined;
  readonly decided?: Exclude<Decided, Trouble> | undefined;
  readonly text?: string | undefined;
}

/** The phase of each port. */
export const phaseOfPort: Readonly<Record<RecoverablePort, RecoverablePhase>> = {
  observe: 'OBSERVE',
  decide: 'DECIDE',
  act: 'ACT',
};

/** Number of failures kept for the report. */
const MAX_FAILURES = 100;

/** Checks whether a failure may be recovered: within the limit, and not a bug that would repeat. */
export const mayRecover = (
  context: AgentContext,
  error: ErrorData | undefined,
  call: number | undefined,
): boolean => {
  const limit = context.run.recoveries ?? 0;
  if (limit === 0 || error === undefined || streakWith(context) > limit) return false;
  const category = categoryOf(error);
  return category !== 'state' && category !== 'system' && (call === undefined || isOpenCall(context, call));
};

const isOpenCall = (context: AgentContext, index: number): boolean =>
  context.cycle.plan !== null && isOpen(context.cycle.plan, index) && pendingAt(context, index) === undefined;

/** Number of consecutive failures, including the new one. */
const streakWith = ({ step, review: { recovery } }: AgentContext): number => {
  if (recovery === undefined) return 1;
  const goesOn = recovery.step === step || (recovery.isSkipped && recovery.step === step - 1);
  return goesOn ? recovery.streak + 1 : 1;
};

/** The retry number within the current step; undefined if nothing was retried. */
export const roundOf = ({ step, review: { recovery } }: AgentContext): string | undefined =>
  recovery === undefined || recovery.step !== step || recovery.round === 0
    ? undefined
    : String(recovery.round);

/** Records a failure that waits for a decision. */
export const recordFailure = (
  context: AgentContext,
  port: RecoverablePort,
  index: number,
  error: ErrorData,
  at: number,
): AgentChange => {
  const { step, review } = context;
  const before = review.recovery;
  return {
    review: {
      ...review,
      recovery: {
        streak: streakWith(context),
        step,
        isSkipped: false,
        round: before?.step === step ? before.round : 0,
        count: (before?.count ?? 0) + 1,
        pending: [...(before?.pending ?? []), { port, index, error }],
        failures: before?.failures ?? [],
        port,
        error,
      },
    },
    tally: withUsage(context.tally, error.spent, at),
  };
};

/** The failure that a decision is about. */
const pendingAt = ({ review: { recovery } }: AgentContext, index: number): PendingFailure | undefined =>
  recovery?.pending.find((failed) => failed.index === index);

/** Checks whether the agent proceeds to the next phase: nothing is retried, and no other call is open. */
export const movesOn = ({ cycle: { plan } }: AgentContext, { decision }: Recovered, index: number): boolean =>
  (decision === 'skip' || decision === 'replace') && (plan === null || isLastOpen(plan, index));

/** Applies the decision about a failure. */
export const applyRecovery = (
  context: AgentContext,
  said: Recovered,
  index: number,
  at: number,
): AgentChange => {
  const { review, state } = context;
  const pending = pendingAt(context, index);
  if (review.recovery === undefined || pending === undefined) return {};
  const { decision, note } = said;
  const recovery: RecoveryState = {
    ...review.recovery,
    isSkipped: decision === 'skip',
    round: review.recovery.round + Number(decision === 'retry'),
    pending: review.recovery.pending.filter((each) => each !== pending),
    failures: [
      ...review.recovery.failures,
      entryOf(pending.error, review.recovery.streak, decision, note),
    ].slice(-MAX_FAILURES),
    port: pending.port,
    error: pending.error,
  };
  const changed = said.state === undefined ? {} : { state: said.state };
  const diff = said.state === undefined ? context.cycle.diff : difference(state, said.state);
  const now: AgentContext = {
    ...context,
    ...changed,
    cycle: { ...context.cycle, diff },
    review: { ...review, recovery },
    tally: { ...context.tally, now: at },
    history:
      note === undefined
        ? context.history
        : append<Turn>(context.history, { role: 'user', from: 'runtime', text: note }),
  };
  const { history, cycle, tally } = now;
  const base: AgentChange = { ...changed, history, cycle, tally, review: now.review };
  return { ...base, ...consequence(now, pending, said, at) };
};

const consequence = (
  context: AgentContext,
  { port, index, error }: PendingFailure,
  { decision, observation, decided: choice, text }: Recovered,
  at: number,
): AgentChange => {
  if (decision === 'giveUp') return { end: failure(error) };
  if (port === 'act') return resultInstead(context, index, decision, error, text);
  if (decision === 'replace' && port === 'observe')
    return observed(context, observation === undefined ? {} : { observation }, at);
  return decision === 'replace' && choice !== undefined ? decided(context, choice, at) : {};
};

const resultInstead = (
  { cycle, run, tally }: AgentContext,
  index: number,
  decision: RecoveryDecision['kind'],
  error: ErrorData,
  text: string | undefined,
): AgentChange => {
  if (cycle.plan === null) return {};
  if (decision === 'retry') return { cycle: { ...cycle, plan: { ...cycle.plan, starting: [index] } } };
  const plan = withResult(cycle.plan, index, standIn(cycle.plan, index, error, text), run.toolConcurrency);
  return { cycle: { ...cycle, plan }, tally: { ...tally, toolCalls: tally.toolCalls + 1 } };
};

/** The substitute result of a failed call, as every call needs one. */
const standIn = (
  { calls }: CallPlan,
  index: number,
  error: ErrorData,
  text: string | undefined,
): ToolResult => {
  const { id: callId = '', name: tool = '' } = calls[index] ?? {};
  const base = { callId, tool, durationMs: 0, attempts: 1 };
  return text === undefined
    ? { ...base, ok: false, kind: 'system', text: `Error: ${error.message}`, error }
    : { ...base, ok: true, text, value: text };
};
