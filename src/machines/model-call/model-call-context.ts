import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { ModelFailure } from '../../contracts/models/model-failure.ts';
import { withFailure } from '../../contracts/models/model-failure.ts';
import type { Compaction } from '../../contracts/conversations/processor.ts';
import type { AgentContext, Decided, Trouble } from '../agent/agent-context.ts';
import { initialContext } from '../agent/agent-context.ts';
import type { AskOf } from '../asks.ts';
import { askOf } from '../effects.ts';

/** Input of a model call actor: the agent that waits for it, and the trouble of the first attempt. */
export interface ModelCallInput {
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  readonly context: AgentContext;
  readonly trouble: Trouble;
}

/** A model call that needs more than one attempt. */
export interface ModelCallContext {
  readonly call: Omit<ModelCallInput, 'trouble'>;
  readonly attempt: number;
  /** Index of the current model. */
  readonly model: number;
  readonly waitedMs: number;
  readonly hasTriedMaybe: boolean;
  /** Number of attempts beyond the first, of all models; `attempt` starts again for each model. */
  readonly retries: number;
  /** Tokens wasted by this call's attempts; those of the first are in the agent's tally. */
  readonly spent: Usage;
  readonly trouble: Trouble;
  /** Failures of this call and earlier ones, for adaptive retries; absent if retries do not adapt. */
  readonly failures?: readonly ModelFailure[] | undefined;
  readonly dueAt: number;
  readonly now: number;
  readonly answer: Exclude<Decided, Trouble> | null;
  /** The error after the last attempt. */
  readonly error: ErrorData | null;
}

/** The result that the call returns to its agent. */
export type ModelCallOutput =
  | { readonly ok: true; readonly output: Exclude<Decided, Trouble>; readonly retries: number }
  | { readonly ok: false; readonly error: ErrorData; readonly retries: number };

const NO_TROUBLE: Trouble = { kind: 'trouble', index: 0, attempt: 1, waitMs: null };

/** The initial context. XState's pure functions also call it without an input. */
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
    retries: trouble.attempt - 1,
    spent: NO_USAGE,
    trouble,
    failures: input?.context.review.modelFailures,
    dueAt: 0,
    now: input?.context.tally.now ?? 0,
    answer: null,
    error: null,
  };
};

/** The ask for another attempt by the current model. */
export const modelAsk = (context: ModelCallContext): AskOf<'model'> => {
  const { call, attempt, model, waitedMs, hasTriedMaybe, trouble, failures } = context;
  const { runId, path, agent } = call;
  const origin = { runId, path, agent, step: call.context.step, phase: 'asking', index: model, attempt };
  const input = {
    context: call.context,
    model,
    waitedMs,
    hasTriedMaybe,
    nudge: trouble.nudge ?? null,
    ...partialOf(trouble),
    ...failuresOf(failures),
  };
  return askOf('model', origin, input);
};

const partialOf = ({ partial }: Trouble): { readonly partial?: string } =>
  partial === undefined ? {} : { partial };

const failuresOf = (
  failures: ModelCallContext['failures'],
): { readonly failures?: readonly ModelFailure[] } => (failures === undefined ? {} : { failures });

/** The ask to wait before the next attempt, until an absolute time. */
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
  return askOf('pause', origin, { dueAt });
};

/** Starts a wait. */
export const holdOff = (context: ModelCallContext): Partial<ModelCallContext> => {
  const waitMs = context.trouble.waitMs ?? 0;
  return {
    attempt: context.attempt + 1,
    retries: context.retries + 1,
    waitedMs: context.waitedMs + waitMs,
    dueAt: context.now + waitMs,
  };
};

/** Falls back to the next model of the list. */
export const fallBack = ({ model, retries }: ModelCallContext): Partial<ModelCallContext> => ({
  model: model + 1,
  retries: retries + 1,
  attempt: 1,
  waitedMs: 0,
  hasTriedMaybe: false,
});

/** Handles the result of an attempt: an answer, a refusal, or more trouble. */
export const answeredModel = (
  context: ModelCallContext,
  output: Decided,
  at: number,
): Partial<ModelCallContext> =>
  output.kind === 'trouble'
    ? {
        ...(output.compaction === undefined ? {} : { call: withCompaction(context, output.compaction) }),
        trouble: output,
        now: at,
        ...(output.failure === undefined ? {} : { failures: withFailure(context.failures, output.failure) }),
        spent: output.usage === undefined ? context.spent : sum(context.spent, output.usage),
        hasTriedMaybe: context.hasTriedMaybe || output.error?.retryable === 'maybe',
      }
    : { answer: output, now: at };

/** Keeps the compaction of one attempt for the next. */
const withCompaction = ({ call }: ModelCallContext, compaction: Compaction): ModelCallContext['call'] => ({
  ...call,
  context: { ...call.context, run: { ...call.context.run, compaction } },
});

/** Gives up, as nothing is left to try. */
export const giveUp = ({ trouble }: ModelCallContext): Partial<ModelCallContext> => ({
  error: trouble.error ?? NO_REASON,
});

/** The output of the call. */
export const modelCallOutput = ({ context }: { context: ModelCallContext }): ModelCallOutput => {
  const { answer: given, error, retries, spent, failures, call } = context;
  const compaction = given?.compaction ?? call.context.run.compaction;
  const answer = given === null || compaction === undefined ? given : { ...given, compaction };
  const isSpent = spent.input + spent.output > 0;
  if (answer === null) {
    const why = error ?? NO_REASON;
    return {
      ok: false,
      error: isSpent ? { ...why, spent: sum(spent, why.spent ?? NO_USAGE) } : why,
      retries,
    };
  }
  const { usage } = answer;
  const output =
    usage === undefined && !isSpent
      ? { ...answer, retries, ...failuresOf(failures) }
      : { ...answer, retries, ...failuresOf(failures), usage: sum(spent, usage ?? NO_USAGE) };
  return { ok: true, output, retries };
};

const sum = (one: Usage, other: Usage): Usage => ({
  ...other,
  input: one.input + other.input,
  output: one.output + other.output,
  cached: (one.cached ?? 0) + (other.cached ?? 0),
});

const NO_USAGE: Usage = { input: 0, output: 0, cached: 0 };

/** The event of a retry. */
export const retryingEvent = ({ trouble, attempt, model }: ModelCallContext): EventBody => ({
  type: 'model.retrying',
  model: trouble.model ?? String(model),
  attempt,
  waitMs: trouble.waitMs ?? 0,
  error: trouble.error ?? NO_REASON,
});

const NO_REASON: ErrorData = {
  code: 'model.failed',
  message: 'Cannot answer as the model call was given up without a reason: no error was reported',
  retryable: 'no',
};
