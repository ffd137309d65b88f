/** Hooks for React: an agent of a component's own, and a run that goes on elsewhere. */
export { useAgent } from './use-agent.ts';
export { useRun } from './use-run.ts';
export type { AgentView, DeepPartial, UseAgentOptions, ViewedAgent } from './agent-view.ts';
