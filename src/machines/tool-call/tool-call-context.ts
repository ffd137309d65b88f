import type { BudgetUse } from '../../contracts/runs/budget.ts';
import type { Effect } from '../../contracts/runs/effect.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { Approver } from '../../contracts/people/approval-terms.ts';
import { denialText } from '../../contracts/people/request.ts';
import type { Json } from '../../base/json/json.ts';
import type { ToolFailure, ToolResult } from '../../contracts/tools/tool-result.ts';
import type { Acted, AgentContext, Trouble } from '../agent/agent-context.ts';
import { initialContext } from '../agent/agent-context.ts';
import type { AskOf } from '../asks.ts';
import type { PlannedCall } from '../agent/call-plan.ts';
import { askOf } from '../effects.ts';

/** Input of a tool call actor: the agent that waits for it, and the trouble of the first attempt. */
export interface ToolCallInput {
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  readonly context: AgentContext;
  readonly call: PlannedCall;
  readonly trouble: Trouble;
}

/** A tool call that needs approval or a retry. */
export interface ToolCallContext {
  readonly of: Omit<ToolCallInput, 'trouble'>;
  readonly attempt: number;
  readonly isApproved: boolean;
  /** True if a person changed its arguments. */
  readonly isEdited?: boolean | undefined;
  readonly trouble: Trouble;
  readonly dueAt: number;
  readonly now: number;
  readonly result: ToolResult | null;
  readonly budget?: BudgetUse | undefined;
}

/** A person's answer to a call. */
export interface Approval {
  readonly isApproved: boolean;
  readonly reason?: string | undefined;
  /** Replacement arguments. */
  readonly input?: Json | undefined;
  /** The person, where they said who they are. */
  readonly by?: Approver | undefined;
}

const NO_TROUBLE: Trouble = { kind: 'trouble', index: 0, attempt: 1, waitMs: null };
const NO_CALL: PlannedCall = { id: '', name: '', input: null, exclusive: false };

/** The initial context. XState's pure functions also call it without an input. */
export const initialToolCall = ({ input }: { input: ToolCallInput | undefined }): ToolCallContext => {
  const trouble = input?.trouble ?? NO_TROUBLE;
  return {
    of: {
      runId: input?.runId ?? '',
      path: input?.path ?? '',
      agent: input?.agent ?? '',
      context: input?.context ?? initialContext({ input: undefined }),
      call: input?.call ?? NO_CALL,
    },
    attempt: trouble.attempt,
    isApproved: false,
    trouble,
    dueAt: 0,
    now: input?.context.tally.now ?? 0,
    result: null,
  };
};

/** The ask for the next attempt. */
export const toolAsk = ({ of, attempt, isApproved }: ToolCallContext): AskOf<'tool'> =>
  askOf('tool', originOf(of, 'running', attempt), { call: of.call, context: of.context, isApproved });

/** The phase of `asked` on record, as journals have it. */
export const ASKED = 'awaitingApproval';

/** The ask for approval. */
export const approvalAsk = ({
  of,
  attempt,
  isApproved,
  trouble: { error, terms },
}: ToolCallContext): AskOf<'approve'> =>
  askOf('approve', originOf(of, ASKED, attempt), {
    call: of.call,
    context: of.context,
    isApproved,
    ...(error === undefined ? {} : { error }),
    ...(terms === undefined ? {} : { terms }),
  });

/** The ask to wait before the next attempt. */
export const toolPause = ({ of, attempt, dueAt }: ToolCallContext): AskOf<'pause'> =>
  askOf('pause', originOf(of, 'waitingToRetry', attempt), { dueAt });

/** Starts a wait. */
export const holdOff = ({ trouble, attempt, now }: ToolCallContext): Partial<ToolCallContext> => ({
  attempt: attempt + 1,
  dueAt: now + (trouble.waitMs ?? 0),
});

