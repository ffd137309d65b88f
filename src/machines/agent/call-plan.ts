import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';

/** A numbered call of a step, with whether it has to run alone. */
export interface PlannedCall extends ToolCall {
  readonly exclusive: boolean;
  /** True if its tool was unknown when it was planned, so a resume does not report it as missing. */
  readonly isUnknown?: true | undefined;
}

/** The calls of one ACT and their results by index, so that results keep the order of the calls. */
export interface CallPlan {
  readonly calls: readonly PlannedCall[];
  readonly results: readonly (ToolResult | null)[];
  /** Number of started calls; they start in order. */
  readonly started: number;
  /** Indexes of the calls to start now. */
  readonly starting: readonly number[];
}

/** A plan for calls, with the first of them ready to start. */
export const planCalls = (calls: readonly PlannedCall[], cap: number): CallPlan =>
  calls.length === 1
    ? { calls, results: UNANSWERED, started: 1, starting: FIRST }
    : startNext({ calls, results: calls.map(() => null), started: 0, starting: [] }, cap);

/** Adds a result and starts the next calls. A second result for a call is ignored. */
export const withResult = (plan: CallPlan, index: number, result: ToolResult, cap: number): CallPlan => {
  if (!isOpen(plan, index)) return plan.starting.length === 0 ? plan : { ...plan, starting: [] };
  if (plan.calls.length === 1) return { ...plan, results: [result], starting: [] };
  return startNext({ ...plan, results: plan.results.with(index, result) }, cap);
};

/** Checks whether a call has no result yet; a result for any other is late. */
export const isOpen = (plan: CallPlan, index: number): boolean => plan.results[index] === null;

/** Checks whether every other call has its result. */
export const isLastOpen = (plan: CallPlan, index: number): boolean =>
  plan.results.every((result, at) => (result === null) === (at === index));

const UNANSWERED = [null];
const FIRST = [0];

/** Starts calls in order; an exclusive one is a barrier between those before and after it. */
const startNext = (plan: CallPlan, cap: number): CallPlan => {
  const starting: number[] = [];
  let running = plan.results.reduce(
    (count, result, index) => count + Number(index < plan.started && !result),
    0,
  );
  let isBarred = plan.calls.some(
    (call, index) => call.exclusive && index < plan.started && !plan.results[index],
  );
  let started = plan.started;
  for (; started < plan.calls.length && running < cap && !isBarred; started += 1) {
    const isExclusive = plan.calls[started]?.exclusive === true;
    if (isExclusive && running > 0) break;
    starting.push(started);
    running += 1;
    isBarred = isExclusive;
  }
  return { ...plan, started, starting };
};
