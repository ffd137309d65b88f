// The translation between calls of the AI SDK and runs: loaded with the first call, as most programs make no language model of an agent.
export { callWarnings } from './call-warnings.ts';
export { ModelFold } from './model-fold.ts';
export { promptTurns } from './prompt-turns.ts';
