/**
 * Ways to end: when the work of an agent counts as done, given as `agent({ ends })`, and softer rules to stop by, given as
 * `agent({ stop })`.
 */

// Policies of ending
export { byMarker, byNoToolCalls, byTool } from '../machines/endings/endings.ts';
export type { ByToolOptions, EndingRole } from '../machines/endings/endings.ts';
export { bySupervisor } from '../machines/endings/supervised-ending.ts';
export type { SupervisedOptions } from '../machines/endings/supervised-ending.ts';
export type {
  Ending,
  EndingVerdict,
  EndingView,
  Heuristic,
  LoopLimits,
  WrapUp,
} from '../contracts/agents/ending.ts';
export { unfinishedPlan, wantsPlan } from '../tools/plans/plan-heuristics.ts';

// Rules to stop by
export { softCap, stagnation } from '../machines/stopping/soft-rules.ts';
export type { SoftCapOptions, StagnationOptions } from '../machines/stopping/soft-rules.ts';
