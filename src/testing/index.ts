/** Tools for testing agents: scripted models, a virtual clock, walks through machines, evaluations, and laws for parts of your own. */

// Models and time
export { calls, scriptedModel } from './scripted-model.ts';
export type { ScriptedModel } from './scripted-model.ts';
export { virtualClock } from './virtual-clock.ts';
export type { VirtualClock } from './virtual-clock.ts';

// Machines, without running them
export { walk } from './walk.ts';
export { begin, move } from './moves.ts';
export { explore } from './explore.ts';

// Properties, proven before runs and audited after them
export { verify } from './verify/verify.ts';

// Comparison of runs
export { compareRuns } from './compare-runs.ts';

// Evals: datasets, evaluators, gates
export { defineEval } from './evals/define-eval.ts';
export { extendExpect } from './evals/extend-expect.ts';
export { datasets } from './datasets/datasets.ts';
export { feedback } from './datasets/feedback.ts';
export { evaluators } from './evaluators/evaluators.ts';
export { evaluate } from './evaluators/evaluate.ts';
export { evaluateTask } from './evaluators/evaluate-task.ts';
export type { Evaluator } from '../contracts/tasks/evaluator.ts';

// Contracts for parts of your own
export { environmentLaws } from './environment-laws.ts';
export { journalStoreLaws } from './journal-store-laws.ts';
export { patternLaws } from './pattern-laws.ts';

// Recorded runs as tests
export { replayModel } from './replay-model.ts';
export { replayTools } from './replay-tools.ts';
export { rehearse } from './rehearsal/rehearse.ts';

// Failed runs
export { blame } from './blame/blame.ts';

// Seeds, and all orders
export { simulate } from './simulate/simulate.ts';

// Faults
export { injectFaults } from './resilience/inject-faults.ts';
