/** Hooks for React: an agent of a component's own, and a run that goes on elsewhere. */
export { useAgent } from './use-agent.ts';
export { useRun } from './use-run.ts';
export type { AgentSessionView, DeepPartial, UseAgentOptions, ViewedAgent } from './agent-session-view.ts';
