import { assign, setup } from 'xstate';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import { agentAsks, callEngagement, gatherAsks } from './agent-asks.ts';
import type { AgentPort } from './agent-asks.ts';
import type {
  Acted,
  AgentContext,
  AgentInput,
  Critiqued,
  Decided,
  Observed,
  Prepared,
} from './agent-context.ts';
import { agentEvent } from './agent-events.ts';
import type { AgentEventType } from './agent-events.ts';
import * as reducers from './agent-reducers.ts';
import type { Mail } from './agent-reducers.ts';
import { phaseOfPort, mayRecover, applyRecovery, movesOn, recordFailure } from '../recovery/recovery.ts';
import type { RecoverablePort } from '../recovery/recovery-state.ts';
import type { Recovered } from '../recovery/recovery.ts';
import { checked } from '../stopping/check-stop.ts';
import { critiqued, wantsCritique } from './review-reducer.ts';
import { reduced } from './step-reducer.ts';
import { delegationsToStart, delegateEngagements, gathering, returned, returning } from './delegations.ts';
import { isLastOpen, isOpen } from './call-plan.ts';
import { put } from '../in-force.ts';

/** Events of an agent's machine. Every envelope carries `at`, the machine's only clock. */
export type AgentEvent =
  | { type: 'answered.prepare'; at: number; output: Prepared }
  | { type: 'answered.observe'; at: number; output: Observed }
  | { type: 'answered.decide'; at: number; output: Decided }
  | { type: 'answered.act'; at: number; index: number; output: Acted }
  | { type: 'answered.critique'; at: number; output: Critiqued }
  | { type: 'answered.wake'; at: number }
  | { type: 'answered.delegate'; at: number; index: number; path: string; output: Outcome }
  | { type: 'answered.recover'; at: number; index: number; output: Recovered }
  | ({ type: 'message'; at: number } & Mail)
  | { type: 'abort'; at: number; reason: string }
  | { type: 'expired'; at: number; reason: StopReason }
  | { type: `failed.${string}`; at: number; index?: number; error: ErrorData };

