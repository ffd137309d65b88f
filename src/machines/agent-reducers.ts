import { append } from '../contracts/history.ts';
import type { ErrorData } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import type { Usage } from '../contracts/model.ts';
import type { Message } from '../contracts/message.ts';
import type { StopReason, Tally } from '../contracts/stop.ts';
import type { ToolResult } from '../contracts/tool.ts';
import type { Turn, UserTurn } from '../contracts/transcript.ts';
import { errorData } from '../contracts/error.ts';
import type {
  Acted,
  AgentContext,
  Critiqued,
  Cycle,
  Decided,
  End,
  Prepared,
  ReviewState,
  Trouble,
} from './agent-context.ts';
import { newCycle } from './agent-context.ts';
import { isOpen, planCalls, withResult } from './call-plan.ts';
import { messageTurn, turnsOfStep } from './conversation.ts';
import { atOnce, rulesInForce } from './rules.ts';
import { difference } from './state-difference.ts';
import { firstReason } from './stop-rules.ts';

/** What a reducer changes of the context. */
type Change = Partial<AgentContext>;

/** This many turns in a row that cannot stand end a run. */
const MAX_BAD_TURNS = 3;
/** This many steps in a row in which every call names an unknown tool end a run (reliability catalogue, F17). */
const MAX_UNKNOWN_TOOLS = 3;

/** Preparing is through: the conversation can begin, or it cannot. */
export const prepared = (context: AgentContext, found: Prepared, at: number): Change => {
  const [problem] = found.problems;
  if (problem !== undefined) {
    const end = failure(problemOf(found.problems, problem));
    return { end: { ...end, problems: found.problems } };
  }
  return {
    input: found.input,
    run: { ...context.run, models: found.models },
    history: append<Turn>(context.history, { role: 'user', text: found.prompt }),
    tally: at === context.tally.now ? context.tally : { ...context.tally, now: at },
  };
};

/** A new step begins: what has come into the inbox is part of the conversation now. */
export const listened = (context: AgentContext): Change => {
  const { inbox, history, tally, cycle } = context;
  if (inbox.length === 0) return { cycle: newCycle(tally.now, 0, cycle.results) };
  return {
    cycle: newCycle(tally.now, inbox.length, cycle.results),
    inbox: [],
    history: append<Turn>(history, ...inbox.map(messageTurn)),
  };
};

/** The environment was looked at. */
export const observed = (context: AgentContext, observation: Json | undefined, at: number): Change =>
  observation === undefined
    ? { tally: { ...context.tally, now: at } }
    : {
        cycle: { ...context.cycle, observation },
        tally: { ...context.tally, now: at },
        history: append<Turn>(context.history, {
          role: 'user',
          from: 'observation',
          text: typeof observation === 'string' ? observation : JSON.stringify(observation),
        }),
      };

/** A choice was made: by the agent itself, or by its model. */
export const decided = (context: AgentContext, choice: Exclude<Decided, Trouble>, at: number): Change => {
  const { cycle, run } = context;
  const tally = withRetries(withUsage(context.tally, choice.usage, at), choice.retries);
  if (choice.kind === 'refused')
    return { tally, end: { status: 'stopped', stopReason: { kind: 'refused', text: choice.text } } };
  if (choice.kind === 'again')
    return {
      tally,
      cycle: { ...cycle, turn: choice.turn, note: choice.note ?? null },
      ...badTurn(context, choice.problem),
    };
  const { decision, calls, turn } = choice;
  return {
    tally,
    cycle: {
      ...cycle,
      decision,
      turn: turn ?? null,
      plan: calls === undefined || calls.length === 0 ? null : planCalls(calls, run.toolConcurrency),
    },
    ...(context.review.badTurns === 0 ? {} : { review: { ...context.review, badTurns: 0 } }),
  };
};

/** A model or tool call turned out to need more than one go. */
export const troubled = (context: AgentContext, trouble: Trouble, at: number): Change => ({
  cycle: { ...context.cycle, trouble, plan: noneStarting(context.cycle) },
  tally: withUsage(context.tally, trouble.usage, at),
});

