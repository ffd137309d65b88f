import type { EventBody } from '../../contracts/events/event.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { StepRecord } from '../../contracts/runs/step-record.ts';
import type { AgentContext } from './agent-context.ts';
import { underWay } from './delegations-state.ts';
import { patchOf } from './critique-patch.ts';

/** Events that an agent's machine emits. */
export type AgentEventType =
  | 'agent.prepared'
  | 'agent.observed'
  | 'agent.decided'
  | 'agent.acted'
  | 'agent.reduced'
  | 'agent.critiqued'
  | 'agent.checked'
  | 'agent.waiting'
  | 'recovery.decided'
  | 'step.ended';

/** The body of an event, from the context after its reducer. */
export const agentEvent = (context: AgentContext, type: AgentEventType): EventBody => {
  const { cycle, end } = context;
  switch (type) {
    case 'agent.prepared':
      return { type, problems: [...(end?.problems ?? [])] };
    case 'agent.observed':
      return {
        type,
        messages: cycle.messages,
        ...(cycle.observation === null ? {} : { observation: cycle.observation }),
      };
    case 'agent.decided':
      return {
        type,
        decision: {
          ...(cycle.decision ?? { kind: undecidedKind(end) }),
        },
        ...(cycle.branch === null ? {} : { branch: cycle.branch }),
      };
    case 'agent.acted':
      return actedEvent(context);
    case 'agent.reduced':
      return { type, diff: cycle.diff };
    case 'agent.critiqued':
      return critiquedEvent(context);
    case 'agent.checked':
      return end === null ? { type } : { type, stopReason: { ...end.stopReason } };
    case 'agent.waiting':
      return waitingEvent(context);
    case 'recovery.decided':
      return recoveryEvent(context);
    case 'step.ended':
      return { type, record: stepRecord(context) };
  }
};

/** The event kind for a missing decision: a refusal, a spent budget, or a rejected turn. */
const undecidedKind = (end: AgentContext['end']): string => {
  const kind = end?.stopReason.kind;
  return kind === 'refused' || kind === 'budget' ? kind : 'again';
};

const actedEvent = ({ cycle }: AgentContext): EventBody => {
  const results = cycle.plan?.results ?? [];
  let ok = 0;
  for (const result of results) if (result?.ok === true) ok += 1;
  return { type: 'agent.acted', ok, failed: results.length - ok };
};

const critiquedEvent = ({ cycle }: AgentContext): EventBody => {
  const decisive = cycle.critiques.find(({ verdict }) => verdict !== 'accept') ?? cycle.critiques[0];
  const note = decisive?.note;
  const patch = patchOf(cycle.critiques);
  return {
    type: 'agent.critiqued',
    verdict: decisive?.verdict ?? 'accept',
    ...(note === undefined ? {} : { note }),
    ...(decisive === undefined ? {} : { critic: decisive.critic }),
    ...(patch === undefined ? {} : { patch }),
  };
};

const recoveryEvent = ({ run, review: { recovery } }: AgentContext): EventBody => {
  const last = recovery?.failures.at(-1);
  return {
    type: 'recovery.decided',
    error: recovery?.error ?? NO_ERROR,
    decision: last?.decision ?? 'giveUp',
    streak: last?.streak ?? 0,
    limit: run.recoveries ?? 0,
    ...(last?.note === undefined ? {} : { note: last.note }),
  };
};

const NO_ERROR: ErrorData = {
  code: 'internal',
  message: 'Cannot say what failed: nothing did',
  retryable: 'no',
};

const waitingEvent = ({ cycle, review }: AgentContext): EventBody => {
  const { decision, pauseMs } = cycle;
  if (review.delegations?.isParked === true) {
    const ids = underWay(review.delegations).map(({ id }) => id);
    return { type: 'agent.waiting', reason: `work that was given away is under way: ${ids.join(', ')}` };
  }
  if (pauseMs !== null)
    return { type: 'agent.waiting', reason: 'the model is reminded later', forMs: pauseMs };
  const wait = decision?.kind === 'wait' ? decision : undefined;
  return {
    type: 'agent.waiting',
    ...(wait?.reason === undefined ? {} : { reason: wait.reason }),
    ...(wait?.forMs === undefined ? {} : { forMs: wait.forMs }),
  };
};

/** The record of the step that CHECK_STOP ends. */
const stepRecord = ({ run, step, cycle, tally }: AgentContext): StepRecord => ({
  step: step - 1,
  path: run.path,
  agent: run.agent,
  ...(cycle.observation === null ? {} : { observation: cycle.observation }),
  ...(cycle.decision === null ? {} : { decision: cycle.decision }),
  ...(cycle.branch === null ? {} : { branch: cycle.branch }),
  results: cycle.results,
  critiques: cycle.critiques,
  diff: cycle.diff,
  startedAt: cycle.startedAt,
  endedAt: tally.now,
});