/** The vocabulary of an agent's chart: its actions, each a line over a pure reducer, and its guards. */
export const agentSetup = /* @__PURE__ */ setup({
  types: {
    context: {} as AgentContext,
    input: {} as AgentInput,
    events: {} as AgentEvent,
    output: {} as Outcome,
    emitted: {} as RuntimeEvent,
  },
  actions: {
    entered: ({ context }, { phase }: { phase: string }) => {
      put({ type: 'enter', phase, step: stepAt(context, phase) });
    },
    ask: ({ context }, { port }: { port: AgentPort }) => {
      put({ type: 'ask', asks: agentAsks(context, port) });
    },
    engage: ({ context }) => {
      put({ type: 'engage', engagements: callEngagement(context) });
    },
    withdraw: () => {
      put({ type: 'withdraw' });
    },
    delegate: ({ context }) => {
      const { delegations } = context.review;
      if (delegations === undefined) return;
      put({ type: 'engage', engagements: delegateEngagements(context) });
      const { agent: from } = context.run;
      for (const { path, text } of delegations.saying)
        put({ type: 'post', to: path, message: { from, text } });
      if (delegations.leaving.length > 0) put({ type: 'dismiss', paths: delegations.leaving });
      for (const { id, to, path: child, terms } of delegationsToStart(delegations)) {
        const follows = terms.history === undefined ? {} : { follows: true as const };
        const body = { type: 'delegation.began', id, to, child, ...follows } as const;
        put({ type: 'emit', body, step: context.step - 1, phase: 'REDUCE' });
      }
    },
    emitReturn: ({ context, event }) => {
      const found = event.type === 'answered.delegate' ? returning(context, event) : undefined;
      if (found === undefined || event.type !== 'answered.delegate') return;
      const { id, to, path: child } = found;
      const { status } = event.output;
      const body = { type: 'delegation.returned', id, to, child, status } as const;
      put({ type: 'emit', body, step: context.step, phase: undefined });
    },
    returned: assign(({ context, event }) =>
      event.type === 'answered.delegate' ? returned(context, event, event.at) : {},
    ),
    gather: ({ context, event }) => {
      if (event.type === 'answered.delegate')
        put({ type: 'ask', asks: gatherAsks(context, event.at + gathering(context, event)) });
    },
    dismiss: () => {
      put({ type: 'dismiss' });
    },
    emit: ({ context }, { event, phase }: { event: AgentEventType; phase: string }) => {
      const step = event === 'agent.reduced' ? context.step - 1 : stepAt(context, phase);
      put({ type: 'emit', body: agentEvent(context, event), step, phase });
    },
    emitNotices: ({ context }) => {
      const { notices } = context.cycle;
      const step = context.step - 1;
      for (const body of notices) put({ type: 'emit', body, step, phase: 'CHECK_STOP' });
    },
    askOn: ({ context }) => {
      const port = context.review.recovery?.port;
      if (port !== undefined) put({ type: 'ask', asks: agentAsks(context, port) });
    },
    emitRecovery: ({ context }) => {
      const { port } = context.review.recovery ?? {};
      const body = agentEvent(context, 'recovery.decided');
      put({ type: 'emit', body, step: context.step, phase: port && phaseOfPort[port] });
    },
    prepared: assign(({ context, event }) =>
      event.type === 'answered.prepare' ? reducers.prepared(context, event.output, event.at) : {},
    ),
    listened: assign(({ context }) => reducers.startStep(context)),
    observed: assign(({ context, event }) =>
      event.type === 'answered.observe' ? reducers.observed(context, event.output, event.at) : {},
    ),
    decided: assign(({ context, event }) =>
      event.type === 'answered.decide' && event.output.kind !== 'trouble'
        ? reducers.decided(context, event.output, event.at)
        : {},
    ),
    troubled: assign(({ context, event }) =>
      (event.type === 'answered.decide' || event.type === 'answered.act') && event.output.kind === 'trouble'
        ? reducers.troubled(context, event.output, event.at)
        : {},
    ),
    acted: assign(({ context, event }) =>
      event.type === 'answered.act' ? reducers.acted(context, event.output, event.index, event.at) : {},
    ),
    reduced: assign(({ context }) => reduced(context)),
    critiqued: assign(({ context, event }) =>
      event.type === 'answered.critique' ? critiqued(context, event.output, event.at) : {},
    ),
    checked: assign(({ context }) => checked(context)),
    received: assign(({ context, event }) =>
      event.type === 'message' ? reducers.received(context, event, event.at) : {},
    ),
    woken: assign(({ context, event }) => reducers.woken(context, event.at)),
    abandoned: assign(({ context, event }) =>
      event.type === 'abort' ? reducers.abandoned(context, event.reason) : {},
    ),
    expired: assign(({ context, event }) =>
      event.type === 'expired' ? reducers.expired(context, event.reason, event.at) : {},
    ),
    stumbled: assign(({ context, event }, { port }: { port: RecoverablePort }) =>
      'error' in event ? recordFailure(context, port, event.index ?? 0, event.error, event.at) : {},
    ),
    recovered: assign(({ context, event }) =>
      event.type === 'answered.recover' ? applyRecovery(context, event.output, event.index, event.at) : {},
    ),
    broken: assign(({ context, event }) =>
      'error' in event ? reducers.broken(context, event.error, event.at) : {},
    ),
  },
  guards: {
    hasProblems: ({ event }) => event.type === 'answered.prepare' && event.output.problems.length > 0,
    observes: ({ context }) => context.run.observes,
    isTroubled: ({ context: { cycle }, event }) =>
      'output' in event &&
      hasTrouble(event.output) &&
      (event.type !== 'answered.act' || (cycle.plan !== null && isOpen(cycle.plan, event.index))),
    // A step that the budget refuses has not started, and is not counted.
    isUnaffordable: ({ event }) =>
      event.type === 'answered.decide' && event.output.kind === 'spent' && event.output.isUnbegun === true,
    // Without a call ACT would wait for ever.
    wantsToAct: ({ event }) =>
      event.type === 'answered.decide' && event.output.kind === 'decided' && !!event.output.calls?.length,
    isLastResult: ({ context: { cycle }, event }) =>
      event.type === 'answered.act' &&
      event.output.kind === 'result' &&
      cycle.plan !== null &&
      isLastOpen(cycle.plan, event.index),
    mayRecover: ({ context, event }) =>
      'error' in event &&
      mayRecover(context, event.error, event.type === 'failed.act' ? (event.index ?? 0) : undefined),
    givesUp: ({ event }) => event.type === 'answered.recover' && event.output.decision === 'giveUp',
    movesOn: ({ context, event }) =>
      event.type === 'answered.recover' && movesOn(context, event.output, event.index),
    actsInstead: ({ event }) =>
      event.type === 'answered.recover' &&
      !!(event.output.decided?.kind === 'decided' && event.output.decided.calls?.length),
    seesInstead: ({ event }) => event.type === 'answered.recover' && event.output.decision === 'replace',
    wantsCritique: ({ context }) => wantsCritique(context),
    isAnswered: ({ context }) => context.end?.status === 'completed',
    hasFailed: ({ context }) => context.end?.status === 'failed',
    mustStop: ({ context }) => context.end !== null,
    mustWait: ({ context: { cycle, inbox, review } }) =>
      (cycle.decision?.kind === 'wait' || cycle.pauseMs !== null || review.delegations?.isParked === true) &&
      inbox.length === 0,
    comesBack: ({ context, event }) =>
      event.type === 'answered.delegate' && returning(context, event) !== undefined,
    comesBackToLook: ({ context, event }) =>
      context.run.observes && event.type === 'answered.delegate' && returning(context, event) !== undefined,
    mayBeMore: ({ context, event }) => event.type === 'answered.delegate' && gathering(context, event) > 0,
  },
});

const hasTrouble = (output: unknown): boolean =>
  typeof output === 'object' && output !== null && 'kind' in output && output.kind === 'trouble';

/** The step of a phase: REDUCE advances the counter, but CRITIC and CHECK_STOP still belong to the previous step. */
const stepAt = (context: AgentContext, phase: string): number =>
  phase === 'CRITIC' || phase === 'CHECK_STOP' ? context.step - 1 : context.step;