/** Handles an approval. */
export const approved = (
  { of }: ToolCallContext,
  { input }: Approval,
  at: number,
): Partial<ToolCallContext> => ({
  isApproved: true,
  now: at,
  ...(input === undefined ? {} : { of: { ...of, call: { ...of.call, input } }, isEdited: true }),
});

/** Handles a denial. */
export const denied = (
  context: ToolCallContext,
  { reason }: Approval,
  at: number,
): Partial<ToolCallContext> => ({
  now: at,
  result: refusal(context, 'denied', denialText(reason), approvalAsk(context)),
});

/** Handles the result of an attempt. */
export const ran = (answer: Acted, at: number): Partial<ToolCallContext> =>
  answer.kind === 'trouble'
    ? { trouble: answer, now: at }
    : {
        result: answer.result,
        now: at,
        ...(answer.budget === undefined ? {} : { budget: answer.budget }),
      };

/** Cancels the call, as the run has ended. */
export const cancelled = (context: ToolCallContext): Partial<ToolCallContext> => ({
  result: refusal(context, 'cancelled', 'the run ended first'),
});

/** Fails the call, as the runtime could not execute it. */
export const broken = (context: ToolCallContext, error: ErrorData): Partial<ToolCallContext> => ({
  result: { ...withError(refusal(context, 'system', error.message), error), text: error.message },
});

/** Gives up: the error of the last attempt is the result. */
export const giveUp = (context: ToolCallContext): Partial<ToolCallContext> => {
  const { error } = context.trouble;
  return {
    result: withError(refusal(context, 'execution', error?.message ?? 'no attempt is left'), error),
  };
};

/** The output of the call: always a result, as the model needs an answer. */
export const toolCallOutput = ({
  context,
}: {
  context: ToolCallContext;
}): { ok: true; output: Acted; retries: number } => ({
  ok: true,
  output: {
    kind: 'result',
    result: withInput(context.result ?? refusal(context, 'cancelled', 'it never ran'), context),
    ...(context.budget === undefined ? {} : { budget: context.budget }),
  },
  retries: context.attempt - 1,
});

/** Adds the arguments to the result if they differ from the requested ones. */
const withInput = (result: ToolResult, { isEdited, of }: ToolCallContext): ToolResult =>
  isEdited === true ? { ...result, input: of.call.input } : result;

/** The event of a retry. */
export const retryingEvent = ({ of, trouble, attempt }: ToolCallContext): EventBody => ({
  type: 'tool.retrying',
  callId: of.call.id,
  tool: of.call.name,
  attempt,
  waitMs: trouble.waitMs ?? 0,
  error: trouble.error ?? { code: 'tool.failed', message: 'the tool failed', retryable: 'yes' },
});

const originOf = (
  { runId, path, agent, context }: ToolCallContext['of'],
  phase: string,
  attempt: number,
) => ({
  runId,
  path,
  agent,
  step: context.step,
  phase,
  attempt,
});

const CODES = {
  denied: 'tool.denied',
  cancelled: 'tool.cancelled',
  system: 'internal',
  execution: 'tool.failed',
} as const;

/** Adds an error to a failure, keeping the failure's own place where the error has none. */
const withError = (refused: ToolFailure, error: ErrorData | undefined): ToolFailure => ({
  ...refused,
  error: { ...refused.error, ...error },
});

const refusal = (
  context: ToolCallContext,
  kind: keyof typeof CODES,
  reason: string,
  { port, key }: Effect = toolAsk(context),
): ToolFailure => {
  const { of, attempt } = context;
  const message = `Cannot run '${of.call.name}' as ${reason}`;
  const { runId, path } = of.context.run;
  const place = { tool: of.call.name, runId, path, step: of.context.step, phase: 'ACT' };
  const where = { ...place, operation: port, errorId: key };
  return {
    ok: false,
    kind,
    callId: of.call.id,
    tool: of.call.name,
    text: message,
    durationMs: 0,
    attempts: attempt,
    error: { code: CODES[kind], message, retryable: 'no', ...where },
  };
};
