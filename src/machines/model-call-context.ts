import type { ErrorData } from '../contracts/error.ts';
import type { EventBody } from '../contracts/event.ts';
import type { AgentContext, Decided, Trouble } from './agent-context.ts';
import { initialContext } from './agent-context.ts';
import type { AskOf } from './asks.ts';
import { effectOf } from './effects.ts';

/** What a model call is engaged with: the agent that waits for it, and what went wrong in the first attempt. */
export interface ModelCallInput {
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  readonly context: AgentContext;
  readonly trouble: Trouble;
}

/** A model call that could not be finished in one go. */
export interface ModelCallContext {
  readonly call: Omit<ModelCallInput, 'trouble'>;
  readonly attempt: number;
  /** Attempts of the model at hand. */
  readonly model: number;
  readonly waitedMs: number;
  readonly hasTriedMaybe: boolean;
  readonly trouble: Trouble;
  readonly dueAt: number;
  readonly now: number;
  readonly answer: Exclude<Decided, Trouble> | null;
  /** The error that gave up the call. */
  readonly error: ErrorData | null;
}

/** What the call leaves to its agent. */
export type ModelCallOutput =
  | { readonly ok: true; readonly output: Exclude<Decided, Trouble>; readonly retries: number }
  | { readonly ok: false; readonly error: ErrorData; readonly retries: number };

const NO_TROUBLE: Trouble = { kind: 'trouble', index: 0, attempt: 1, waitMs: null };

/** The context to start from; tolerates that XState's pure functions call it without an input. */
export const initialModelCall = ({ input }: { input: ModelCallInput | undefined }): ModelCallContext => {
  const trouble = input?.trouble ?? NO_TROUBLE;
  return {
    call: {
      runId: input?.runId ?? '',
      path: input?.path ?? '',
      agent: input?.agent ?? '',
      context: input?.context ?? initialContext({ input: undefined }),
    },
    attempt: trouble.attempt,
    model: 0,
    waitedMs: 0,
    hasTriedMaybe: trouble.error?.retryable === 'maybe',
    trouble,
    dueAt: 0,
    now: input?.context.tally.now ?? 0,
    answer: null,
    error: null,
  };
};

/** One more attempt, by the model at hand. */
export const modelAsk = (context: ModelCallContext): AskOf<'model'> => {
  const { call, attempt, model, waitedMs, hasTriedMaybe, trouble } = context;
  const { runId, path, agent } = call;
  const origin = { runId, path, agent, step: call.context.step, phase: 'asking', index: model, attempt };
  const input = { context: call.context, model, waitedMs, hasTriedMaybe, nudge: trouble.nudge ?? null };
  return { ...effectOf('model', origin), input };
};

/** The wait before the next attempt, as an absolute time. */
export const modelPause = ({ call, attempt, model, dueAt }: ModelCallContext): AskOf<'pause'> => {
  const { runId, path, agent } = call;
  const origin = {
    runId,
    path,
    agent,
    step: call.context.step,
    phase: 'waitingToRetry',
    index: model,
    attempt,
  };
  return { ...effectOf('pause', origin), input: { dueAt } };
};

/** A wait begins. */
export const holdOff = (context: ModelCallContext): Partial<ModelCallContext> => {
  const waitMs = context.trouble.waitMs ?? 0;
  return { attempt: context.attempt + 1, waitedMs: context.waitedMs + waitMs, dueAt: context.now + waitMs };
};

/** The next model of the list takes over. */
export const fallBack = ({ model }: ModelCallContext): Partial<ModelCallContext> => ({
  model: model + 1,
  attempt: 1,
  waitedMs: 0,
  hasTriedMaybe: false,
});

/** An attempt came to something: an answer, a refusal, or more trouble. */
export const answeredModel = (
  context: ModelCallContext,
  output: Decided,
  at: number,
): Partial<ModelCallContext> =>
  output.kind === 'trouble'
    ? {
        trouble: output,
        now: at,
        hasTriedMaybe: context.hasTriedMaybe || output.error?.retryable === 'maybe',
      }
    : { answer: output, now: at };

/** Nothing is left to try. */
export const giveUp = ({ trouble }: ModelCallContext): Partial<ModelCallContext> => ({
  error: trouble.error ?? NO_REASON,
});

/** What is left of the call when it is done. */
export const modelCallOutput = ({ context }: { context: ModelCallContext }): ModelCallOutput => {
  const { answer, error } = context;
  const retries = context.attempt - 1 + context.model;
  return answer === null
    ? { ok: false, error: error ?? NO_REASON, retries }
    : { ok: true, output: answer, retries };
};

/** The event of a retry or a fallback, named by place: the performer knows the models' names. */
export const retryingEvent = ({ trouble, attempt, model }: ModelCallContext): EventBody => ({
  type: 'model.retrying',
  model: String(model),
  attempt,
  waitMs: trouble.waitMs ?? 0,
  error: trouble.error ?? NO_REASON,
});

const NO_REASON: ErrorData = {
  code: 'model.failed',
  message: 'Cannot answer as the model call was given up without a reason: no error was reported',
  retryable: 'no',
};
