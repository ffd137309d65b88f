import { append } from '../contracts/history.ts';
import type { ToolResult } from '../contracts/tool.ts';
import type { Turn } from '../contracts/transcript.ts';
import type { AgentChange, AgentContext, End, ReviewState } from './agent-context.ts';
import { failure, threw } from './agent-end.ts';
import { turnsOfStep } from './conversation.ts';
import { atOnce, rulesInForce } from './rules.ts';
import { difference } from './state-difference.ts';

/** This many steps in a row in which every call names an unknown tool end a run (reliability catalogue, F17). */
const MAX_UNKNOWN_TOOLS = 3;

/** The step becomes part of what the agent knows. The step counter advances here and only here. */
export const reduced = (context: AgentContext): AgentChange => {
  const { cycle, step, history } = context;
  const results = cycle.plan === null ? [] : (cycle.plan.results as readonly ToolResult[]);
  const change: AgentChange = {
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

/** What decision and results make of the run: a candidate, a handoff, or trouble that adds up. */
const afterResults = (context: AgentContext, results: readonly ToolResult[]): AgentChange => {
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

const countUnknown = (review: ReviewState, results: readonly ToolResult[]): AgentChange => {
  const last = results.at(-1);
  const areUnknown = results.every((result) => !result.ok && result.kind === 'unknown');
  if (!areUnknown) return review.unknownTools === 0 ? {} : { review: { ...review, unknownTools: 0 } };
  const unknownTools = review.unknownTools + 1;
  const counted: AgentChange = { review: { ...review, unknownTools } };
  if (unknownTools < MAX_UNKNOWN_TOOLS || last === undefined || last.ok) return counted;
  return { ...counted, end: failure(last.error) };
};
