import { append } from '../../base/collections/history.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { ModelFailure } from '../../contracts/models/model-failure.ts';
import { withFailure } from '../../contracts/models/model-failure.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { Tally } from '../../contracts/agents/tally.ts';
import type { Compaction } from '../../contracts/conversations/processor.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type {
  Acted,
  AgentChange,
  AgentContext,
  Cycle,
  Decided,
  Observed,
  Prepared,
  ReviewState,
  Trouble,
} from './agent-context.ts';
import { newCycle } from './agent-context.ts';
import { failure, problemOf } from './agent-end.ts';
import { withBudget } from '../stopping/budget-rule.ts';
import { isOpen, planCalls, withResult } from './call-plan.ts';
import { messageTurn, observationTurn, recalledTurns } from './conversation.ts';
import { withCutStep } from './cut-step.ts';
import { withEditedCall } from './edited-call.ts';
import { withUsage } from './with-usage.ts';

/** Number of consecutive rejected turns that ends a run. */
const MAX_BAD_TURNS = 3;
/** Handles the result of preparing: the conversation starts, or the run ends with the problems. */
export const prepared = (context: AgentContext, found: Prepared, at: number): AgentChange => {
  const [problem] = found.problems;
  if (problem !== undefined) {
    const end = failure(problemOf(found.problems, problem));
    return { end: { ...end, problems: found.problems } };
  }
  const { inputFrom: from } = context.run;
  const prompt = {
    role: 'user',
    ...(from === undefined ? {} : { from }),
    text: found.prompt,
    ...(found.parts === undefined ? {} : { parts: found.parts }),
  } as const;
  return {
    input: found.input,
    run: { ...context.run, models: found.models, promptAt: context.history.length },
    history: append<Turn>(context.history, prompt),
    tally: withBudget(at === context.tally.now ? context.tally : { ...context.tally, now: at }, found.budget),
  };
};

/** Starts a step: inbox messages become part of the conversation. */
export const startStep = (context: AgentContext): AgentChange => {
  const { inbox, history, tally, cycle } = context;
  if (inbox.length === 0) return { cycle: newCycle(tally.now, 0, cycle.results) };
  return {
    cycle: newCycle(tally.now, inbox.length, cycle.results),
    inbox: [],
    history: append<Turn>(history, ...inbox.map(messageTurn)),
  };
};

/** Adds an observation and recalled memories. */
export const observed = (
  context: AgentContext,
  { observation, memory }: Observed,
  at: number,
): AgentChange => {
  const tally = { ...context.tally, now: at };
  if (observation === undefined && memory === undefined) return { tally };
  return {
    tally,
    cycle: { ...context.cycle, observation: observation ?? null, memory: memory ?? null },
    history: append<Turn>(
      context.history,
      ...recalledTurns(memory),
      ...(observation === undefined ? [] : [observationTurn(observation)]),
    ),
  };
};

/** Handles a decision, by the agent itself or its model. */
export const decided = (
  context: AgentContext,
  choice: Exclude<Decided, Trouble>,
  at: number,
): AgentChange => {
  const change = changeOf(context, choice, at);
  return choice.failures === undefined
    ? change
    : { ...change, review: { ...(change.review ?? context.review), modelFailures: choice.failures } };
};

const changeOf = (context: AgentContext, choice: Exclude<Decided, Trouble>, at: number): AgentChange => {
  const { cycle, run } = context;
  const used = withRetries(withUsage(context.tally, choice.usage, at), choice.retries);
  const tally = withBudget(used, choice.budget);
  const cut = withCompaction(run, choice);
  if (choice.kind === 'spent')
    return { tally, ...cut, end: { status: 'stopped', stopReason: choice.stopReason } };
  if (choice.kind === 'refused')
    return { tally, ...cut, end: { status: 'stopped', stopReason: { kind: 'refused', text: choice.text } } };
  if (choice.kind === 'again')
    return {
      tally,
      ...cut,
      cycle: { ...cycle, turn: choice.turn, note: choice.note ?? null },
      ...badTurn(context, choice.problem),
    };
  const { decision, calls, turn, branch = null } = choice;
  return {
    tally,
    ...cut,
    cycle: {
      ...cycle,
      decision,
      branch,
      turn: turn ?? null,
      plan: calls === undefined || calls.length === 0 ? null : planCalls(calls, run.toolConcurrency),
    },
    ...(context.review.badTurns === 0 ? {} : { review: { ...context.review, badTurns: 0 } }),
  };
};

