import { freezeJson } from '../../base/json/freeze-json.ts';
import { append } from '../../base/collections/history.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { AgentChange, AgentContext, Cycle, End, ReviewState } from './agent-context.ts';
import { failure, threw } from './agent-end.ts';
import type { PlannedCall } from './call-plan.ts';
import { turnsOfStep } from './conversation.ts';
import { applyDelegations, withoutConversations } from './delegations.ts';
import type { Delegations } from './delegations-state.ts';
import type { StepOutcome } from '../endings/judge-ending.ts';
import { judgeAnswer, judgeCalls } from '../endings/judge-ending.ts';
import type { Rules } from '../rules.ts';
import { atOnce, plain } from '../rules.ts';
import { difference } from './state-difference.ts';
import { watchLoops } from '../stopping/watch-loops.ts';
import { rulesInForce } from '../in-force.ts';

/** Number of consecutive steps with only unknown tools that ends a run (reliability catalogue, F17). */
const MAX_UNKNOWN_TOOLS = 3;

/** Adds the step to the agent's state and conversation. The step counter advances here only. */
export const reduced = (context: AgentContext): AgentChange => {
  const { reduce, phaseOf } = rulesInForce();
  const { step, history, cycle: before } = context;
  const answered = before.plan === null ? [] : (before.plan.results as readonly ToolResult[]);
  const delegations = applyDelegations(context, answered);
  const results = delegations === undefined ? answered : withoutConversations(answered);
  const { review, end, note, notices, pauseMs } = afterStep(context, results, delegations);
  const noted = note === undefined ? before : { ...before, note };
  const isPlain = before.plan === null && notices === undefined;
  const cycle: Cycle = isPlain
    ? before
    : { ...before, results, plan: null, notices: notices ?? [], pauseMs: pauseMs ?? null };
  const change: AgentChange = {
    step: step + 1,
    history: append<Turn>(history, ...turnsOfStep(noted, results)),
    ...(isPlain ? {} : { cycle }),
    ...(review === undefined ? {} : { review }),
    ...(end === undefined ? {} : { end }),
    ...phaseAfter(context, results, phaseOf),
  };
  if (reduce === undefined || context.end !== null) return change;
  const { decision, observation } = cycle;
  try {
    const view = freezeJson({
      state: context.state,
      step,
      observation: observation ?? undefined,
      decision: decision ?? undefined,
      results,
    });
    const said = reduce(view);
    const state = plain(atOnce(said), context.state, 'state');
    const diff = difference(context.state, state);
    return { ...change, state, cycle: { ...cycle, results, plan: null, diff } };
  } catch (thrown) {
    return { ...change, end: threw(context, thrown, 'reduce', 'REDUCE') };
  }
};

/** The phase of the work follows from the tools that were used. */
const phaseAfter = (
  { run }: AgentContext,
  results: readonly ToolResult[],
  phaseOf: Rules['phaseOf'],
): AgentChange => {
  const phase = results.length === 0 ? undefined : phaseOf?.(results);
  return phase === undefined || phase === run.phase ? {} : { run: { ...run, phase } };
};

/** The outcome of a step, with its delegations. */
const afterStep = (
  context: AgentContext,
  results: readonly ToolResult[],
  delegations: Delegations | undefined,
): StepOutcome => {
  if (delegations === undefined) return afterResults(context, results);
  const review = { ...context.review, delegations };
  return { review, ...afterResults({ ...context, review }, results) };
};

/** The outcome of decision and results: a candidate, a handoff, or a failure by accumulated trouble. */
const afterResults = (context: AgentContext, results: readonly ToolResult[]): StepOutcome => {
  const { review, cycle, end } = context;
  if (end !== null) return {};
  const { decision, plan } = cycle;
  if (decision?.kind === 'answer') return judgeAnswer(context, decision.answer);
  if (decision?.kind === 'handoff') return { end: handoffEnd(decision.to, decision.message) };
  if (results.length === 0 || plan === null) return {};
  for (const result of results) {
    const control = result.ok ? result.control : undefined;
    if (control?.type === 'complete') return { review: { ...review, candidate: { answer: control.answer } } };
    if (control?.type === 'handoff') return { end: handoffEnd(control.to, control.message) };
  }
  const counted = countUnknown(review, results);
  return counted.end === undefined
    ? judgeUnfinished(context, counted.review ?? review, plan.calls, results)
    : counted;
};

/** Handles calls that ended nothing: loop detection, and the ending policy. */
const judgeUnfinished = (
  context: AgentContext,
  review: ReviewState,
  calls: readonly PlannedCall[],
  results: readonly ToolResult[],
): StepOutcome => {
  const { loops } = rulesInForce();
  // The agent's own `decide` repeats itself on purpose.
  const seen =
    loops === undefined || context.cycle.turn === null
      ? undefined
      : watchLoops(review.watch, calls, results, loops);
  const after = seen === undefined ? review : { ...review, watch: seen.watch };
  const judged = judgeCalls(context, after, results);
  const notes = [seen?.note ?? '', judged.note ?? ''].filter((text) => text !== '');
  const notices = [...(seen?.notice === undefined ? [] : [seen.notice]), ...(judged.notices ?? [])];
  return {
    review: after,
    ...judged,
    ...(notes.length === 0 ? {} : { note: notes.join('\n\n') }),
    ...(notices.length === 0 ? {} : { notices }),
  };
};

const handoffEnd = (to: string, message: string | undefined): End => ({
  status: 'stopped',
  stopReason: message === undefined ? { kind: 'handedOff', to } : { kind: 'handedOff', to, message },
});

const countUnknown = (review: ReviewState, results: readonly ToolResult[]): StepOutcome => {
  const last = results.at(-1);
  const areUnknown = results.every((result) => !result.ok && result.kind === 'unknown');
  if (!areUnknown) return review.unknownTools === 0 ? {} : { review: { ...review, unknownTools: 0 } };
  const unknownTools = review.unknownTools + 1;
  const counted: StepOutcome = { review: { ...review, unknownTools } };
  if (unknownTools < MAX_UNKNOWN_TOOLS || last === undefined || last.ok) return counted;
  return { ...counted, end: failure(last.error) };
};
