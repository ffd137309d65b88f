/** React hooks: an agent owned by a component, and a run elsewhere. */
export { useAgent } from './use-agent.ts';
export { useRun } from './use-run.ts';
