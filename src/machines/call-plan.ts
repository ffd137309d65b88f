import type { ToolCall, ToolResult } from '../contracts/tool.ts';

/** A call as the machine holds it: numbered, and knowing whether it has to run alone. */
export interface PlannedCall extends ToolCall {
  readonly exclusive: boolean;
  /** There was no tool of that name when it was planned: nothing is missing where there is none later. */
  readonly isUnknown?: true | undefined;
}

/** The calls of one ACT: which are out, and what came back, by index, so that results stay in call order. */
export interface CallPlan {
  readonly calls: readonly PlannedCall[];
  readonly results: readonly (ToolResult | null)[];
  /** The number of calls that were started; they start in order. */
  readonly started: number;
  /** The indexes to start now. */
  readonly starting: readonly number[];
}

/** The plan of calls that have not begun, with the first of them ready to start. */
export const planCalls = (calls: readonly PlannedCall[], cap: number): CallPlan =>
  calls.length === 1
    ? { calls, results: UNANSWERED, started: 1, starting: FIRST }
    : startNext({ calls, results: calls.map(() => null), started: 0, starting: [] }, cap);

/** The plan with one result in, and the next calls ready to start. A second answer for a call changes nothing. */
export const withResult = (plan: CallPlan, index: number, result: ToolResult, cap: number): CallPlan => {
  if (!isOpen(plan, index)) return plan.starting.length === 0 ? plan : { ...plan, starting: [] };
  if (plan.calls.length === 1) return { ...plan, results: [result], starting: [] };
  return startNext({ ...plan, results: plan.results.with(index, result) }, cap);
};

/** Checks whether a call has no result yet; what comes in for another one comes too late. */
export const isOpen = (plan: CallPlan, index: number): boolean => plan.results[index] === null;

/** Checks whether every call but this one has its result. */
export const isLastOpen = (plan: CallPlan, index: number): boolean =>
  plan.results.every((result, at) => (result === null) === (at === index));

const UNANSWERED = [null];
const FIRST = [0];

/** Calls start in order; an exclusive one is a barrier: it waits for all before it, and all after it wait for it. */
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