/** One call of the step has its result; a second one for the same call changes nothing. */
export const acted = (context: AgentContext, answer: Acted, index: number, at: number): Change => {
  const { cycle, run, tally } = context;
  if (answer.kind === 'trouble' || cycle.plan === null || !isOpen(cycle.plan, index))
    return { cycle: { ...cycle, plan: noneStarting(cycle) } };
  return {
    cycle: { ...cycle, plan: withResult(cycle.plan, index, answer.result, run.toolConcurrency) },
    tally: {
      ...tally,
      toolCalls: tally.toolCalls + 1,
      retries: tally.retries + answer.result.attempts - 1,
      now: at,
    },
  };
};

/** The step becomes part of what the agent knows. The step counter advances here and only here. */
export const reduced = (context: AgentContext): Change => {
  const { cycle, step, history } = context;
  const results = cycle.plan === null ? [] : (cycle.plan.results as readonly ToolResult[]);
  const change: Change = {
    step: step + 1,
    history: append<Turn>(history, ...turnsOfStep(cycle, results)),
    ...(cycle.plan === null ? {} : { cycle: { ...cycle, results, plan: null } }),
    ...afterResults(context, results),
  };
  const { reduce } = rulesInForce();
  if (reduce === undefined || context.end !== null) return change;
  const { decision, observation } = cycle;
  try {
    const said = reduce({
      state: context.state,
      step,
      observation: observation ?? undefined,
      decision: decision ?? undefined,
      results,
    });
    const state = atOnce(said);
    const diff = difference(context.state, state);
    return { ...change, state, cycle: { ...cycle, results, plan: null, diff } };
  } catch (thrown) {
    return { ...change, end: threw(context, thrown, 'reduce', 'REDUCE') };
  }
};

/** The critics have spoken. */
export const critiqued = (context: AgentContext, found: Critiqued, at: number): Change => {
  const { review, run, history } = context;
  const { verdict, critiques } = found;
  const seen: Change = { cycle: { ...context.cycle, critiques }, tally: { ...context.tally, now: at } };
  if (verdict.verdict === 'accept') return seen;
  if (verdict.verdict === 'stop')
    return { ...seen, end: { status: 'stopped', stopReason: { kind: 'criticStopped', note: verdict.note } } };
  const note: UserTurn = { role: 'user', from: 'critic', text: verdict.note };
  const told: Change = { ...seen, history: append<Turn>(history, note) };
  if (review.candidate === null) return told;
  const rejections = review.rejections + 1;
  if (rejections > run.maxRejections) {
    const stopReason: StopReason = { kind: 'rejected', note: verdict.note, rejections };
    return { ...seen, review: { ...review, rejections }, end: { status: 'stopped', stopReason } };
  }
  return { ...told, review: { ...review, candidate: null, rejections } };
};

/** Whether the run is over: the answer, the agent's own condition, then the stop rules in the order given. */
export const checked = (context: AgentContext): Change => {
  if (context.end !== null) return {};
  if (context.review.candidate !== null)
    return { end: { status: 'completed', stopReason: { kind: 'answered' } } };
  const { shouldStop, stop } = rulesInForce();
  const { step, state, tally, cycle } = context;
  const view = { step, state, tally, decision: cycle.decision ?? undefined, results: cycle.results };
  try {
    const detail = atOnce(shouldStop?.(view));
    const stopReason: StopReason | undefined =
      detail === undefined || detail === false
        ? (environmentEnd(cycle.results) ?? firstReason(stop, view))
        : { kind: 'agentCondition', detail: detail === true ? 'shouldStop' : detail };
    return stopReason === undefined ? {} : { end: { status: 'stopped', stopReason } };
  } catch (thrown) {
    return { end: threw(context, thrown, 'shouldStop or a stop rule', 'CHECK_STOP') };
  }
};

/** The environment's own end, where one of the calls of the step brought it about. */
const environmentEnd = (results: readonly ToolResult[]): StopReason | undefined => {
  const end = results.find(({ environment }) => environment?.end !== undefined)?.environment?.end;
  return end === undefined ? undefined : { kind: 'environmentEnded', ...end };
};