/** Handles trouble of a model or tool call. */
export const troubled = (context: AgentContext, trouble: Trouble, at: number): AgentChange => ({
  cycle: { ...context.cycle, trouble, plan: noneStarting(context.cycle) },
  tally: withUsage(context.tally, trouble.usage, at),
  ...withCompaction(context.run, trouble),
  ...(trouble.failure === undefined ? {} : { review: remembering(context.review, trouble.failure) }),
});

const remembering = (review: ReviewState, failure: ModelFailure): ReviewState => ({
  ...review,
  modelFailures: withFailure(review.modelFailures, failure),
});

/** Absent from almost every answer, as compactions are rare. */
const withCompaction = (
  run: AgentContext['run'],
  { compaction }: { readonly compaction?: Compaction | undefined },
): AgentChange => (compaction === undefined ? {} : { run: { ...run, compaction } });

/** Adds the result of a call; a second result for the same call is ignored. */
export const acted = (context: AgentContext, answer: Acted, index: number, at: number): AgentChange => {
  const { cycle, run, tally } = context;
  if (answer.kind === 'trouble' || cycle.plan === null || !isOpen(cycle.plan, index))
    return { cycle: { ...cycle, plan: noneStarting(cycle) } };
  const plan = withResult(cycle.plan, index, answer.result, run.toolConcurrency);
  const { input } = answer.result;
  return {
    cycle: input === undefined ? { ...cycle, plan } : withEditedCall({ ...cycle, plan }, plan, index, input),
    tally: withBudget(
      {
        ...tally,
        toolCalls: tally.toolCalls + 1,
        retries: tally.retries + answer.result.attempts - 1,
        now: at,
      },
      answer.budget,
    ),
  };
};

/** Adds a message to the inbox. */
export const received = (context: AgentContext, mail: Mail, at: number): AgentChange => ({
  inbox: 'inbox' in mail ? mail.inbox : [...context.inbox, mail.message],
  tally: { ...context.tally, now: at },
});

/** One new message, or the whole inbox, which replaces the messages handed over before. */
export type Mail = { readonly message: Message } | { readonly inbox: readonly Message[] };

/** Ends a wait. */
export const woken = (context: AgentContext, at: number): AgentChange => ({
  tally: { ...context.tally, now: at },
});

/** Aborts the run. */
export const abandoned = (context: AgentContext, reason: string): AgentChange => ({
  ...withCutStep(context),
  end: { status: 'aborted', stopReason: { kind: 'aborted', reason } },
});

/** Stops the run by its deadline, in any state. */
export const expired = (context: AgentContext, stopReason: StopReason, at: number): AgentChange => ({
  ...withCutStep(context),
  end: { status: 'stopped', stopReason },
  tally: { ...context.tally, now: at },
});

/** Fails the run. */
export const broken = (context: AgentContext, error: ErrorData, at: number): AgentChange => ({
  ...withCutStep(context),
  end: failure(error),
  tally: withUsage(context.tally, error.spent, at),
});

const withRetries = (tally: Tally, retries: number | undefined): Tally =>
  retries === undefined ? tally : { ...tally, retries: tally.retries + retries };

/** A change that starts no calls must not start the previous ones again. */
const noneStarting = ({ plan }: Cycle): Cycle['plan'] => (plan === null ? null : { ...plan, starting: [] });

const badTurn = ({ review }: AgentContext, problem: ErrorData | undefined): AgentChange => {
  if (problem === undefined) return {};
  const badTurns = review.badTurns + 1;
  return { review: { ...review, badTurns }, ...(badTurns < MAX_BAD_TURNS ? {} : { end: failure(problem) }) };
};