/** Somebody said something. */
export const received = (context: AgentContext, message: Message, at: number): Change => ({
  inbox: [...context.inbox, message],
  tally: { ...context.tally, now: at },
});

/** The wait is over. */
export const woken = (context: AgentContext, at: number): Change => ({
  tally: { ...context.tally, now: at },
});

/** The run was called off. */
export const abandoned = (reason: string): Change => ({
  end: { status: 'aborted', stopReason: { kind: 'aborted', reason } },
});

/** Work failed for good. */
export const broken = (error: ErrorData): Change => ({ end: failure(error) });

const failure = (error: ErrorData): End => ({ status: 'failed', stopReason: { kind: 'failed' }, error });

const problemOf = (problems: readonly ErrorData[], first: ErrorData): ErrorData =>
  problems.length === 1
    ? first
    : {
        ...first,
        message: problems.map((problem) => problem.message).join('; '),
        details: problems.map(({ code, message }) => ({ code, message })),
      };

const threw = ({ run, step }: AgentContext, thrown: unknown, what: string, phase: string): End => {
  // REDUCE has advanced the counter, yet CHECK_STOP still belongs to the step reduced.
  const at = phase === 'CHECK_STOP' ? step - 1 : step;
  const message = `Cannot finish step ${at} of '${run.agent}' as its ${what} threw`;
  const where = { message, phase, step: at, path: run.path, runId: run.runId };
  return failure(errorData(thrown, 'agent.threw', where));
};

const withUsage = (tally: Tally, usage: Usage | undefined, at: number): Tally =>
  usage === undefined
    ? { ...tally, now: at }
    : {
        ...tally,
        now: at,
        modelCalls: tally.modelCalls + 1,
        inputTokens: tally.inputTokens + usage.input,
        outputTokens: tally.outputTokens + usage.output,
        cachedTokens: tally.cachedTokens + (usage.cached ?? 0),
      };

const withRetries = (tally: Tally, retries: number | undefined): Tally =>
  retries === undefined ? tally : { ...tally, retries: tally.retries + retries };

/** Calls that were started are out; a change that starts none must not start them again. */
const noneStarting = ({ plan }: Cycle): Cycle['plan'] => (plan === null ? null : { ...plan, starting: [] });

const badTurn = ({ review }: AgentContext, problem: ErrorData | undefined): Change => {
  if (problem === undefined) return {};
  const badTurns = review.badTurns + 1;
  return { review: { ...review, badTurns }, ...(badTurns < MAX_BAD_TURNS ? {} : { end: failure(problem) }) };
};

/** What decision and results make of the run: a candidate, a handoff, or trouble that adds up. */
const afterResults = (context: AgentContext, results: readonly ToolResult[]): Change => {
  const { review, cycle, end } = context;
  if (end !== null) return {};
  const { decision } = cycle;
  if (decision?.kind === 'answer') return { review: { ...review, candidate: { answer: decision.answer } } };
  if (decision?.kind === 'handoff') return { end: handedOff(decision.to, decision.message) };
  if (results.length === 0) return {};
  for (const result of results) {
    const control = result.ok ? result.control : undefined;
    if (control?.type === 'complete') return { review: { ...review, candidate: { answer: control.answer } } };
    if (control?.type === 'handoff') return { end: handedOff(control.to, control.message) };
  }
  return countUnknown(review, results);
};

const handedOff = (to: string, message: string | undefined): End => ({
  status: 'stopped',
  stopReason: message === undefined ? { kind: 'handedOff', to } : { kind: 'handedOff', to, message },
});

const countUnknown = (review: ReviewState, results: readonly ToolResult[]): Change => {
  const last = results.at(-1);
  const areUnknown = results.every((result) => !result.ok && result.kind === 'unknown');
  if (!areUnknown) return review.unknownTools === 0 ? {} : { review: { ...review, unknownTools: 0 } };
  const unknownTools = review.unknownTools + 1;
  const counted: Change = { review: { ...review, unknownTools } };
  if (unknownTools < MAX_UNKNOWN_TOOLS || last === undefined || last.ok) return counted;
  return { ...counted, end: failure(last.error) };
};
